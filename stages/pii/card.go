package pii

import "strings"

// cardWords make a card of a number whose range or length leaves doubt.
var cardWords = []string{
	"card", "cards", "cardnumber", "creditcard", "credit", "debit", "cc", "ccn", "pan", "visa", "mastercard", "maestro",
	"amex", "diners", "discover", "jcb", "unionpay", "payment", "tarjeta", "carte", "karte", "kreditkarte", "carta", "cartao", "cartão",
	"kaart", "kort", "karta", "карта", "карты", "卡", "信用卡", "カード",
}

// findCard recognises a payment card number (PAN) of ISO/IEC 7812-1: 12 to 19
// digits, an issuer range in use, and the Luhn digit. A length that is rare in
// its range, above all 12 or 13, which article numbers have, needs a telling
// word. With one, a range that is not in the table will also do, if it is among
// those for travel, banking and merchandising (first digit 3 to 6): new ones
// are handed out all the time.
func findCard(s *scan, i int) (int, int, float32) {
	n, t := &s.num, s.v.s
	if n.countDigits(0) > 19 || !canBeginCard(t, i, n.prev) {
		return 0, 0, 0
	}
	var d [19]byte
	total := 0
	from, to, score := 0, 0, float32(0)
	for k := 0; k < n.n; k++ {
		if total+n.countDigits(k) > len(d) || k > 0 && n.sep[k-1] != n.sep[0] {
			break
		}
		for j := n.start[k]; j < n.end[k]; j++ {
			d[total] = t[j] - '0'
			total++
		}
		if total < 12 || !canEndCard(t, n, k) || !passesLuhn(d[:total]) || !areCardGroups(n, k+1) || k > 0 && isInHexDump(s, i, n.end[k]) {
			continue
		}
		usual, allowed := checkIssuer(d[:total])
		if usual {
			n.card = k + 1
		}
		switch {
		case usual && isInNumberRow(t, n, i, k, d[:total]):
			from, to, score = i, n.end[k], 0.3
		case usual && !(k == 0 && (total == 18 || isLongInteger(d[:total]) || namesProject(s, i) || isSigned(t, i) ||
			isProgramNumber(t, i, n.end[0]) || isNamedNumber(s, i))):
			from, to, score = i, n.end[k], 1
		case allowed, d[0] >= 3 && d[0] <= 6 && total >= 14:
			from, to, score = i, n.end[k], 0.3
		}
	}
	return from, to, score
}

// namesProject reports whether the digits at i are the project in the address to which a program reports errors:
// "@o1.ingest.sentry.io/4504819859914752".
func namesProject(s *scan, i int) bool {
	return strings.HasSuffix(s.v.s[s.v.stepBack(i, len(".sentry.io/")):i], ".sentry.io/")
}

// isLongInteger reports whether digits in one piece are as likely an integer of 64 bits or a serial number as a card: 17 or more, and
// not of the ranges of Visa and UnionPay, which alone have cards of that length that people meet.
func isLongInteger(d []byte) bool {
	return len(d) > 16 && d[0] != 4 && (d[0] != 6 || d[1] != 2)
}

// isInHexDump reports whether the groups of four digits t[i:end] are in a row of hexadecimal groups that starts with the
// offset of a dump line, as in "00000010: 2e54 4820 5858 4420 3120 2241". Any sentence may end in "2019:" or "saved:".
func isInHexDump(s *scan, i, end int) bool {
	t, low, from := s.v.s, s.v.stepBack(i, keyedBack), i
	for i >= low+5 && t[i-1] == ' ' && isHexQuad(t, i-5) && !isWordByte(findByteBefore(t, i-5)) {
		i -= 5
	}
	if i < low+3 || t[i-1] != ' ' {
		return false
	}
	j := i - 1
	if t[j-1] == ':' {
		j--
	}
	k := j
	for k > low && j-k < 9 && class[t[k-1]]&isHex != 0 {
		k--
	}
	if size := j - k; size != 7 && size != 8 || t[k] != '0' || t[j-1] != '0' || isWordByte(findByteBefore(t, k)) {
		return false
	}
	if i < from {
		return true
	}
	s.noteLookAhead(from, end+6)
	return findByteAt(t, end) == ' ' && isHexQuad(t, end+1) && !isWordByte(findByteAt(t, end+5))
}

// isHexQuad reports whether four hexadecimal digits stand at i.
func isHexQuad(t string, i int) bool {
	return i >= 0 && i+4 <= len(t) && class[t[i]]&class[t[i+1]]&class[t[i+2]]&class[t[i+3]]&isHex != 0
}

// findByteBefore returns the byte before i, 0 at the beginning.
func findByteBefore(t string, i int) byte {
	if i > 0 {
		return t[i-1]
	}
	return 0
}

// isSigned reports whether the number at i is a negative one in a list or a
// program.
func isSigned(t string, i int) bool {
	return i > 0 && t[i-1] == '-' && (i == 1 || !isWordByte(t[i-2]))
}

// isProgramNumber reports whether the digits t[i:j] are a number in a program, a table of numbers or a name: an argument of a
// conversion, one of several long numbers with commas between them, or behind a word and a dash.
func isProgramNumber(t string, i, j int) bool {
	return strings.HasSuffix(t[i:j], "00000000") || strings.HasPrefix(t[i:j], "450359962737") || isSequenceInHex(t[i:j]) ||
		isInMapOfNumbers(t, i, j) || isArgument(t, i, j) || isOperand(t, i) || isSession(t, i) || isParameter(t, i) ||
		i > 1 && t[i-1] == '-' && isLetterByte(t[i-2]) || isListed(t, i, j)
}

// isArgument reports whether the digits t[i:j] stand alone between the parentheses of a call or a conversion.
func isArgument(t string, i, j int) bool {
	return i > 1 && t[i-1] == '(' && isAlnum(t[i-2]) && t[j-1] != ' ' && j < len(t) && (t[j] == ')' || t[j] == ',')
}

// isOperand reports whether the digits at i are an immediate value or the argument of a directive of an assembler, as in
// "movabsq $36028797027352577" and ".quad 6587304654631931588".
func isOperand(t string, i int) bool {
	if i > 0 && t[i-1] == '$' {
		return true
	}
	j := i - 1
	if j < 1 || t[j] != ' ' && t[j] != '\t' {
		return false
	}
	for j > 0 && i-j < 10 && (isLetterByte(t[j-1]) || j == i-1 && isDigitByte(t[j-1])) {
		j--
	}
	return j > 1 && j < i-2 && t[j-1] == '.' && (t[j-2] == ' ' || t[j-2] == '\t' || t[j-2] == '\n')
}

// isSession reports whether the digits at i are the number of a session in SDP (RFC 8866, 5.2): "o=- 4596489990601351948 2 IN IP4 ...".
func isSession(t string, i int) bool {
	k := i - 1
	for k > 2 && i-k < 24 && t[k-1] != ' ' && t[k-1] != '=' {
		k--
	}
	return k > 1 && t[i-1] == ' ' && t[k-2:k] == "o="
}

// isParameter reports whether the digits at i are a message number in the URL of an archive, which starts with a timestamp:
// "?l=kernel&m=112256338703880". Cards that start with 1 are rare.
func isParameter(t string, i int) bool {
	return i > 2 && t[i] == '1' && t[i-1] == '=' && t[i-2] == 'm' && isOneOf(t[i-3], "?&;")
}

// isListed reports whether the digits t[i:j] are a decimal number, or have a long number before or behind a comma beside them.
func isListed(t string, i, j int) bool {
	if j+2 < len(t) && t[j] == '.' && (isDigitByte(t[j+1]) || t[j+1] == ' ' && t[j+2] == '/') {
		return true // a decimal number
	}
	next := j
	for next < len(t) && next-j < 3 && isOneOf(t[next], ", \n\t") {
		next++
	}
	if next > j && t[j] == ',' && next < len(t) && isDigitByte(t[next]) && isOddNumber(t[next:findDigitsEnd(t, next)]) {
		return true
	}
	prev := i
	for prev > 0 && i-prev < 4 && isOneOf(t[prev-1], ", \n\t") {
		prev--
	}
	if prev < i && prev > 0 && t[prev] == ',' && isDigitByte(t[prev-1]) {
		from := prev
		for from > 0 && prev-from < 24 && isDigitByte(t[from-1]) {
			from--
		}
		return isOddNumber(t[from:prev])
	}
	return false
}

// isOddNumber reports whether digits are a number as long as those of cards, and no card. Shorter ones stand beside cards in
// tables: numbers of customers, dates, amounts.
func isOddNumber(g string) bool {
	if len(g) < 14 || len(g) > 19 {
		return len(g) > 19
	}
	var d [19]byte
	for k := range len(g) {
		d[k] = g[k] - '0'
	}
	return !passesLuhn(d[:len(g)])
}

// canBeginCard reports whether a card may begin at i.
func canBeginCard(t string, i int, prev byte) bool {
	switch prev {
	case '-', '.', '_':
		return false
	case ' ', '/', mixed:
		return true
	}
	if i == 0 {
		return true
	}
	if t[i-1] == '.' {
		return followsNumberSign(t, i)
	}
	return !isWordByte(t[i-1]) || isGlued(t, i)
}

// followsNumberSign reports whether "no." or "nr." precedes i.
func followsNumberSign(t string, i int) bool {
	return i > 2 && (hasFold(t, i-3, "no.") || hasFold(t, i-3, "nr.")) && (i == 3 || !isWordByte(t[i-4]))
}

// canEndCard reports whether a card may end with group k.
func canEndCard(t string, n *numbers, k int) bool {
	switch sep := n.sep[k]; sep {
	case 0:
		j := n.end[k]
		return j == len(t) || !isWordByte(t[j])
	case ' ', mixed:
		// A number in the next column does no harm, except to single digits.
		return k == 0 || n.countDigits(0) > 1
	case '/':
		return k == 0 || n.sep[0] != '/'
	}
	return false
}

// areCardGroups reports whether the first k groups are written as cards are: in
// one, in fours (the last group what remains), as 4-6-5 and 4-6-4 of American
// Express and Diners Club, or digit by digit. The separator must be the same.
func areCardGroups(n *numbers, k int) bool {
	if k == 1 {
		return true
	}
	if sep := n.sep[0]; sep == mixed {
		return false
	}
	if k == 3 && n.countDigits(0) == 4 && n.countDigits(1) == 6 {
		return n.countDigits(2) == 5 || n.countDigits(2) == 4
	}
	size := n.countDigits(0)
	if size != 4 && size != 1 {
		return false
	}
	for i := 1; i < k-1; i++ {
		if n.countDigits(i) != size {
			return false
		}
	}
	last := n.countDigits(k - 1)
	return last <= size || size == 4 && k == 3 && last == 5
}

// passesLuhn checks the last digit by the formula of ISO/IEC 7812-1 annex B.
func passesLuhn(d []byte) bool {
	sum := 0
	for i := len(d) - 1; i > 0; i -= 2 {
		sum += int(d[i]) + int(doubled[d[i-1]&15])
	}
	if len(d)%2 != 0 {
		sum += int(d[0])
	}
	return sum%10 == 0
}

// doubled has the sum of the digits of twice a digit.
var doubled = [16]uint8{0, 2, 4, 6, 8, 1, 3, 5, 7, 9}
