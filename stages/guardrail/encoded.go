package guardrail

import (
	"encoding/base64"
	"unicode/utf8"
)

// Ways in which a text may hide another one. What decodeRuns undoes is undone twice, the rest
// once.
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
	encodedUnspaced
	encodedShift
	encodedTurned
	encodedBroken
)

// maxDecoded bounds what is decoded of one text.
const maxDecoded = 16 << 10

// decodeRuns appends to dst what a text hides in base64, base32, codes of characters in hexadecimal,
// binary, octal or decimal digits, percent signs, entities or escapes, as one text: the parts by full stops. kind is
// the last that was found.
func decodeRuns(dst []byte, s string) (out []byte, kind int) {
	for i := 0; i < len(s) && len(dst) < maxDecoded; {
		c := s[i]
		switch {
		case base64Class[c] != 0:
			j, all := i, uint8(0)
			for ; j < len(s); j++ {
				class := base64Class[s[j]]
				if class == 0 {
					break
				}
				all |= class
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
				if len(dst) == n && all&base64Upper != 0 && all&base64Lower != 0 && (all&base64Other != 0 || j-i >= 24) {
					dst = appendBase64(dst, s[i:j])
					dst = dst[:n+len(dropZeros(dst[n:]))]
					if readable(dst[n:]) {
						kind = encodedBase64
					} else {
						dst = dst[:n]
					}
				}
				if len(dst) == n && all&base64Lower == 0 && j-i >= 24 {
					if dst = appendBase32(dst, s[i:j]); readable(dst[n:]) {
						kind = encodedBase64
					} else {
						dst = dst[:n]
					}
				}
			} else if j-i == 8 && octet(s[i:j]) {
				var end int
				if dst, end = appendOctets(dst, s, i); len(dst) > n {
					j, kind = end, encodedHex
				}
			} else if j-i == 2 && hexRun(s[i:j]) {
				var end int
				if dst, end = appendHexPairs(dst, s, i); len(dst) > n {
					j, kind = end, encodedHex
				}
			}
			if len(dst) == n && j-i >= 2 && j-i <= 4 && c-'0' < 10 {
				var end int
				if dst, end = appendNumbers(dst, s, i); len(dst) > n {
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

// Classes of the bytes of base64, in both alphabets.
const (
	base64Upper = 1 << iota
	base64Lower
	base64Other // digits and signs
)

var base64Class = func() (b [256]uint8) {
	for c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			b[c] = base64Lower
		case c >= 'A' && c <= 'Z':
			b[c] = base64Upper
		case c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_':
			b[c] = base64Other
		}
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

// readable reports bytes that look like text: nearly all of them printable, most
// of them letters or escapes.
func readable(b []byte) bool {
	if len(b) < 6 || !utf8.Valid(b) {
		return false
	}
	letters, odd := 0, 0
	for _, c := range b {
		switch {
		case c == '%': // and two digits
			letters += 3
		case c == '&' || c == '\\': // and four or more
			letters += 5
		case c|0x20-'a' < 26 || c >= 0x80 || c == ' ':
			letters++
		case c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f:
			odd++
		}
	}
	return odd == 0 && letters*10 >= len(b)*7
}
