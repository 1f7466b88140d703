package pii

import "strings"

// A keyMark is a mark inside or at the end of a key, which its issuer added for scanners, as Microsoft and New Relic do.
type keyMark struct {
	mark          string
	at            int // the byte of the mark at which the scanner stops
	before, least int // maximum and minimum of base64 characters before the mark
	behind        int // maximum behind it; the minimum is four fewer, and padding
}

var keyMarks = []keyMark{
	{"JQQJ99", 2, 52, 52, 32},
	{"AZDO", 0, 76, 76, 4},
	{"ACDb", 0, 76, 76, 8},
	{"AzFu", 0, 52, 40, 8},
	{"AzSe", 0, 44, 42, 8},
	{"AzCa", 0, 44, 33, 8},
	{"+ACR", 1, 44, 42, 8},
	{"+ASt", 1, 78, 76, 8},
	{"+ABa", 1, 78, 76, 8},
	{"+AEh", 1, 44, 33, 8},
	{"+ASb", 1, 44, 33, 8},
	{"+ARm", 1, 44, 33, 8},
	{"FFFFNRAL", 4, 36, 30, 0},
}

// isBase64Digit reports whether b is a digit of base64, of either alphabet.
func isBase64Digit(b byte) bool { return isAlnum(b) || isOneOf(b, "+/-_") }

// findMarkedKey recognises a key by the mark around i.
func findMarkedKey(s *scan, i int) (int, int, float32) {
	t := s.v.s
	for k := range keyMarks {
		m := &keyMarks[k]
		start := i - m.at
		whole := start >= m.least && strings.HasPrefix(t[start:], m.mark)
		if !whole && (start < m.least || len(t)-start >= len(m.mark) || !strings.HasPrefix(m.mark, t[start:])) {
			continue
		}
		from := start
		for from > 0 && start-from <= m.before && isBase64Digit(t[from-1]) {
			from--
		}
		if start-from < m.least || start-from > m.before {
			continue
		}
		if !whole {
			s.noteLookAhead(from, len(t)+1)
			continue
		}
		j := start + len(m.mark)
		end := j
		for end < len(t) && end-j <= m.behind && isBase64Digit(t[end]) {
			end++
		}
		n := end - j
		for range 2 {
			if end < len(t) && t[end] == '=' {
				end++
			}
		}
		s.noteLookAhead(from, end+2)
		if n > m.behind || n < m.behind-8 || end < len(t) && isWordByte(t[end]) || computeEntropy(t[from:start]) < 3 {
			continue
		}
		return from, end, 0.9
	}
	return 0, 0, 0
}

// followsHex reports whether 32 hexadecimal digits, and no more, precede the '-' at i.
func followsHex(t string, i int) bool {
	if i < 32 || i > 32 && isWordByte(t[i-33]) || class[t[i-9]]&class[t[i-20]]&isHex == 0 {
		return false
	}
	for _, c := range []byte(t[i-32 : i]) {
		if class[c]&isHex == 0 {
			return false
		}
	}
	return true
}

// findHexKey recognises the keys of Mailchimp, 32 hexadecimal digits and "-us12", and of Mailgun, with two groups of eight more, at
// the first '-'.
func findHexKey(s *scan, i int) (int, int, float32) {
	t := s.v.s
	j := i + 1
	for j < len(t) && j-i <= 18 && keySet[t[j]]>>uuids&1 != 0 {
		j++
	}
	if strings.HasPrefix(t[i:], "-us") {
		for j = i + 3; j < len(t) && j-i <= 5 && isDigitByte(t[j]); {
			j++
		}
	}
	s.noteLookAhead(i-32, max(j+1, i+6))
	rest := t[i:j]
	switch {
	case j < len(t) && isWordByte(t[j]) || computeEntropy(t[i-32:i]) < 2.8:
		return 0, 0, 0
	case len(rest) == 18 && rest[9] == '-' && strings.Count(rest, "-") == 2,
		strings.HasPrefix(rest, "-us") && len(rest) >= 4 && len(rest) <= 5:
		return i - 32, j, 0.9
	}
	return 0, 0, 0
}
