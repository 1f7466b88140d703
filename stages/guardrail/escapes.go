package guardrail

import "unicode/utf8"

func nibble(c byte) (byte, bool) {
	switch {
	case c-'0' < 10:
		return c - '0', true
	case c|0x20-'a' < 6:
		return (c | 0x20) - 'a' + 10, true
	}
	return 0, false
}

func hexRun(s string) bool {
	for i := range len(s) {
		if _, ok := nibble(s[i]); !ok {
			return false
		}
	}
	return len(s)%2 == 0
}

func appendHex(dst []byte, s string) []byte {
	for i := 0; i+1 < len(s) && i < 2*maxDecoded; i += 2 {
		a, _ := nibble(s[i])
		b, _ := nibble(s[i+1])
		dst = append(dst, a<<4|b)
	}
	return dst
}

// appendHexPairs reads "69 67 6e" and "69:67:6e": at least eight pairs.
func appendHexPairs(dst []byte, s string, i int) ([]byte, int) {
	n := len(dst)
	for i+1 < len(s) {
		a, ok := nibble(s[i])
		b, ok2 := nibble(s[i+1])
		if !ok || !ok2 {
			break
		}
		dst = append(dst, a<<4|b)
		i += 2
		if i+2 < len(s) && (s[i] == ' ' || s[i] == ':' || s[i] == ',') {
			if _, ok := nibble(s[i+1]); ok {
				i++
			}
		}
	}
	if len(dst)-n < 8 || !readable(dst[n:]) {
		return dst[:n], i
	}
	return dst, i
}

// octet reports eight binary digits.
func octet(s string) bool {
	for i := range len(s) {
		if s[i]&^1 != '0' {
			return false
		}
	}
	return len(s) == 8
}

// appendOctets reads "01101001 01100111": at least eight octets with a sign between
// them.
func appendOctets(dst []byte, s string, i int) ([]byte, int) {
	n := len(dst)
	for i+8 <= len(s) && octet(s[i:i+8]) && len(dst) < maxDecoded {
		c := byte(0)
		for _, bit := range []byte(s[i : i+8]) {
			c = c<<1 | bit&1
		}
		dst = append(dst, c)
		if i += 8; i < len(s) && (s[i] == ' ' || s[i] == ',' || s[i] == '\n') {
			i++
		}
	}
	if len(dst)-n < 8 || !readable(dst[n:]) {
		return dst[:n], i
	}
	return dst, i
}

// appendEscaped reads a run of %41, &#65;, &#x41;, \u0041 or \x41, with plain
// characters between them.
func appendEscaped(dst []byte, s string, i int) ([]byte, int, int) {
	kind, escapes := plain, 0
	for i < len(s) && len(dst) < maxDecoded {
		c := s[i]
		r, size := rune(0), 0
		switch {
		case c == '%' && i+2 < len(s):
			r, size = number(s[i+1:i+3], 16), 3
			kind = encodedPercent
		case c == '&' && i+5 < len(s) && s[i+1:i+6] == "amp;#":
			r, size = '&', 5
			kind = encodedEntity
		case c == '#' && escapes > 0 && kind == encodedEntity && dst[len(dst)-1] == '&':
			to := i + 1 // the rest of an entity whose sign was an entity: decoded in the next round
			for to < len(s) && to < i+9 && s[to] != ';' {
				to++
			}
			if to < len(s) && s[to] == ';' {
				dst = append(dst, s[i:to]...)
				r, size = ';', to+1-i
			}
		case c == '&' && i+3 < len(s) && s[i+1] == '#':
			base, from := rune(10), i+2
			if s[from]|0x20 == 'x' {
				base, from = 16, from+1
			}
			to := from
			for to < len(s) && to < from+7 && s[to] != ';' {
				to++
			}
			if to < len(s) && s[to] == ';' {
				r, size = number(s[from:to], base), to+1-i
			}
			kind = encodedEntity
		case c == '\\' && i+5 < len(s) && s[i+1] == 'u':
			r, size = number(s[i+2:i+6], 16), 6
			kind = encodedEscape
		case c == '\\' && i+3 < len(s) && s[i+1] == 'x':
			r, size = number(s[i+2:i+4], 16), 4
			kind = encodedEscape
		case escapes > 0 && kind == encodedPercent && (kinds[lowered[c]] == kindWord && c < 0x80 || c == '+'):
			r, size = rune(c), 1
			if c == '+' {
				r = ' '
			}
			escapes--
		}
		if size == 0 || r < ' ' && r != '\n' || r > utf8.MaxRune {
			break
		}
		escapes++
		dst = utf8.AppendRune(dst, r)
		i += size
	}
	return dst, i, kind
}

// number reads digits, -1 when they are none.
func number(s string, base rune) rune {
	n := rune(0)
	for i := range len(s) {
		d, ok := nibble(s[i])
		if !ok || rune(d) >= base {
			return -1
		}
		n = n*base + rune(d)
	}
	if len(s) == 0 {
		return -1
	}
	return n
}
