package pii

import "strings"

// cardTypes are the other data on a card beside its number. None of them is stored: the rules of the card industry (PCI DSS
// 3.3) forbid it for two.
var cardTypes = []detector{
	{
		name: "CARD_CVV", pack: packCore, find: findCVV, masked: true,
		triggers: []trigger{{
			at: digits09, before: newNoWordNor(".-+$#"), number: numberForm{digits: 3, first: [2]int{3, 4}},
			why: "the number itself", example: "CVV 123",
		}},
		words: []string{"cvv", "cvc", "cvv2", "cvc2", "csc", "cav", "cvn", "prüfnummer", "prüfziffer", "kartenprüfnummer", "cryptogramme"},
	},
	{
		name: "CARD_EXPIRY",
		pack: packCore,
		find: findExpiry,
		triggers: []trigger{{
			at: digits09, before: newNoWordNor(".-+$#"), behind: byteSet{bytes: "/-"}, number: numberForm{digits: 4, first: [2]int{1, 2}, groups: 2},
			why: "the month", example: "4539 8245 5345 9855 exp 04/29",
		}},
		words: []string{
			"exp",
			"expiry",
			"expires",
			"expiration",
			"expiring",
			"thru",
			"through",
			"until",
			"ablaufdatum",
			"gültig",
			"caducidad",
			"vencimiento",
			"scadenza",
			"vervaldatum",
			"expire",
			"expira",
			"caduca",
			"vence",
			"validade",
			"validité",
			"geldig",
			"ważna",
			"действует",
			"bis",
		},
	},
	{
		name: "CARD_TRACK", pack: packCore, find: findTrack, masked: true, reach: trackMax,
		triggers: []trigger{
			{at: "%", behind: byteSet{bytes: "bB"}, why: "begins track 1", example: "%B4539824553459855^DOE/JANE^2904101000?"},
			{at: ";", behind: byteSet{classes: isDigit}, why: "begins track 2", example: ";4539824553459855=29041010000000000?"},
		},
	},
}

// cardBack is how far before a date its card number may be, in raw bytes.
const cardBack = 80

// findCVV recognises a card's check number of three or four digits behind a
// telling word; "security code" needs a card before it.
func findCVV(s *scan, i int) (int, int, float32) {
	t, n := s.v.s, &s.num
	d := n.countDigits(0)
	if d != 3 && d != 4 || n.prev != 0 && n.prev != ' ' && n.prev != '/' || i > 0 && (isWordByte(t[i-1]) || isOneOf(t[i-1], ".-+$#")) {
		return 0, 0, 0
	}
	if numbersSymbol(t, i) || isListedAt(t, i) {
		return 0, 0, 0
	}
	j := n.end[0]
	s.noteLookAhead(i, j+2)
	if findByteAt(t, j) == ':' && j+1 < len(t) && isOneOf(t[j+1], " \t") && strings.HasSuffix(strings.TrimRight(t[:i], " \t"), ",\n") {
		return 0, 0, 0 // a key of a map
	}
	switch n.sep[0] {
	case 0:
		if j < len(t) && (isWordByte(t[j]) || isOneOf(t[j], "%:") && j+1 < len(t) && isDigitByte(t[j+1])) {
			return 0, 0, 0
		}
	case ' ':
	default:
		return 0, 0, 0
	}
	if s.followsCardNumber(i) &&
		s.followsPhrase(i, "cid", "security code", "verification code", "security number", "sicherheitscode", "código de seguridad") {
		return i, j, 0.7
	}
	return i, j, 0.2
}

// numbersSymbol reports whether the number at i is the value of a constant in a program, as in "V4L2_CID_CODEC_BASE + 301"
// and "CVC_AU, /* 1874 */", or a year behind a copyright sign.
func numbersSymbol(t string, i int) bool {
	j := i
	for j > 0 && i-j < 3 && t[j-1] == ' ' {
		j--
	}
	before := t[max(0, j-2):j]
	return followsCase(t, i) || j < i && (before == "/*" || before == "©" || len(before) == 2 && before[1] == '+' && followsConstant(t, j-1))
}

// isListedAt reports whether the number at i is in a list of short numbers, but not first, as in `"PANTONE 145 CVC", 0, 42, 100`.
func isListedAt(t string, i int) bool {
	j := i
	for range 2 {
		for j > 0 && i-j < 12 && t[j-1] == ' ' {
			j--
		}
		if j == 0 || t[j-1] != ',' {
			return false
		}
		for j--; j > 0 && i-j < 12 && isDigitByte(t[j-1]); {
			j--
		}
	}
	return true
}

// followsCase reports whether the number at i follows "case", first in its line.
func followsCase(t string, i int) bool {
	k := i - len("case ")
	if k < 0 || t[k:i] != "case " {
		return false
	}
	for k > 0 && i-k < keyedBack && (t[k-1] == ' ' || t[k-1] == '\t') {
		k--
	}
	return k == 0 || t[k-1] == '\n'
}

// followsConstant reports whether the name of a constant, with '_' between words, precedes the operator at i.
func followsConstant(t string, i int) bool {
	for i > 0 && t[i-1] == ' ' {
		i--
	}
	k := i
	for k > 0 && i-k < keyedBack && isWordByte(t[k-1]) {
		k--
	}
	return strings.Contains(t[k:i], "_")
}

// findExpiry recognises a month and a year behind a telling word when a card
// precedes them, or the word card is near.
func findExpiry(s *scan, i int) (int, int, float32) {
	t, n := s.v.s, &s.num
	if n.n < 2 || n.countDigits(0) > 2 || n.prev != 0 && n.prev != ' ' || i > 0 && (isWordByte(t[i-1]) || isOneOf(t[i-1], ".-+$#")) {
		return 0, 0, 0
	}
	j, y := n.end[1], n.countDigits(1)
	s.noteLookAhead(i, j+2)
	if n.sep[0] != '/' && n.sep[0] != '-' || y != 2 && y != 4 || n.sep[1] != 0 && n.sep[1] != ' ' || j < len(t) && isWordByte(t[j]) {
		return 0, 0, 0
	}
	m, year := parseDecimal(t[i:n.end[0]]), parseDecimal(t[n.start[1]:j])
	if m < 1 || m > 12 || y == 4 && (year < 1990 || year > 2079) || !s.followsCardNumber(i) &&
		!s.followsPhrase(i, "card", "karte", "tarjeta", "carte") {
		return 0, 0, 0
	}
	return i, j, 0.4
}

// parseDecimal returns the value of a few digits.
func parseDecimal(t string) (n int) {
	for i := range len(t) {
		n = n*10 + int(t[i]-'0')
	}
	return n
}

// followsCardNumber reports whether a number as long as a card's precedes i.
func (s *scan) followsCardNumber(i int) bool {
	t, low, run := s.v.s, s.v.stepBack(i, cardBack), 0
	for j := i; j > low; j-- {
		if j-low >= 8 { // the usual case: words
			w := t[j-8 : j]
			k := class[w[0]] | class[w[1]] | class[w[2]] | class[w[3]] | class[w[4]] | class[w[5]] | class[w[6]] | class[w[7]]
			if k&(isDigit|isLetter) == isLetter {
				run, j = 0, j-7
				continue
			}
		}
		switch c := t[j-1]; {
		case isDigitByte(c):
			if run++; run >= 12 {
				return true
			}
		case run > 0 && (c == ' ' || c == '-'):
		default:
			run = 0
		}
	}
	return false
}

// followsPhrase reports whether one of some phrases in lower case is at most
// cardBack raw bytes before i.
func (s *scan) followsPhrase(i int, phrases ...string) bool {
	t, low := s.v.s, s.v.stepBack(i, cardBack)
	firsts := uint32(0) // letters, ignoring case
	for _, p := range phrases {
		firsts |= 1 << (p[0] & 31)
	}
	for j := i - 1; j >= low; j-- {
		if firsts>>(t[j]&31)&1 == 0 || t[j] < 'A' || j > 0 && isWordByte(t[j-1]) {
			continue
		}
		for _, p := range phrases {
			if i-j >= len(p) && hasFold(t, j, p) {
				return true
			}
		}
	}
	return false
}

// trackMax bounds the data of a track.
const trackMax = 110

// findTrack recognises the data of a magnetic stripe (ISO/IEC 7813): track 1 as
// "%B<number>^<name>^<data>?", track 2 as ";<number>=<data>?".
func findTrack(s *scan, i int) (int, int, float32) {
	t, j := s.v.s, i+1
	first := t[i] == '%'
	if first {
		if j < len(t) && t[j]|0x20 != 'b' {
			return 0, 0, 0
		}
		j++
	}
	k := j
	var d [19]byte
	n := 0
	for k < len(t) && n < len(d) && (isDigitByte(t[k]) || first && t[k] == ' ') {
		if isDigitByte(t[k]) {
			d[n] = t[k] - '0'
			n++
		}
		k++
	}
	s.noteLookAhead(i, k+1)
	if k >= len(t) || n < 12 || !passesLuhn(d[:n]) || first && t[k] != '^' || !first && t[k] != '=' {
		return 0, 0, 0
	}
	for k++; k-i < trackMax; k++ {
		if k >= len(t) {
			s.noteLookAhead(i, k+1)
			break
		}
		c := t[k]
		if c == '?' {
			s.noteLookAhead(i, k+1)
			return i, k + 1, 1
		}
		if !first && !isDigitByte(c) && c != '=' || first && c < ' ' {
			break
		}
	}
	if k-i >= 20+n && k-i < trackMax {
		for t[k-1] == ' ' {
			k--
		}
		return i, k, 0.8
	}
	return 0, 0, 0
}
