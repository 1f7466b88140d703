package guardrail

// minNumbers is how many numbers in a row are read as character codes.
const minNumbers = 12

// appendNumbers reads "105 103 110" and "0x69, 0x67": character codes, decimal, octal, or hexadecimal with 0x, with blanks
// or commas between them. end is the end of the numbers, readable or not.
func appendNumbers(dst []byte, s string, i int) (out []byte, end int) {
	n, from := len(dst), i
	end = i
	for _, base := range [...]rune{10, 8} {
		count := 0
		for i = from; i < len(s) && len(dst) < maxDecoded; count++ {
			b, at := base, i
			if s[at] == '0' && at+1 < len(s) && s[at+1]|0x20 == 'x' {
				b, at = 16, at+2
			}
			to := at
			for to < len(s) && to-at < 3 && base64Class[s[to]] != 0 {
				to++
			}
			if b != 16 && to-at < 2 {
				break
			}
			r := parseNumber(s[at:to], b)
			if r < ' ' && r != '\n' || r > '~' {
				break
			}
			dst, i = append(dst, byte(r)), to
			for i < len(s) && (s[i] == ' ' || s[i] == ',') && i-to < 2 {
				i++
			}
			if i == to {
				count++
				break
			}
		}
		if count >= minNumbers && isReadable(dst[n:]) {
			return dst, i
		}
		dst, end = dst[:n], max(end, i)
	}
	return dst, end
}

// appendBase32 decodes capitals and the digits 2 to 7, five bits each. It appends nothing if there is another character.
func appendBase32(dst []byte, s string) []byte {
	n, bits, have := len(dst), uint32(0), 0
	for i := 0; i < len(s) && i < maxDecoded; i++ {
		v := uint32(0)
		switch c := s[i]; {
		case c-'A' < 26:
			v = uint32(c - 'A')
		case c-'2' < 6:
			v = uint32(c-'2') + 26
		default:
			return dst[:n]
		}
		bits = bits<<5 | v
		if have += 5; have >= 8 {
			have -= 8
			dst = append(dst, byte(bits>>have))
		}
	}
	return dst
}

// dropZeros removes the zero bytes of ASCII text in UTF-16, and leaves anything else unchanged.
func dropZeros(b []byte) []byte {
	if len(b) < 8 || len(b)%2 != 0 {
		return b
	}
	zero := 0
	if b[1] == 0 {
		zero = 1
	}
	for i := zero; i < len(b); i += 2 {
		if b[i] != 0 || b[i^1] == 0 || b[i^1] >= 0x80 {
			return b
		}
	}
	for i := range len(b) / 2 {
		b[i] = b[2*i+1-zero]
	}
	return b[:len(b)/2]
}
