package pii

import "slices"

// findPhone recognises phone numbers: international ones by their '+' and the
// country code; those in the North American way of writing; national ones of
// the region asked for; and, with a telling word, digits in the shape of one.
func findPhone(s *scan, i int) (int, int, float32) {
	from, plus := findPhoneStart(s.v.s, i)
	if !canBeginPhone(s.v.s, from, i, plus, s.num.prev) {
		return 0, 0, 0
	}
	if plus && isNamedMoment(s, from) || isWordSize(s, i) || !plus && isNamedCount(s, i) {
		return 0, 0, 0
	}
	if isFollowedByHashes(s.v.s, s.num.end[s.num.n-1]) || !plus && countsUpAndDown(&s.num, s.v.s) || isNoPhone(s, i) {
		return 0, 0, 0
	}
	var last int
	var score float32
	if plus {
		last, score = findInternational(s)
	} else if end := s.num.end[0]; s.num.n > 1 || !isNamedTime(s, i, end) && !isIdentifierInPath(s.v.s, i, end) {
		last, score = findNational(s, from)
	}
	if score == 0 || isInPicture(s, from) || isFormOfDigits(s.v.s[i:s.num.end[last]], plus) {
		return 0, 0, 0
	}
	end := s.num.end[last]
	if score < labelledScore && (isLabelled(s, from, end, last) || isIntroduced(s, from, last)) {
		score = labelledScore
	}
	return from, findExtension(s.v.s, end), score
}

// countsUpAndDown reports whether of two groups of five digits or more the second is the first from its end, and each counts up or
// down, as somebody types them who needs any numbers: "12345 54321".
func countsUpAndDown(n *numbers, t string) bool {
	if n.n != 2 || n.countDigits(0) < 5 || n.countDigits(1) != n.countDigits(0) || n.sep[0] != ' ' {
		return false
	}
	a, b := []byte(t[n.start[0]:n.end[0]]), []byte(t[n.start[1]:n.end[1]])
	slices.Reverse(b)
	return isStraight(a) && slices.Equal(a, b)
}

// isFollowedByHashes reports whether two '#' follow the number that ends at i: it is a form that others fill in,
// "+44 20 7946 0###".
func isFollowedByHashes(t string, i int) bool {
	if findByteAt(t, i) == ' ' {
		i++
	}
	return findByteAt(t, i) == '#' && findByteAt(t, i+1) == '#'
}

// findPhoneStart returns where the number whose first group is at i begins, with
// the '+' or the parenthesis before it, and whether there is a '+'.
func findPhoneStart(t string, i int) (from int, plus bool) {
	j := i
	if j >= 2 && t[j-1] == ' ' && t[j-2] == '(' {
		j -= 2
	} else if j >= 1 && t[j-1] == '(' {
		j--
	}
	switch {
	case j >= 1 && t[j-1] == '+':
		return j - 1, true
	case j >= 3 && hasFold(t, j-3, "%2b"):
		return j - 3, true // of a URL
	}
	return j, j >= 6 && t[j-6:j] == "wa.me/"
}

// canBeginPhone checks the boundary before a number.
func canBeginPhone(t string, from, i int, plus bool, prev byte) bool {
	if from == 0 {
		return true
	}
	c := t[from-1]
	if isGlued(t, from) {
		return true
	}
	if plus {
		return !isWordByte(c) && c != '+'
	}
	switch {
	case c == '/' && from > 2 && t[from-2] == '/' && t[from-3] != ':':
		return false // a comment
	case c == '/' && followsArchive(t, from-1):
		return false
	case isWordByte(c), c == '.', c == '+', c == '-', c == '#', c == '$':
		return false
	case c == ':' && from >= 2 && isDigitByte(t[from-2]):
		return false
	case from == i:
		return prev == 0 || prev == ' '
	}
	return true
}

// followsArchive reports whether a part of arXiv whose name ends in "ph" precedes the '/' at i: "astro-ph/0602086".
func followsArchive(t string, i int) bool {
	for _, name := range [...]string{"astro-ph", "hep-ph", "quant-ph", "math-ph"} {
		if j := i - len(name); j >= 0 && hasFold(t, j, name) {
			return true
		}
	}
	return false
}

// canEndPhone reports whether a number may end with group k.
func (n *numbers) canEndPhone(t string, k int) bool {
	switch n.sep[k] {
	case ' ', mixed:
		return true
	case '/':
		return k == 0
	case 0:
	default:
		return false
	}
	j := n.end[k]
	if j == len(t) {
		return true
	}
	switch c := t[j]; {
	case c == 'x' || c == 'X' || c == 'e' || c == 'E':
		return findExtension(t, j) > j
	case isWordByte(c):
		return false
	case c == '(':
		return j+1 == len(t) || !isLetterByte(t[j+1]) // an address of assembly: "CALL 18344066(PC)"
	case c == ':' || c == ',' || c == '%' || c == '@':
		return j+1 == len(t) || !isWordByte(t[j+1]) || c == ','
	}
	return true
}

// internationalScore is what a number with its country code is worth.
const internationalScore = 0.9

// findInternational takes as many groups as the country code allows. It is lenient
// by one digit or two, as numbering plans grow and made-up numbers are off.
func findInternational(s *scan) (last int, score float32) {
	n, t := &s.num, s.v.s
	cc, size := readCallingCode(t[n.start[0]:], n)
	if cc == 0 {
		return 0, 0
	}
	if followsTerm(n, t) || isClockReading(t, n.start[0]) {
		return 0, 0
	}
	lo, hi := int(callingCodes[cc].min), int(callingCodes[cc].max)
	if cc != 1 {
		lo, hi = max(min(lo-1, 8), 4), hi+1
	}
	lo, hi = lo+size, min(hi+size, 15)
	total := 0
	for k := 0; k < n.n; k++ {
		d := n.countDigits(k)
		if k > 0 && d == 1 && t[n.start[k]] == '0' && n.sep[k-1] == mixed {
			d = 0 // the trunk zero in "+44 (0)20"
		}
		if total += d; total > hi {
			break
		}
		if total >= lo && n.canEndPhone(t, k) {
			last, score = k, internationalScore
			if total < 7 {
				score = 0.3
			}
		}
		if n.sep[k] == '_' {
			break
		}
	}
	if last == 1 && n.sep[0] == '.' && (n.countDigits(0) != size || n.countDigits(1) < 9 || isCoordinate(n, t, cc)) || isDeclination(n, last) {
		return 0, 0 // a decimal number with its sign, not the "+1.2125550187" of RFC 5733
	}
	return last, score
}

// isCoordinate reports whether a number with its sign and one point, as RFC 5733 writes phone numbers too, has an area that is not in use
// in North America, or follows another decimal number: "113.649471640 +31.888282216".
func isCoordinate(n *numbers, t string, cc int) bool {
	if cc == 1 {
		return n.countDigits(1) == 10 && t[n.start[1]] < '2'
	}
	k := n.start[0] - 2
	if k < 1 || t[k] != ' ' || !isDigitByte(t[k-1]) {
		return false
	}
	for k > 0 && n.start[0]-k < 20 && isDigitByte(t[k-1]) {
		k--
	}
	if k == 0 || t[k-1] != '.' {
		return false
	}
	for k--; k > 0 && n.start[0]-k < 24 && isDigitByte(t[k-1]); {
		k--
	}
	return k == 0 || t[k-1] != '+' // two phone numbers of RFC 5733
}

// isDeclination reports whether a number is degrees, minutes and seconds with a fraction: "+31 57 48.0".
func isDeclination(n *numbers, last int) bool {
	return last == 3 && n.sep[0] == ' ' && n.sep[1] == ' ' && n.sep[2] == '.' &&
		n.countDigits(0) < 3 && n.countDigits(1) == 2 && n.countDigits(2) == 2 && n.countDigits(3) < 3
}

// isClockReading reports whether the number at i is the reading of the monotonic clock in a time that a Go program printed,
// "m=+18.317378921".
func isClockReading(t string, i int) bool {
	if i < 3 || t[i-3:i] != "m=+" {
		return false
	}
	for isDigitByte(findByteAt(t, i)) {
		i++
	}
	return findByteAt(t, i) == '.'
}

// findExtension returns where the extension behind a number that ends at i ends,
// or i without one: "x123", " x 123", " ext. 123".
func findExtension(t string, i int) int {
	j := i
	if j < len(t) && t[j] == ' ' {
		j++
	}
	switch {
	case hasFold(t, j, "extension"):
		j += 9
	case hasFold(t, j, "ext"):
		j += 3
	case hasFold(t, j, "x"):
		j++
	default:
		return i
	}
	if j < len(t) && t[j] == '.' {
		j++
	}
	if j < len(t) && t[j] == ' ' {
		j++
	}
	k := j
	for k < len(t) && k-j <= 6 && isDigitByte(t[k]) {
		k++
	}
	if k == j || k-j > 6 || k < len(t) && isWordByte(t[k]) {
		return i
	}
	return k
}

// hasFold reports whether w, in lower case, is at t[i:] in either case.
func hasFold(t string, i int, w string) bool {
	if len(t)-i < len(w) {
		return false
	}
	for k := range len(w) {
		if c := t[i+k]; c != w[k] && (!isLetterByte(c) || c|0x20 != w[k]) {
			return false
		}
	}
	return true
}
