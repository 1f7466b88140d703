package splice

import "unicode/utf8"

// decodeUnit reads one character at the start of raw, which lies under depth levels of
// string escapes: the character and the number of raw bytes that spell it. A
// surrogate pair is one character. raw must not be empty.
//
// A level is read through the level below it, so that `\\u00e9`, `\u005cu00e9`
// and `\\u00\u00659` are all one character at depth two. Broken escapes are
// tolerated, because only the outermost level is ever validated by a scan of the
// document: the backslash then stands for itself, and a lone surrogate is
// U+FFFD, as decoding level by level with [AppendText] gives.
func decodeUnit(raw []byte, depth uint8) (r rune, size int) {
	if depth == 0 {
		return utf8.DecodeRune(raw)
	}
	r, size = decodeUnit(raw, depth-1)
	if r != '\\' || size == len(raw) {
		return r, size
	}
	letter, n := decodeUnit(raw[size:], depth-1)
	if letter != 'u' {
		if letter < utf8.RuneSelf && shortEscapes[letter] != 0 {
			return rune(shortEscapes[letter]), size + n
		}
		return r, size
	}
	high, n, ok := decodeHexUnits(raw[size:], depth-1)
	if !ok {
		return r, size
	}
	size += n
	if high < 0xd800 || high > 0xdfff {
		return high, size
	}
	if high < 0xdc00 && size < len(raw) {
		if slash, n := decodeUnit(raw[size:], depth-1); slash == '\\' {
			low, m, ok := decodeHexUnits(raw[size+n:], depth-1)
			if ok && 0xdc00 <= low && low <= 0xdfff {
				return joinSurrogates(high, low), size + n + m
			}
		}
	}
	return utf8.RuneError, size
}

// decodeHexUnits reads 'u' and four hexadecimal digits, each spelled at the given depth.
func decodeHexUnits(raw []byte, depth uint8) (v rune, size int, ok bool) {
	for i := range 5 {
		if size == len(raw) {
			return 0, 0, false
		}
		r, n := decodeUnit(raw[size:], depth)
		size += n
		if i == 0 {
			if r != 'u' {
				return 0, 0, false
			}
			continue
		}
		d := decodeHexDigit(r)
		if d < 0 {
			return 0, 0, false
		}
		v = v<<4 | d
	}
	return v, size, true
}
