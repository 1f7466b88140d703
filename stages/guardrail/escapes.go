package guardrail

import (
	"strings"
	"unicode/utf8"
)

func parseNibble(c byte) (byte, bool) {
	switch {
	case c-'0' < 10:
		return c - '0', true
	case c|0x20-'a' < 6:
		return (c | 0x20) - 'a' + 10, true
	}
	return 0, false
}

func isHexRun(s string) bool {
	for i := range len(s) {
		if _, ok := parseNibble(s[i]); !ok {
			return false
		}
	}
	return len(s)%2 == 0
}

func appendHex(dst []byte, s string) []byte {
	for i := 0; i+1 < len(s) && i < 2*maxDecoded; i += 2 {
		a, _ := parseNibble(s[i])
		b, _ := parseNibble(s[i+1])
		dst = append(dst, a<<4|b)
	}
	return dst
}

// appendHexPairs reads "69 67 6e" and "69:67:6e": at least eight pairs, up to a pair that is not a character of a text. It
// returns the position behind the pairs, whether or not they are readable.
func appendHexPairs(dst []byte, s string, i int) ([]byte, int) {
	n := len(dst)
	for i+1 < len(s) && len(dst) < maxDecoded {
		a, ok := parseNibble(s[i])
		b, ok2 := parseNibble(s[i+1])
		if !ok || !ok2 {
			break
		}
		c := a<<4 | b
		if isControl(c) {
			i += 2
			break
		}
		dst = append(dst, c)
		i += 2
		if i+2 < len(s) && (s[i] == ' ' || s[i] == ':' || s[i] == ',') {
			if _, ok := parseNibble(s[i+1]); ok {
				i++
			}
		}
	}
	if len(dst)-n < 8 || !isReadable(dst[n:]) {
		return dst[:n], i
	}
	return dst, i
}

// isOctet reports eight binary digits.
func isOctet(s string) bool {
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
	for i+8 <= len(s) && isOctet(s[i:i+8]) && len(dst) < maxDecoded {
		c := byte(0)
		for _, bit := range []byte(s[i : i+8]) {
			c = c<<1 | bit&1
		}
		dst = append(dst, c)
		if i += 8; i < len(s) && (s[i] == ' ' || s[i] == ',' || s[i] == '\n') {
			i++
		}
	}
	if len(dst)-n < 8 || !isReadable(dst[n:]) {
		return dst[:n], i
	}
	return dst, i
}

// appendEscaped reads a run of %41, &#65;, &#x41;, \u0041 or \x41, with plain
// characters between them.
func appendEscaped(dst []byte, s string, i int) ([]byte, int, int) {
	kind, escapes := plain, 0
	for i < len(s) && len(dst) < maxDecoded {
		if escapes > 0 && kind == encodedEntity && s[i] == '#' && dst[len(dst)-1] == '&' {
			// The rest of an entity whose sign was an entity: decoded in the next round.
			to := findSemicolonAfter(s, i+1, i+9)
			if to < 0 {
				break
			}
			escapes++
			dst = append(dst, s[i:to+1]...)
			i = to + 1
			continue
		}
		if escapes > 0 && kind == encodedPercent && (kinds[lowered[s[i]]] == kindWord && s[i] < 0x80 || s[i] == '+') {
			c := s[i]
			if c == '+' {
				c = ' '
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size, of := parseEscape(s, i)
		if of != plain {
			kind = of
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

// parseEscape reads one escape. It returns its character, or -1, its length, or 0 without an escape, and its kind.
func parseEscape(s string, i int) (r rune, size, kind int) {
	switch rest := s[i:]; {
	case s[i] == '%' && len(rest) > 2:
		return parseNumber(rest[1:3], 16), 3, encodedPercent
	case strings.HasPrefix(rest, "&amp;#"):
		return '&', 5, encodedEntity
	case strings.HasPrefix(rest, "&#") && len(rest) > 3:
		base, from := rune(10), i+2
		if s[from]|0x20 == 'x' {
			base, from = 16, from+1
		}
		to := findSemicolonAfter(s, from, from+7)
		if to < 0 {
			return 0, 0, encodedEntity
		}
		return parseNumber(s[from:to], base), to + 1 - i, encodedEntity
	case strings.HasPrefix(rest, `\u`) && len(rest) > 5:
		return parseNumber(rest[2:6], 16), 6, encodedEscape
	case strings.HasPrefix(rest, `\x`) && len(rest) > 3:
		return parseNumber(rest[2:4], 16), 4, encodedEscape
	}
	return 0, 0, plain
}

// findSemicolonAfter returns the index of the first ';' in s from index from up to limit, or -1.
func findSemicolonAfter(s string, from, limit int) int {
	to := from
	for to < len(s) && to < limit && s[to] != ';' {
		to++
	}
	if to < len(s) && s[to] == ';' {
		return to
	}
	return -1
}

// parseNumber parses digits, and returns -1 if there are none.
func parseNumber(s string, base rune) rune {
	n := rune(0)
	for i := range len(s) {
		d, ok := parseNibble(s[i])
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
