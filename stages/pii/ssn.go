package pii

var ssnWords = []string{"ssn", "ssns", "socialsecurity", "social", "ss", "soc", "ssno", "itin", "taxpayer"}

// findSSN recognises a United States social security number: area, group and
// serial number of 3, 2 and 4 digits. With the separators left out it needs a
// telling word.
func findSSN(s *scan, i int) (int, int, float32) {
	n, t := &s.num, s.v.s
	if n.prev != 0 && n.prev != ' ' || i > 0 && (isWordByte(t[i-1]) && !isGlued(t, i) || t[i-1] == '.' || t[i-1] == '+') {
		return 0, 0, 0
	}
	if n.countDigits(0) == 9 {
		if isPowerOfTwo(t[i:n.end[0]]) || n.sep[0] != 0 && n.sep[0] != ' ' || !canEndSSN(t, n.end[0]) ||
			!passesSSNRules(t[i:i+3], t[i+3:i+5], t[i+5:i+9]) {
			return 0, 0, 0
		}
		return i, i + 9, 0.2
	}
	sep, ok := n.matchLengths(3, 2, 4)
	if !ok || n.sep[2] == sep || n.sep[2] == '-' || n.sep[2] == '.' || !canEndSSN(t, n.end[2]) {
		return 0, 0, 0
	}
	if !passesSSNRules(t[i:i+3], t[n.start[1]:n.end[1]], t[n.start[2]:n.end[2]]) {
		return 0, 0, 0
	}
	switch sep {
	case '-':
		return i, n.end[2], 0.85
	case '.':
		if i > 0 && (isOneOf(t[i-1], "<>~^") || t[i-1] == '=' && isOneOf(findByteBefore(t, i-1), "<>=~^!")) {
			return 0, 0, 0 // a range of versions
		}
		return i, n.end[2], 0.6
	case ' ':
		if n.prev == 0 { // else a row of numbers
			return i, n.end[2], 0.6
		}
	}
	return 0, 0, 0
}

// isPowerOfTwo reports whether nine digits are one of the sizes that programs have: 134217728, 268435456, 536870912.
func isPowerOfTwo(digits string) bool {
	return digits == "134217728" || digits == "268435456" || digits == "536870912"
}

func canEndSSN(t string, j int) bool { return j == len(t) || !isWordByte(t[j]) }

// passesSSNRules holds what the Social Security Administration says of valid
// numbers (POMS RM 10201.035, and randomization since 2011): the area is not
// 000, 666 or 900 and above, the group not 00, the serial not 0000. The two
// numbers it declared void after they appeared in advertising are left out.
func passesSSNRules(area, group, serial string) bool {
	if area == "000" || area == "666" || area[0] == '9' || group == "00" || serial == "0000" {
		return false
	}
	return !(area == "078" && group == "05" && serial == "1120") && !(area == "219" && group == "09" && serial == "9999")
}
