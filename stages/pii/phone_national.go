package pii

import (
	"bytes"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// findNational judges the groups of n from the first, at from.
func findNational(s *scan, from int) (last int, score float32) {
	n, t := &s.num, s.v.s
	if k, ok, inUse := findNorthAmerican(n, t, from); ok && n.canEndPhone(t, k) {
		return k, scoreNorthAmerican(n, k, inUse)
	}
	if g := t[n.start[0]:n.end[0]]; g[0] == '0' && len(g) > 1 && (g[1] == '0' || g[1] == '1') && !isInDump(t, from, g) && !s.isInBytes(from) &&
		!followsFlag(t, from) {
		if k, score := findExitCode(n, t); score > 0 {
			return k, score
		}
	}
	if n.prev != 0 || n.n == 2 && n.sep[0] == '.' && t[n.start[0]:n.end[0]] == "0" {
		return 0, 0 // a decimal number
	}
	last, total := findNationalEnd(t, n)
	if last < 0 || isOtherNumber(s, last) || s.isInTable(from) {
		return 0, 0
	}
	if s.isInRegion(t[from:n.end[last]], total) {
		return last, 0.7
	}
	if total < 7 && s.e.region == "" {
		return 0, 0
	}
	if last > 0 && !isBarePair(t, n, last) {
		return last, 0.35
	}
	return last, chooseScore(last > 0 || !isRoundNumber(t[n.start[0]:n.end[0]]), 0.2, 0)
}

// isBarePair reports whether two groups are as likely two numbers, or the ends of a range, as a phone number. Then a hint is
// not enough: "text_0x1000 t 1000 100", "messages from 30000-32767".
func isBarePair(t string, n *numbers, last int) bool {
	if last != 1 || t[n.start[0]] == '0' {
		return false
	}
	a, b := n.countDigits(0), n.countDigits(1)
	return a == 4 && b == 3 || n.sep[0] == '-' && a == b && a >= 4 && t[n.start[0]:n.end[0]] < t[n.start[1]:n.end[1]]
}

// isRoundNumber reports whether g is a round number: nine digits or less with five zeros at the end, as sizes and limits have.
func isRoundNumber(g string) bool {
	return len(g) <= 9 && strings.HasSuffix(g, "00000") && g[0] != '0'
}

// scoreNorthAmerican returns the score of a number in the North American format. Three numbers of a list look the same if spaces
// separate them.
func scoreNorthAmerican(n *numbers, last int, inUse bool) float32 {
	switch {
	case !inUse:
		return 0.3
	case n.sep[last-1] == ' ' && n.sep[last-2] == ' ':
		return chooseScore(last > 2 && n.sep[0] == '.', 0.1, 0.7) // "1.648 777 2536" is a constant of physics, in groups
	}
	return 0.75
}

// findNationalEnd returns the last group of a national number and how many digits it has so far; last is -1 if no group ends
// it. A number ends before a date, and before a parenthesis that does not close after one group: "030 901820 (9 am)". A
// parenthesis around the whole number can close anywhere.
func findNationalEnd(t string, n *numbers) (last, digits int) {
	last = -1
	total, open := 0, 0
	for k := 0; k < n.n && (n.sep[k] == ' ' || !isDate(t, n, k)); k++ {
		if total += n.countDigits(k); total > 15 || k > 0 && n.sep[k-1] == '_' {
			break
		}
		if k > 0 && n.sep[k-1] == mixed {
			open = countOpenParens(open, t[n.end[k-1]:n.start[k]])
		}
		closed := open == 0 || open == 1 && last < 0 && findByteAt(t, n.end[k]) == ')'
		if total >= 6 && closed && n.canEndPhone(t, k) {
			last, digits = k, total
		}
	}
	return last, digits
}

// countOpenParens returns how many parentheses are open behind between, if open ones are before it.
func countOpenParens(open int, between string) int {
	for i := range len(between) {
		switch between[i] {
		case '(':
			open++
		case ')':
			open = max(0, open-1) // the first one precedes the number
		}
	}
	return open
}

// isInDump reports whether the group g at i is a byte in a row of bytes in hexadecimal.
func isInDump(t string, i int, g string) bool {
	return len(g) == 2 && i > 2 && t[i-1] == ' ' && class[t[i-2]]&class[t[i-3]]&isHex != 0 && (i == 3 || !isAlnum(t[i-4]))
}

// followsFlag reports whether a number and a single 0 or 1 precede i, as before the end of an arc in the path of a picture:
// "A448 448 0 00448 448".
func followsFlag(t string, i int) bool {
	return i > 3 && t[i-1] == ' ' && isOneOf(t[i-2], "01") && t[i-3] == ' ' && isDigitByte(t[i-4])
}

// isInRegion looks digits up in the metadata of libphonenumber. That takes some 15 microseconds and allocates, so it comes
// last: only if the length allows it and no telling word decides.
func (s *scan) isInRegion(number string, digits int) bool {
	if s.e.region == "" || digits < s.e.national.min || digits > s.e.national.max || s.judgeContext(s.num.start[0], s.e.phone) != saysNothing {
		return false
	}
	p, err := phonenumbers.Parse(number, s.e.region)
	return err == nil && phonenumbers.IsValidNumberForRegion(p, s.e.region)
}

// findNorthAmerican recognises 3-3-4 with dashes, dots, a parenthesis or spaces; a 1
// may precede it. inUse says that the area and the exchange are valid in the
// North American Numbering Plan: neither starts with 0 or 1.
func findNorthAmerican(n *numbers, t string, from int) (last int, ok, inUse bool) {
	g := 0
	if n.n >= 4 && n.countDigits(0) == 1 && t[n.start[0]] == '1' {
		g = 1
	}
	if n.n < g+3 || n.countDigits(g) != 3 || n.countDigits(g+1) != 3 || n.countDigits(g+2) != 4 {
		return 0, false, false
	}
	inUse = t[n.start[g]] >= '2' && t[n.start[g+1]] >= '2'
	if a := t[n.start[g]:n.end[g]]; a == "123" && t[n.start[g+1]:n.end[g+1]] == "456" {
		inUse = true // the usual number in examples
	}
	a, b := n.sep[g], n.sep[g+1]
	switch {
	case a == mixed && (t[from] == '(' || g == 1):
		return g + 2, b == '-' || b == ' ' || b == '.', inUse
	case t[from] == '(':
		return 0, false, false
	case a == '-' && b == '-', a == '.' && b == '.':
		return g + 2, n.prev == 0 || n.prev == ' ', inUse
	case a == ' ' && (b == ' ' || b == '-'):
		return g + 2, inUse && n.prev == 0 && n.sep[g+2] != ' ', inUse // not in a row of numbers
	}
	return 0, false, false
}

// isOtherNumber reports whether groups have the form of a date, a range of years, a ZIP+4 code, a decimal number or an IPv4 address.
func isOtherNumber(s *scan, last int) bool {
	t, n := s.v.s, &s.num
	switch last {
	case 0:
		return isCompactDate(t[n.start[0]:n.end[0]]) || isUnixTime(t, n.start[0], n.end[0])
	case 1:
		return isOtherPair(s, n)
	}
	if n.hasDecimals(last) || isAnyVersion(t, n, last) || (last == 3 || last == 4 && n.sep[3] == '/') && isQuad(n) {
		return true
	}
	if n.sep[0] == '/' && t[n.start[0]] != '0' {
		return true
	}
	if n.sep[0] != n.sep[1] || n.sep[0] == ' ' || n.sep[0] == mixed {
		return false
	}
	yearFirst := n.countDigits(0) == 4 && n.countDigits(1) <= 2 && n.countDigits(2) <= 2
	return yearFirst || n.countDigits(0) <= 2 && n.countDigits(1) <= 2 && (n.countDigits(2) == 4 || n.countDigits(2) == 2 && last == 2)
}

// isOtherPair reports whether two groups are a decimal number, a path, a ZIP+4 code, years, or what programs print in pairs.
func isOtherPair(s *scan, n *numbers) bool {
	t := s.v.s
	if n.sep[0] == '.' || n.sep[0] == '/' && t[n.start[0]] != '0' || areModes(t, n) || numbersEntry(s, n) {
		return true
	}
	return n.sep[0] == '-' && n.countDigits(0) == 5 && n.countDigits(1) == 4 || numbersBill(t, n) ||
		isYear(t, n, 0) && isYear(t, n, 1) && (n.sep[0] == '-' || areNearYears(t, n))
}

// isAnyVersion reports whether the groups up to last are the version of a program or of a package.
func isAnyVersion(t string, n *numbers, last int) bool {
	return isShortVersion(n) || isLongVersion(n, last) || isRevision(t, n) || n.sep[0] == '.' && isProductVersion(t, n.start[0])
}

// isUnixTime reports whether ten digits are seconds since 1970, up to 2033, in the member of an object: `"date_start": 1769457524`.
// In code that was made small, the member has one letter: "{A:1287100800".
func isUnixTime(t string, from, to int) bool {
	if to-from == 10 && t[from] == '1' && from > 2 && t[from-1] == ':' && isLetterByte(t[from-2]) && isOneOf(t[from-3], "{,") {
		return true
	}
	return to-from == 10 && t[from] == '1' && from > 3 && t[from-1] == ' ' && t[from-2] == ':' && isOneOf(t[from-3], "\"'")
}

// isShortVersion reports whether the first three groups have points between them, and the first two are single digits.
func isShortVersion(n *numbers) bool {
	return n.sep[0] == '.' && n.sep[1] == '.' && n.countDigits(0) == 1 && n.countDigits(1) == 1
}

// isLongVersion reports whether the groups up to last are four numbers or more with points between them, and one inside is a single digit:
// "309.0.0.40.113".
func isLongVersion(n *numbers, last int) bool {
	zero := false
	for k := range last {
		if n.sep[k] != '.' {
			return false
		}
		zero = zero || k > 0 && n.countDigits(k) == 1
	}
	return last > 2 && zero
}

// isQuad reports whether the first four groups have at most three digits each and points between them, as IPv4 addresses do.
func isQuad(n *numbers) bool {
	for k := range 4 {
		if n.countDigits(k) > 3 || k < 3 && n.sep[k] != '.' {
			return false
		}
	}
	return true
}

// areNearYears reports whether the first two groups are years of one decade: "December 31, 2013 2012".
func areNearYears(t string, n *numbers) bool {
	return t[n.start[0]:n.end[0]-1] == t[n.start[1]:n.end[1]-1]
}

// isYear reports whether group k is a year of the last or this century.
func isYear(t string, n *numbers, k int) bool {
	g := t[n.start[k]:n.end[k]]
	return len(g) == 4 && (g[:2] == "19" || g[:2] == "20")
}

// findExitCode recognises a country code behind "00" or "011", which replace its '+' when dialling. Without separators it
// may also be a zero-padded number, so it needs a telling word.
func findExitCode(n *numbers, t string) (last int, score float32) {
	var d [20]byte
	total := 0
	for k := 0; k < n.n; k++ {
		if total+n.countDigits(k) > 18 || k > 0 && n.sep[k-1] == '_' {
			break
		}
		total += copy(d[total:], t[n.start[k]:n.end[k]])
		if k > 0 && n.countDigits(k) == 1 && n.sep[k-1] == mixed && d[total-1] == '0' {
			total-- // the trunk zero in "0044 (0)20"
		}
		skip := 2
		if total > 3 && d[0] == '0' && d[1] == '1' && d[2] == '1' {
			skip = 3
		} else if total < 3 || d[0] != '0' || d[1] != '0' {
			continue
		}
		cc, size := 0, 0
		for size < 3 && skip+size < total && (cc == 0 || callingCodes[cc].max == 0) {
			cc = cc*10 + int(d[skip+size]-'0')
			size++
		}
		c := callingCodes[cc]
		if rest := total - skip - size; c.max == 0 || d[skip] == '0' || rest < max(int(c.min), 6) || rest > int(c.max) || !n.canEndPhone(t, k) ||
			k == 1 && n.sep[0] == '.' && n.countDigits(0) != skip+size { // a zero-padded decimal number
			continue
		}
		last, score = k, chooseScore(n.isDialled(k) && !n.hasDecimals(k), 0.6, 0.3)
		if rest := d[skip+size : total]; len(rest)-bytes.Count(rest, []byte{'0'}) < 3 {
			score = 0 // a row of zeros
		}
	}
	return last, score
}

// isDialled reports whether the groups up to last are more likely a number behind an exit code than a zero-padded number,
// character codes or a path: "0044 20 7946", not "0069 0307", "00479/00607".
func (n *numbers) isDialled(last int) bool { return last > 0 && !n.hasFours(last) && n.sep[0] != '/' }

// hasDecimals reports whether two of the groups up to last are the fractions of decimal numbers, as in the path of a picture:
// "0014.07-7.96 345.6". A phone number has points between all groups or between none.
func (n *numbers) hasDecimals(last int) bool {
	fractions := 0
	for k := range min(last+1, n.n-1) {
		if n.sep[k] == '.' && (k == 0 || n.sep[k-1] != '.') && n.sep[k+1] != '.' {
			fractions++
		}
	}
	return fractions > 1
}

// hasFours reports whether the groups up to last have four digits each, like hexadecimal character codes: "0069 0307".
func (n *numbers) hasFours(last int) bool {
	for k := range last + 1 {
		if n.countDigits(k) != 4 {
			return false
		}
	}
	return true
}
