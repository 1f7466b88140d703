package pii

// scoreITFiscal: sixteen places with a check letter, in which letters may stand for
// digits (omocodia), or the eleven digits of a legal person (D.M. 23/12/1976).
func scoreITFiscal(v *value) float32 {
	c := v.c
	if len(c) == 11 {
		return scoreOrZero(passesLuhnChars(c) && parseNumber(c) > 0, 0.2)
	}
	var d [16]byte
	copy(d[:], c)
	for _, i := range [...]int{6, 7, 9, 10, 12, 13, 14} {
		if !isDigitByte(d[i]) {
			k := -1
			for j := range 10 {
				if "LMNPQRSTUV"[j] == d[i] {
					k = j
				}
			}
			if k < 0 {
				return 0
			}
			d[i] = byte('0' + k)
		}
	}
	m := -1
	for j := range 12 {
		if "ABCDEHLMPRST"[j] == d[8] {
			m = j + 1
		}
	}
	dd := parseNumber(d[9:11])
	if dd > 40 {
		dd -= 40
	}
	if m < 0 || !isCalendarDate(parseNumber(d[6:8]), m, dd) || !isItalianName(c[:3]) || !isItalianName(c[3:6]) {
		return 0
	}
	sum := 0
	for i := range 15 {
		k := int(c[i] - '0')
		if !isDigitByte(c[i]) {
			k = int(c[i] - 'A')
		}
		if i%2 == 0 {
			k = [...]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}[k]
		}
		sum += k
	}
	if c[15] == byte('A'+sum%26) {
		return 1
	}
	return 0.3
}

// isItalianName reports whether three letters can abbreviate a name: consonants, then
// vowels, then X.
func isItalianName(c []byte) bool {
	stage := 0
	for i, l := range c {
		k := 0
		switch {
		case isOneOf(l, "AEIOU"):
			k = 1
		case l == 'X' && (stage > 0 || i == 2):
			k = 2
		}
		if k < stage {
			return false
		}
		stage = k
	}
	return true
}
