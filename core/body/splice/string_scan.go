package splice

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Constants of the eight-bytes-at-once search; each repeats one byte.
const (
	each01 = 0x0101010101010101
	each02 = 0x0202020202020202
	each21 = 0x2121212121212121
	each5c = 0x5c5c5c5c5c5c5c5c
	each80 = 0x8080808080808080
)

// markStops marks, by the high bit of each byte, the bytes of w that end a plain
// run: quote, backslash, control characters and everything from 0x80. Bits above
// the lowest one set may be false, because a subtraction borrows from its upper
// neighbour; the lowest one is exact, and it is the only one looked at.
//
// Flipping bit 1 moves the quote to 0x20, directly above the control characters
// (which stay below 0x20), while space and '!' move up to 0x22 and 0x23. So one
// subtraction finds both kinds.
func markStops(w uint64) uint64 {
	return ((w ^ each02) - each21) | ((w ^ each5c) - each01) | w
}

// scanText reads the content of a string from i on, the byte behind the opening
// quote, and validates it. It returns the offset of the closing quote and
// whether a backslash was met. When why is not empty, end is the offset of the
// offence.
func scanText(doc []byte, i int) (end int, escaped bool, why Reason) {
	// Keys and short values end within the first eight bytes; this saves them the
	// long way round.
	if len(doc)-i >= 8 {
		if m := markStops(binary.LittleEndian.Uint64(doc[i:])) & each80; m != 0 {
			if k := i + bits.TrailingZeros64(m)>>3; doc[k] == '"' {
				return k, false, ""
			}
		}
	}
	blocks := readsBlocks
	for {
		// BenchmarkScanText: 0.8 us instead of 4.7 for 5.8 KB of source. Behind a character of another script the next one is
		// near, and reading a block for it would cost more than it saves.
		if blocks && len(doc)-i >= blockSize {
			k, met := skipBlocks(&doc[i], len(doc)-i)
			i, escaped = i+k, escaped || met
		}
		blocks = readsBlocks
		if i = skipPlain(doc, i); i >= len(doc) {
			return len(doc), escaped, ReasonTruncated
		}
		switch c := doc[i]; {
		case c == '"':
			return i, escaped, ""
		case c == '\\':
			escaped = true
			// Source code has an escape every thirty bytes, and often several in a row: "\n\t\t". Those of two bytes are
			// read here (BenchmarkScanText: 4.7 us instead of 7.0 for 5.8 KB).
			for i+1 < len(doc) && doc[i] == '\\' && shortEscapes[doc[i+1]] != 0 {
				i += 2
			}
			if i < len(doc) && doc[i] != '\\' {
				continue
			}
			n, bad := scanEscape(doc, i)
			if bad != "" {
				return i, escaped, bad
			}
			i, blocks = i+n, false
		case c < ' ':
			return i, escaped, ReasonControl
		default:
			n, bad := scanRunes(doc[i:])
			i, blocks = i+n, false
			if bad != "" {
				return i, escaped, bad
			}
		}
	}
}

// skipPlain returns the offset of the first byte from i on that is not a plain
// ASCII character of a string, or len(doc).
func skipPlain(doc []byte, i int) int {
	if len(doc)-i >= 8 {
		if m := markStops(binary.LittleEndian.Uint64(doc[i:])) & each80; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for ; len(doc)-i >= 32; i += 32 {
		block := doc[i : i+32 : i+32]
		a := markStops(binary.LittleEndian.Uint64(block))
		b := markStops(binary.LittleEndian.Uint64(block[8:]))
		c := markStops(binary.LittleEndian.Uint64(block[16:]))
		d := markStops(binary.LittleEndian.Uint64(block[24:]))
		if (a|b|c|d)&each80 != 0 {
			break
		}
	}
	for ; len(doc)-i >= 8; i += 8 {
		if m := markStops(binary.LittleEndian.Uint64(doc[i:])) & each80; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(doc); i++ {
		if c := doc[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return i
}

// scanRunes validates a run of non-ASCII characters at the start of b and
// returns its length, or the offset of the first invalid byte. The two commonest
// lengths are checked here, because a call for every character would cost more
// than the check.
func scanRunes(b []byte) (n int, why Reason) {
	for n < len(b) && b[n] >= utf8.RuneSelf {
		c := b[n]
		if 0xc2 <= c && c <= 0xdf && n+1 < len(b) && b[n+1]&0xc0 == 0x80 {
			n += 2
			continue
		}
		// 0xe0 and 0xed restrict their second byte, so they take the long way.
		if 0xe1 <= c && c <= 0xef && c != 0xed && n+2 < len(b) && b[n+1]&0xc0 == 0x80 && b[n+2]&0xc0 == 0x80 {
			n += 3
			continue
		}
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			if !utf8.FullRune(b[n:]) {
				return n, ReasonTruncated
			}
			return n, ReasonInvalidUTF8
		}
		n += size
	}
	return n, ""
}

// scanEscape validates the escape that starts at i, a surrogate pair being one
// escape, and returns its length in bytes.
func scanEscape(doc []byte, i int) (n int, why Reason) {
	if i+1 >= len(doc) {
		return 0, ReasonTruncated
	}
	switch doc[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, ""
	case 'u':
	default:
		return 0, ReasonEscape
	}
	high, why := scanHex(doc, i+2)
	switch {
	case why != "":
		return 0, why
	case high < 0xd800 || high > 0xdfff:
		return 6, ""
	case high > 0xdbff:
		return 0, ReasonSurrogate
	}
	for k, c := range [2]byte{'\\', 'u'} {
		if i+6+k >= len(doc) {
			return 0, ReasonTruncated
		}
		if doc[i+6+k] != c {
			return 0, ReasonSurrogate
		}
	}
	low, why := scanHex(doc, i+8)
	switch {
	case why != "":
		return 0, why
	case low < 0xdc00 || low > 0xdfff:
		return 0, ReasonSurrogate
	}
	return 12, ""
}

// scanHex reads four hexadecimal digits at i.
func scanHex(doc []byte, i int) (v rune, why Reason) {
	if v := decodeHexAt(doc, i); v >= 0 {
		return v, ""
	}
	for ; i < len(doc); i++ {
		if hexValues[doc[i]] < 0 {
			return 0, ReasonEscape
		}
	}
	return 0, ReasonTruncated
}
