package splice

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// AppendEscaped appends text as the content of a JSON string, without quotes: one
// level of escapes. Only what JSON demands is escaped, that is quote, backslash
// and control characters; other characters stay as they are. text must be valid
// UTF-8.
func AppendEscaped(dst []byte, text string) []byte {
	from := 0
	for i := range len(text) {
		c := text[i]
		if !mustEscape(c) {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			const digits = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(dst, text[from:]...)
}

func mustEscape(c byte) bool { return c < ' ' || c == '"' || c == '\\' }

// encodeReplacement checks a replacement and escapes it depth times. A text that needs no
// escape is returned as it is, without a copy.
func encodeReplacement(text string, depth uint8) (string, error) {
	if raw := zerocopy.ViewBytes(text); skipPlain(raw, 0) == len(raw) { // as placeholders are
		return text, nil
	}
	if !utf8.ValidString(text) {
		return "", ErrText
	}
	for ; depth > 0; depth-- {
		clean := true
		for i := range len(text) {
			if mustEscape(text[i]) {
				clean = false
				break
			}
		}
		if clean {
			// Nothing here for this level, so nothing for the ones above it.
			return text, nil
		}
		text = string(AppendEscaped(make([]byte, 0, len(text)+16), text))
	}
	return text, nil
}
