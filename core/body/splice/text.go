package splice

import (
	"bytes"
	"unicode/utf8"
)

// ReadText returns the decoded text of a segment. at is where its raw bytes lie in
// doc, without the outermost quotes; depth is the number of string escapes
// around it, as for [AppendCuts].
//
// Where nothing is escaped the text aliases doc and nothing is copied. Otherwise
// it is appended behind the bytes of scratch; text is the new part alone, and
// keeps the spare room, so a caller who collects texts goes on with
// scratch = text, and one who reuses the buffer with text[:0]. A span outside
// doc, or a depth above [MaxEscapes], gives nil.
func ReadText(doc []byte, at Span, depth uint8, scratch []byte) (text []byte, aliased bool) {
	if !at.isWithin(len(doc)) || depth > MaxEscapes {
		return nil, true
	}
	raw := doc[at.Start:at.End:at.End]
	if depth == 0 || bytes.IndexByte(raw, '\\') < 0 {
		return raw, true
	}
	from := len(scratch)
	if depth == 1 {
		return AppendText(scratch, raw)[from:], false
	}
	scratch, _ = appendDecoded(scratch, raw, depth, nil)
	return scratch[from:], false
}

// MaxNoted is how many escapes [ReadTextAlong] notes at most.
const MaxNoted = 4096

// ReadTextAlong is [ReadText] that also appends to noted where the escapes of the text begin, counted
// from its first byte, so that [AppendCutsAlong] need not look for them. all is noted with them,
// and nil where there would be more than [MaxNoted].
func ReadTextAlong(doc []byte, at Span, depth uint8, scratch []byte, noted []uint32) (text []byte, aliased bool, all []uint32) {
	if !at.isWithin(len(doc)) || depth > MaxEscapes {
		return nil, true, nil
	}
	if noted == nil {
		noted = []uint32{}
	}
	raw := doc[at.Start:at.End:at.End]
	if depth == 0 || bytes.IndexByte(raw, '\\') < 0 {
		return raw, true, noted
	}
	from := len(scratch)
	scratch, all = appendDecoded(scratch, raw, depth, noted)
	return scratch[from:], false, all
}

// appendDecoded appends raw with its levels of escapes undone, and to noted where they
// begin. With nil they are not noted, and nil comes back when there are too many.
func appendDecoded(dst, raw []byte, depth uint8, noted []uint32) ([]byte, []uint32) {
	for i := 0; ; {
		run := measurePlainRun(raw[i:])
		dst = append(dst, raw[i:i+run]...)
		i += run
		if i == len(raw) {
			return dst, noted
		}
		if len(noted) == MaxNoted {
			noted = nil
		}
		if noted != nil {
			noted = append(noted, uint32(i))
		}
		var r rune
		var n int
		switch {
		case depth > 1:
			r, n = decodeUnit(raw[i:], depth)
		case i+1 < len(raw) && shortEscapes[raw[i+1]] != 0:
			dst = append(dst, shortEscapes[raw[i+1]])
			i += 2
			continue
		default:
			r, n = decodeEscape(raw[i:])
		}
		dst = utf8.AppendRune(dst, r)
		i += n
	}
}

// AppendText appends raw, the bytes between the quotes of a JSON string, with one
// level of escapes undone. The input is expected to have passed a [Scanner]. On
// other input it neither fails nor panics: a broken escape stays as it is and a
// lone surrogate becomes U+FFFD.
func AppendText(dst, raw []byte) []byte {
	for {
		run := measurePlainRun(raw)
		dst = append(dst, raw[:run]...)
		raw = raw[run:]
		if len(raw) == 0 {
			return dst
		}
		if len(raw) > 1 {
			if c := shortEscapes[raw[1]]; c != 0 {
				dst = append(dst, c)
				raw = raw[2:]
				continue
			}
		}
		r, n := decodeEscape(raw)
		dst = utf8.AppendRune(dst, r)
		raw = raw[n:]
	}
}

// decodeEscape is unit at depth one for an escape of more than two bytes. Encoders that
// write ASCII alone make long rows of these, so the well-formed ones take no
// detour.
func decodeEscape(raw []byte) (r rune, size int) {
	if len(raw) < 6 || raw[1] != 'u' {
		return decodeUnit(raw, 1)
	}
	r = decodeHexAt(raw, 2)
	switch {
	case r < 0:
		return decodeUnit(raw, 1)
	case r < 0xd800 || r > 0xdfff:
		return r, 6
	case r < 0xdc00 && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u':
		if low := decodeHexAt(raw, 8); 0xdc00 <= low && low <= 0xdfff {
			return joinSurrogates(r, low), 12
		}
	}
	return utf8.RuneError, 6
}

// measurePlainRun returns the number of bytes before the first backslash.
func measurePlainRun(raw []byte) int {
	if i := bytes.IndexByte(raw, '\\'); i >= 0 {
		return i
	}
	return len(raw)
}

// shortEscapes maps the letter of a two-byte escape to what it stands for.
var shortEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}
