package pii

import "strings"

// isInTable reports whether the groups are a row of bytes or another number in a table, rather than a phone number.
func (s *scan) isInTable(from int) bool {
	n, t := &s.num, s.v.s
	short := 0
	for k := range n.n {
		if n.countDigits(k) <= 3 && (k > 0 || t[n.start[0]] != '0') {
			short++
		}
		if k > 0 && n.countDigits(k-1) == 1 && n.countDigits(k) > 5 && t[n.start[k]:n.start[k]+3] == "000" {
			return true
		}
	}
	end := n.end[n.n-1]
	switch {
	case s.isInBytes(from), beginsRow(t, n, from), n.n == 1 && setsConstant(s, from):
		return true
	case n.n == 2 && n.sep[0] == ' ' && findByteBefore(t, from) == '\n' && n.sep[1] == 0:
		s.noteLookAhead(from, end+3)
		return strings.HasPrefix(t[end:], " /") || strings.HasPrefix(t[end:], " ./") // a checksum and a size, as cksum prints them
	case short == n.n && n.n > 5 && n.hasSpaces(4):
		return n.countDigits(0) == 3
	case n.n == 1 && end < len(t):
		s.noteLookAhead(from, end+len(" bytes"))
		return isCount(t, from, end) || numbersInode(s, from, end) || abbreviatesHash(s, from, end)
	case n.n == 2 && n.sep[0] == '-' && n.countDigits(0) == 4 && n.countDigits(1) == 4:
		a, b := t[n.start[0]:n.end[0]], t[n.start[1]:n.end[1]]
		return a[0] == b[0] && a < b && a[2:] == "00" && b[2:] == "99" // a range
	}
	return false
}

// isCount reports whether the number t[from:end] counts bytes or milliseconds, or is an address of assembly or the key of a map.
func isCount(t string, from, end int) bool {
	if strings.HasPrefix(t[end:], "..") && end+2 < len(t) && isAlnum(t[end+2]) {
		return true // the first of two objects of git: "index 06346175..5053b2cf"
	}
	return isMapKey(t, from, end) || end-from == 8 && from > 0 && t[from-1] == '\n' && strings.HasPrefix(t[end:], "|\t") ||
		hasFold(t, end, " bytes") || hasFold(t, end, " ms")
}

// isMapKey reports whether the number t[from:end] is the key of an entry of a map whose value is a string.
func isMapKey(t string, from, end int) bool {
	return from > 1 && isOneOf(t[from-1], " \n{") && isOneOf(t[from-2], " \n{,") && t[end] == ':' && end+2 < len(t) && isOneOf(t[end+2], "'\"")
}

// isDate reports whether three groups from k on are a date, with the year first if it has four digits, or the number of a
// standard with its year.
func isDate(t string, n *numbers, k int) bool {
	if k+2 >= n.n {
		return false
	}
	a, b := n.sep[k], n.sep[k+1]
	if a == '.' && b == '-' {
		return n.countDigits(k) == 4 && n.countDigits(k+1) == 1 && isYear(t, n, k+2) // IEEE 1003.1-2017
	}
	if a != b || a != '-' && a != '/' || n.countDigits(k+1) != 2 || n.countDigits(k+2) != 2 {
		return false
	}
	g, h := t[n.start[k]:n.end[k]], t[n.start[k+1]:n.end[k+1]]
	if isYear(t, n, k) {
		return true
	}
	return a == '/' && k > 0 && len(g) == 2 && (min(g, h) <= "12" && max(g, h) <= "31" || h <= "12" && t[n.start[k+2]:n.end[k+2]] <= "31")
}

// dumpReach is how many bytes behind the last group isInBytes reads.
const dumpReach = 9

// isInBytes reports whether the groups of n, at from, are hexadecimal bytes without letters, or zero-padded columns: "00 68
// 00 00 00 13 65 63 |", "00000000 000034 000000". Phone numbers in pairs have few zeros.
func (s *scan) isInBytes(from int) bool {
	n, t := &s.num, s.v.s
	if g := t[n.start[0]:n.end[0]]; len(g) > 5 && strings.Trim(g, "0") == "" {
		return true
	}
	if n.n < 4 {
		return false
	}
	zeros, fours := 0, 0
	for k := range n.n {
		d := n.countDigits(k)
		if d != 2 && d != 4 || k+1 < n.n && n.sep[k] != ' ' {
			return false
		}
		if d == 4 {
			fours++
		}
		if t[n.start[k]:n.end[k]] == "00" {
			zeros++
		}
	}
	end := n.end[n.n-1]
	s.noteLookAhead(from, end+dumpReach)
	return fours == 0 && (zeros > 2 || n.n > 5 && zeros > 1 || strings.HasPrefix(t[end:], "  |")) || precedesDump(t, end)
}

// precedesDump reports whether two bytes in hexadecimal follow the group that ends at end, one of them with a digit and a
// letter. One alone may be a word or a number: "06 12 34 56 78 ab 9 Uhr".
func precedesDump(t string, end int) bool {
	odd := false
	for range 2 {
		j := end
		for j < len(t) && j-end < 2 && t[j] == ' ' {
			j++
		}
		if j == end || j+2 > len(t) || class[t[j]]&class[t[j+1]]&isHex == 0 || j+2 < len(t) && isWordByte(t[j+2]) {
			return false
		}
		odd = odd || isLetterByte(t[j]) != isLetterByte(t[j+1])
		end = j + 2
	}
	return odd
}
