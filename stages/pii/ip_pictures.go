package pii

import "strings"

// isInPathOfPicture reports whether the four parts t[i:end] are decimal numbers in the path of a picture (SVG 2, 9.3), which are
// written without what the eye needs between them: "1.155.165.33-.248", "5.674-4.132.214.214".
func isInPathOfPicture(t string, i, end int) bool {
	if findByteAt(t, end) == '-' && findByteAt(t, end+1) == '.' && isDigitByte(findByteAt(t, end+2)) {
		return true
	}
	if i > 3 && t[i-1] == ' ' && isDigitByte(t[i-2]) && findByteAt(t, end) == ' ' && isDigitByte(findByteAt(t, end+1)) {
		return endsInDecimal(t[max(0, i-12):i-1]) && strings.IndexByte(t[end:min(len(t), end+5)], '.') > 0
	}
	if i < 4 || t[i-1] != '-' {
		return false
	}
	k, points := i-1, 0
	for k > 0 && i-k < 12 && (isDigitByte(t[k-1]) || t[k-1] == '.') {
		k--
		if t[k] == '.' {
			points++
		}
	}
	return points == 1 && k < i-3 && isDigitByte(t[i-2])
}

// endsInDecimal reports whether v ends in a point and digits that no other point precedes in their word: "1.874.118".
func endsInDecimal(v string) bool {
	whole := strings.TrimRight(v, digits09)
	return whole != v && strings.HasSuffix(whole, ".")
}
