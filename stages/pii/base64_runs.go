package pii

import "strings"

// codedBack is how much text before a candidate is inspected for coded data.
const codedBack = 80

// isCoded reports whether the text at i is in the data of a data URL (RFC 2397), or 80 bytes or more into a run of base64:
// numbers seem to occur there by chance, and changing them would break a picture.
func (s *scan) isCoded(i int) bool {
	t, low := s.v.s, s.v.stepBack(i, codedBack)
	j, up, lower, digits := i, false, false, false
	for j > low {
		c := t[j-1]
		if !isAlnum(c) && c != '+' && c != '/' {
			break
		}
		j--
		up = up || isUpper(c)
		digits = digits || isDigitByte(c)
		lower = lower || isLetterByte(c) && !isUpper(c)
	}
	if j == low && low > 0 {
		return up && lower && digits
	}
	return j >= 7 && t[j-1] == ',' && strings.HasSuffix(t[:j], "base64,")
}
