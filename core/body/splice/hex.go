package splice

// hexValues holds the value of each hexadecimal digit, and -1 for other bytes.
var hexValues = func() (values [256]rune) {
	for i := range values {
		values[i] = -1
	}
	for i, c := range "0123456789abcdef" {
		values[c] = rune(i)
	}
	for i, c := range "ABCDEF" {
		values[c] = rune(10 + i)
	}
	return values
}()

// decodeHexAt returns the value of the four hexadecimal digits at i, negative where b has no
// four digits: the bits of a single -1 make the whole negative.
func decodeHexAt(b []byte, i int) rune {
	if i+4 > len(b) {
		return -1
	}
	d := b[i : i+4 : i+4]
	return hexValues[d[0]]<<12 | hexValues[d[1]]<<8 | hexValues[d[2]]<<4 | hexValues[d[3]]
}

// decodeHexDigit returns the value of a hexadecimal digit, or -1.
func decodeHexDigit(c rune) rune {
	if c < 0 || c > 0x7f {
		return -1
	}
	return hexValues[c]
}

// joinSurrogates returns the character of a surrogate pair.
func joinSurrogates(high, low rune) rune { return (high-0xd800)<<10 + low - 0xdc00 + 0x10000 }
