package pii

// followsAccount reports whether the number of an account, as a key of Asana has, precedes the ':' at i: "1/1204882365411273:".
func followsAccount(t string, i int) bool { return findAccountStart(t, i) < i }

// findAccountStart returns where the version before the number of an account begins that ends at i, or i.
func findAccountStart(t string, i int) int {
	j := i
	for range 2 {
		k := j
		for k > 0 && j-k <= 19 && isDigitByte(t[k-1]) {
			k--
		}
		if j-k < 12 || j-k > 19 || k < 2 || t[k-1] != '/' {
			return i
		}
		if isDigitByte(t[k-2]) && (k == 2 || !isWordByte(t[k-3]) && t[k-3] != '/' && t[k-3] != '.') {
			return k - 2
		}
		j = k - 1
	}
	return i
}

// findAsanaKey recognises a key of Asana at the ':' before its 32 hexadecimal digits.
func findAsanaKey(s *scan, i int) (int, int, float32) {
	from := findAccountStart(s.v.s, i)
	if from == i {
		return 0, 0, 0
	}
	return findHexBody(s, from, i+1)
}

// findOldAsanaKey recognises the older form, "0/" and the digits, at its first digit.
func findOldAsanaKey(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if !isOneOf(t[i], "01") || i > 0 && (isWordByte(t[i-1]) || isOneOf(t[i-1], "/.-")) || i+1 >= len(t) || t[i+1] != '/' {
		return 0, 0, 0
	}
	return findHexBody(s, i, i+2)
}

// findHexBody judges a key from start on whose body is 32 hexadecimal digits in small letters at i.
func findHexBody(s *scan, start, i int) (from, to int, score float32) {
	t, j := s.v.s, i
	for j < len(t) && j-i <= 32 && class[t[j]]&isHex != 0 && !isUpper(t[j]) {
		j++
	}
	s.noteLookAhead(start, j+2)
	if j-i != 32 || j < len(t) && (isWordByte(t[j]) || t[j] == '/') || computeEntropy(t[i:j]) < 2.8 {
		return 0, 0, 0
	}
	return start, j, 0.9
}
