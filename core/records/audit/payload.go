package audit

import (
	"strconv"
	"unicode/utf8"
)

// Payload builds the JSON object of an event. It does not allocate once its buffer has grown: use one per worker and
// Reset it. The zero value is an empty object. Names are written unescaped; they must be constants that need no
// escaping.
type Payload struct{ buf []byte }

// Reset empties the object and retains its memory.
func (p *Payload) Reset() { p.buf = p.buf[:0] }

// Bytes returns the object as JSON. The result is valid until the next call of any other method.
func (p *Payload) Bytes() []byte {
	if len(p.buf) == 0 {
		p.buf = append(p.buf, '{')
	}
	whole := append(p.buf, '}') // p.buf stays open, so that members can follow
	p.buf = whole[:len(p.buf)]
	return whole
}

// appendName returns the buffer with the next member's name appended.
func (p *Payload) appendName(name string) []byte {
	b := p.buf
	switch len(b) {
	case 0:
		b = append(b, '{', '"')
	case 1:
		b = append(b, '"')
	default:
		b = append(b, ',', '"')
	}
	return append(append(b, name...), '"', ':')
}

// AddStr adds a string. Bytes that are not UTF-8 become U+FFFD.
func (p *Payload) AddStr(name, value string) { p.buf = appendQuoted(p.appendName(name), value) }

// AddOptionalStr adds a string unless it is empty.
func (p *Payload) AddOptionalStr(name, value string) {
	if value != "" {
		p.AddStr(name, value)
	}
}

// AddInt adds an integer.
func (p *Payload) AddInt(name string, value int64) {
	p.buf = strconv.AppendInt(p.appendName(name), value, 10)
}

// AddBool adds a boolean.
func (p *Payload) AddBool(name string, value bool) {
	p.buf = strconv.AppendBool(p.appendName(name), value)
}

// AddStrs adds a list of strings.
func (p *Payload) AddStrs(name string, values []string) {
	b := append(p.appendName(name), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, v)
	}
	p.buf = append(b, ']')
}

// AddRaw adds a value that is already JSON. The caller vouches for its syntax.
func (p *Payload) AddRaw(name string, json []byte) { p.buf = append(p.appendName(name), json...) }

const hexDigits = "0123456789abcdef"

// plain marks the bytes that need no escape in a JSON string.
var plain = func() (t [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// appendQuoted appends s as a JSON string. Runs of bytes that need no escape are copied whole.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, "\ufffd"...)
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
