package pii

import "strings"

// headsComment reports whether t[i:end] starts a comment, before a title in capitals: "# 2.2.4.10 SERVER_INFO". Such a
// number is not an address, whatever words precede it.
func headsComment(t string, i, end int) bool {
	return i > 1 && t[i-1] == ' ' && isOneOf(t[i-2], "#/*") && findByteAt(t, end) == ' ' && isUpper(findByteAt(t, end+1))
}

// numbersSection reports whether the four parts t[i:end] are as likely the number of a section, or a version, as an address.
func numbersSection(n *numbers, t string, i, end int) bool {
	return isOutline(n, t) || isHeading(n, t, i) || isSectionNumber(n, t, i, end)
}

// isOutline reports whether four parts look like the number of a section, a
// version or an object identifier: small, and the first a single digit.
func isOutline(n *numbers, t string) bool {
	return n.countDigits(0) == 1 && t[n.start[0]] != '0' && n.countDigits(1) < 3 && n.countDigits(2) < 3 && n.countDigits(3) < 3
}

// isHeading reports whether four parts of at most two digits come first in a comment or a line, like the section number of a
// manual. Parts that start with 10 are excluded: they are addresses of private networks.
func isHeading(n *numbers, t string, i int) bool {
	if n.countDigits(0) > 2 || n.countDigits(1) > 2 || n.countDigits(2) > 2 || n.countDigits(3) > 2 || t[i:n.end[0]] == "10" {
		return false
	}
	if i > 2 && t[i-2:i] == " [" && isOneOf(t[i-3], "#/*;") && findByteAt(t, n.end[3]) == ']' {
		return true // a section of a standard, as comments name it
	}
	return i > 1 && t[i-1] == ' ' && isOneOf(t[i-2], "#/*;") && n.end[3] < len(t) && (t[n.end[3]] == ':' || t[n.end[3]] == ' ')
}

// sectionPart is the highest number that a part of a section is taken to have.
const sectionPart = 60

// isSectionNumber reports whether the four parts t[i:end] can be the number of a section or an item, and appear as a word of
// prose, in a comment or in a table: "starting from the initial 13.2.5.1", "(11.3.3.2 and 11.3.3.5 of the specification)".
// No part is 0, and all are small, or the first three have one digit. Three in a thousand of all addresses look like this.
// Private addresses (10.x), and those in quotes, behind '=' or before a port are excluded.
func isSectionNumber(n *numbers, t string, i, end int) bool {
	small, single := true, true
	for k := range 4 {
		v := parseNumber([]byte(t[n.start[k]:n.end[k]]))
		if v == 0 {
			return false
		}
		small = small && v <= sectionPart
		single = single && (k == 3 || v < 10)
	}
	if !small && !single || t[i:n.end[0]] == "10" {
		return false
	}
	before, behind := findByteBefore(t, i), findByteAt(t, end)
	if i > 0 && before != 0xA7 && !isOneOf(before, " \t\n([>*#;-") || end < len(t) && !isOneOf(behind, " \t\n\r.,);]<-'") {
		return false
	}
	return !(before == '\n' || i == 0) || !(behind == ' ' && end+1 < len(t) && !isUpper(t[end+1]))
}

// behindSectionSign reports whether the sign of a section precedes i, with or without a space: "§18.3.1.63".
func behindSectionSign(t string, i int) bool {
	if i > 0 && t[i-1] == ' ' {
		i--
	}
	return i > 1 && t[i-2:i] == "§"
}

// behindStandard reports whether the number of a standard, capitals with a '-' in them behind who issued it, precedes i:
// "MS-PSRP 2.2.4.1". Names of machines and of their addresses look the same: "CLIENT-IP 5.9.12.34".
func behindStandard(t string, i int) bool {
	k := i - 1
	if k < 3 || t[k] != ' ' {
		return false
	}
	for k > 0 && i-k < 16 && (isUpper(t[k-1]) || isDigitByte(t[k-1]) || t[k-1] == '-') {
		k--
	}
	issuer, number, dash := strings.Cut(t[k:i-1], "-")
	return dash && isInSet(standardIssuers, strings.ToLower(issuer)) && number != "" && (k == 0 || !isWordByte(t[k-1])) && !endsAsMachine(number)
}

// standardIssuers are those of standards, as they begin their numbers.
var standardIssuers = buildSet("ms", "mc", "iso", "iec", "ecma", "rfc", "ieee", "etsi", "itu", "ansi", "nist", "fips", "din")

// endsAsMachine reports whether a name in capitals ends as that of a machine or an address.
func endsAsMachine(name string) bool {
	for _, w := range [...]string{"IP", "ADDR", "ADDRESS", "HOST", "SERVER", "GATEWAY", "PEER", "NODE", "DNS", "PROXY", "ROUTER", "CLIENT"} {
		if strings.HasSuffix(name, w) {
			return true
		}
	}
	return false
}

// memberMax is how far behind the number of a section the member that it is about is read.
const memberMax = 40

// titlesMember reports whether the four parts t[i:end], none of them 0 and all small, begin a text in quotes that goes on
// with the member of a class, as tests of a standard are named: "15.9.5.43 Date.prototype.toISOString()".
func titlesMember(s *scan, i, end int) bool {
	t := s.v.s
	if i == 0 || !isOneOf(t[i-1], "\"'`") || end-i > len("99.99.99.99") || findByteAt(t, end) != ' ' {
		return false
	}
	s.noteLookAhead(i, end+memberMax)
	k := end + 1
	for k < len(t) && k-end < memberMax && isWordByte(t[k]) {
		k++
	}
	return isUpper(findByteAt(t, end+1)) && k > end+3 && findByteAt(t, k) == '.' && isLetterByte(findByteAt(t, k+1))
}
