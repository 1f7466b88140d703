package guardrail

import (
	"encoding/base64"
	"unicode/utf8"
)

// Ways in which a text may hide another one. They are undone once: a text that is
// encoded twice is not read.
const (
	plain = iota
	encodedBase64
	encodedHex
	encodedPercent
	encodedEntity
	encodedEscape
	encodedRot13
	encodedReversed
	encodedLeet
	encodedSpaced
)

// maxDecoded bounds what is decoded of one text.
const maxDecoded = 16 << 10

// decode appends to dst what a text hides in base64, hexadecimal digits, percent
// signs, entities or escapes, as one text: the parts by full stops. kind is
// the last that was found.
func decodeRuns(dst []byte, s string) (out []byte, kind int) {
	for i := 0; i < len(s) && len(dst) < maxDecoded; {
		c := s[i]
		switch {
		case base64Byte[c]:
			j, upper, lowerCase, digit := i, false, false, false
			for j < len(s) && base64Byte[s[j]] {
				switch c := s[j]; {
				case c-'A' < 26:
					upper = true
				case c-'a' < 26:
					lowerCase = true
				default:
					digit = true
				}
				j++
			}
			n := len(dst)
			if j-i >= 16 {
				if hexRun(s[i:j]) {
					dst = appendHex(dst, s[i:j])
					if readable(dst[n:]) {
						kind = encodedHex
					} else {
						dst = dst[:n]
					}
				}
				if len(dst) == n && upper && lowerCase && (digit || j-i >= 24) {
					dst = appendBase64(dst, s[i:j])
					if readable(dst[n:]) {
						kind = encodedBase64
					} else {
						dst = dst[:n]
					}
				}
			} else if j-i == 2 && hexRun(s[i:j]) {
				var end int
				if dst, end = appendHexPairs(dst, s, i); len(dst) > n {
					j, kind = end, encodedHex
				}
			}
			if len(dst) > n {
				dst = append(dst, '.', ' ')
			}
			i = j
		case c == '%' || c == '&' || c == '\\':
			n := len(dst)
			var end, k int
			dst, end, k = appendEscaped(dst, s, i)
			if end > i && len(dst)-n >= 3 {
				kind = k
				dst = append(dst, '.', ' ')
			} else {
				dst = dst[:n]
			}
			i = max(end, i+1)
		default:
			i++
		}
	}
	return dst, kind
}

var base64Byte = func() (b [256]bool) {
	for c := range b {
		b[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
	}
	return b
}()

func appendBase64(dst []byte, s string) []byte {
	enc := base64.RawStdEncoding
	for i := range len(s) {
		if s[i] == '-' || s[i] == '_' {
			enc = base64.RawURLEncoding
			break
		}
	}
	s = s[:min(len(s), maxDecoded)]
	s = s[:len(s)/4*4+[4]int{0, 0, 2, 3}[len(s)%4]]
	n := len(dst)
	dst = append(dst, make([]byte, enc.DecodedLen(len(s)))...)
	got, err := enc.Decode(dst[n:], []byte(s))
	if err != nil {
		got = 0
	}
	return dst[:n+got]
}

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

// readable reports bytes that look like text: nearly all of them printable, most
// of them letters.
func readable(b []byte) bool {
	if len(b) < 6 || !utf8.Valid(b) {
		return false
	}
	letters, odd := 0, 0
	for _, c := range b {
		switch {
		case c|0x20-'a' < 26 || c >= 0x80 || c == ' ':
			letters++
		case c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f:
			odd++
		}
	}
	return odd == 0 && letters*10 >= len(b)*7
}

// appendRot13 appends letters moved by thirteen places.
func appendRot13(dst, norm []byte) []byte {
	for _, c := range norm {
		if c-'a' < 26 {
			c = 'a' + (c-'a'+13)%26
		}
		dst = append(dst, c)
	}
	return dst
}

// appendReversed appends a text from its end, character by character.
func appendReversed(dst, norm []byte) []byte {
	for len(norm) > 0 {
		_, size := utf8.DecodeLastRune(norm)
		dst = append(dst, norm[len(norm)-size:]...)
		norm = norm[:len(norm)-size]
	}
	return dst
}

// leet are digits and signs written for letters.
var leet = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g', '@': 'a', '$': 's', '!': 'i', '|': 'i', '+': 't'}

// appendLeet appends a text with the letters that its digits stand for.
func appendLeet(dst, norm []byte) []byte {
	for i, c := range norm {
		if l := leet[c]; l != 0 {
			at := func(k int) bool { return k >= 0 && k < len(norm) && (kinds[norm[k]] == kindWord || leet[norm[k]] != 0) }
			if c-'0' < 10 || at(i+1) {
				c = l
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// appendJoined appends a text in which letters that stand alone, with one and the same sign
// between them, are joined to words; two or more spaces part them.
func appendJoined(dst []byte, v *view) []byte {
	for i := 0; i < len(v.words); i++ {
		w := &v.words[i]
		dst = append(dst, ' ')
		dst = append(dst, v.norm[w.start:w.end]...)
		for single(w) && i+1 < len(v.words) {
			next := &v.words[i+1]
			gap := v.norm[w.end:next.start]
			if !single(next) || len(gap) != 1 {
				break
			}
			dst = append(dst, v.norm[next.start:next.end]...)
			w = next
			i++
		}
	}
	return dst
}

func single(w *word) bool { return w.end-w.start == 1 }
