package splice

import (
	"bytes"
	"unicode/utf8"
)

// Text returns the decoded text of a segment. at is where its raw bytes lie in
// doc, without the outermost quotes; depth is the number of string escapes
// around it, as for [Cuts].
//
// Where nothing is escaped the text aliases doc and nothing is copied. Otherwise
// it is appended behind the bytes of scratch; text is the new part alone, and
// keeps the spare room, so a caller who collects texts goes on with
// scratch = text, and one who reuses the buffer with text[:0]. A span outside
// doc, or a depth above [MaxEscapes], gives nil.
func Text(doc []byte, at Span, depth uint8, scratch []byte) (text []byte, aliased bool) {
	if !at.within(len(doc)) || depth > MaxEscapes {
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
	for i := 0; ; {
		run := plainRun(raw[i:])
		scratch = append(scratch, raw[i:i+run]...)
		i += run
		if i == len(raw) {
			return scratch[from:], false
		}
		r, n := unit(raw[i:], depth)
		scratch = utf8.AppendRune(scratch, r)
		i += n
	}
}

// AppendText appends raw, the bytes between the quotes of a JSON string, with one
// level of escapes undone. The input is expected to have passed a [Scanner]. On
// other input it neither fails nor panics: a broken escape stays as it is and a
// lone surrogate becomes U+FFFD.
func AppendText(dst, raw []byte) []byte {
	for {
		run := plainRun(raw)
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
		r, n := escape(raw)
		dst = utf8.AppendRune(dst, r)
		raw = raw[n:]
	}
}

// escape is unit at depth one for an escape of more than two bytes. Encoders that
// write ASCII alone make long rows of these, so the well-formed ones take no
// detour.
func escape(raw []byte) (r rune, size int) {
	if len(raw) < 6 || raw[1] != 'u' {
		return unit(raw, 1)
	}
	r = hexAt(raw, 2)
	switch {
	case r < 0:
		return unit(raw, 1)
	case r < 0xd800 || r > 0xdfff:
		return r, 6
	case r < 0xdc00 && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u':
		if low := hexAt(raw, 8); 0xdc00 <= low && low <= 0xdfff {
			return joined(r, low), 12
		}
	}
	return utf8.RuneError, 6
}

// plainRun is the number of bytes before the first backslash.
func plainRun(raw []byte) int {
	if i := bytes.IndexByte(raw, '\\'); i >= 0 {
		return i
	}
	return len(raw)
}

// shortEscapes maps the letter of a two-byte escape to what it stands for.
var shortEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}
