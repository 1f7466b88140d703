package guardrail

import (
	"encoding/base64"
	"unicode/utf8"
)

// Ways in which a text may hide another. Those of decodeRuns are decoded twice, the others once.
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
	encodedMorse
	encodedRespelt
	encodedTagged // in plain sight, between tags or underscores: no reason for a bonus
	encodedMistyped
)

// minCoded is the shortest run of base64 characters that is decoded on its length alone.
const minCoded = 16

// maxDecoded bounds the decoded bytes of one text.
const maxDecoded = 16 << 10

// decodeRuns appends to dst the texts that a text hides in base64, base32, character codes in hexadecimal, binary, octal or
// decimal digits, percent signs, entities or escapes, joined by full stops. kind is the last kind that it found.
func decodeRuns(dst []byte, s string, p *pace) (out []byte, kind int) {
	for i, last := 0, 0; i < len(s) && len(dst) < maxDecoded && p.spendSteps(i-last); {
		last = i
		n, found := len(dst), plain
		switch c := s[i]; {
		case base64Class[c] == 0 && c != '.' && c != '%' && c != '&' && c != '\\':
			i++
			continue
		case c == '.':
			if i+1 < len(s) && !morseGoesOn[s[i+1]] {
				i++
				continue
			}
			if dst, i = appendMorse(dst, s, i); len(dst) > n {
				found = encodedMorse
			}
		case c|0x20-'a' < 26: // most of a text are words: two letters may be digits of hexadecimal, and long ones hide others
			to := i + 1
			for to < len(s) && base64Class[s[to]] != 0 {
				to++
			}
			if size := to - i; size < minCoded && size != 2 {
				i = to
				continue
			}
			dst, i, found = appendCoded(dst, s, i, p)
		case base64Class[c] != 0:
			dst, i, found = appendCoded(dst, s, i, p)
		case c == '%' || c == '&' || c == '\\':
			var end int
			if dst, end, found = appendEscaped(dst, s, i); end == i || len(dst)-n < 3 {
				dst = dst[:n]
			}
			i = max(end, i+1)
		}
		if len(dst) > n {
			kind = found
			dst = append(dst, '.', ' ')
		}
	}
	return dst, kind
}

// appendCoded decodes the run of base64 characters at i, and the continuation of a short run. It returns where to continue.
func appendCoded(dst []byte, s string, i int, p *pace) (out []byte, end, kind int) {
	j, all := i, uint8(0)
	for ; j < len(s) && base64Class[s[j]] != 0; j++ {
		all |= base64Class[s[j]]
	}
	n := len(dst)
	end = j
	switch size := j - i; {
	case size >= minCoded:
		dst, kind = appendLongRun(dst, s[i:j], all)
	case size == 8 && isOctet(s[i:j]):
		dst, end = appendOctets(dst, s, i)
	case size == 2 && isHexRun(s[i:j]):
		dst, end = appendHexPairs(dst, s, i)
	}
	p.spendSteps(end - i)
	if len(dst) == n && j-i >= 2 && j-i <= 4 && s[i]-'0' < 10 {
		var to int
		dst, to = appendNumbers(dst, s, i)
		p.spendSteps(to - i)
		if end = max(end, to); len(dst) > n {
			end = to
		}
	}
	if len(dst) == n && beginsPlaces(s, i) {
		var to int
		dst, to = appendPlaces(dst, s, i)
		p.spendSteps(to - i)
		end = max(end, to)
	}
	switch {
	case len(dst) == n: // a run that decoded to nothing is not read again from its second pair
		return dst, max(end, j), plain
	case kind != plain:
		return dst, j, kind
	}
	return dst, end, encodedHex
}

// appendLongRun decodes a whole run in hexadecimal digits, base64 or base32. all has the
// classes of its characters.
func appendLongRun(dst []byte, run string, all uint8) (out []byte, kind int) {
	if !isCodable(run, all) {
		return dst, plain
	}
	return appendDecoded(dst, run, all)
}

// appendDecoded is appendLongRun without the check of the first characters.
func appendDecoded(dst []byte, run string, all uint8) (out []byte, kind int) {
	n := len(dst)
	if isHexRun(run) {
		if dst = appendHex(dst, run); isReadable(dst[n:]) {
			return dst, encodedHex
		}
		dst = dst[:n]
	}
	if all&base64Upper != 0 && all&base64Lower != 0 && (all&base64Other != 0 || len(run) >= 24) {
		dst = appendBase64(dst, run)
		if dst = dst[:n+len(dropZeros(dst[n:]))]; isReadable(dst[n:]) {
			return dst, encodedBase64
		}
		dst = dst[:n]
	}
	if all&base64Lower == 0 && len(run) >= 24 {
		if dst = appendBase32(dst, run); isReadable(dst[n:]) {
			return dst, encodedBase64
		}
	}
	return dst[:n], plain
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

// isControl reports whether c is a control character, which no text contains.
func isControl(c byte) bool { return c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f }

// isReadable reports whether bytes look like text: nearly all are printable, and most are letters or escapes.
func isReadable(b []byte) bool {
	if len(b) < 6 || !utf8.Valid(b) {
		return false
	}
	letters, strange := 0, 0
	for _, c := range b {
		switch {
		case c == '%': // and two digits
			letters += 3
		case c == '&' || c == '\\': // and four or more
			letters += 5
		case c|0x20-'a' < 26 || c >= 0x80 || c == ' ':
			letters++
		case isControl(c):
			strange++
		}
	}
	return strange == 0 && letters*10 >= len(b)*7
}
