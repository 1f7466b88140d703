package audit

import (
	"strconv"
	"unicode/utf8"
)

// Payload builds the JSON object of an event without allocating once its buffer has grown; keep one per worker and
// Reset it. The zero value is an empty object. Names are written as they are: they are constants of the program and
// must need no escaping.
type Payload struct{ buf []byte }

// Reset empties the object and keeps its memory.
func (p *Payload) Reset() { p.buf = p.buf[:0] }

// Bytes is the object as JSON. It is valid until the next call of a method other than Bytes.
func (p *Payload) Bytes() []byte {
	if len(p.buf) == 0 {
		p.buf = append(p.buf, '{')
	}
	whole := append(p.buf, '}') // the brace is not kept, so that more may be added
	p.buf = whole[:len(p.buf)]
	return whole
}

// name is the buffer with the name of the next member behind it.
func (p *Payload) name(name string) []byte {
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

// Str adds a text; bytes that are not UTF-8 become U+FFFD.
func (p *Payload) Str(name, value string) { p.buf = appendQuoted(p.name(name), value) }

// Opt adds a text unless it is empty.
func (p *Payload) Opt(name, value string) {
	if value != "" {
		p.Str(name, value)
	}
}

// Int adds a whole number.
func (p *Payload) Int(name string, value int64) { p.buf = strconv.AppendInt(p.name(name), value, 10) }

// Bool adds true or false.
func (p *Payload) Bool(name string, value bool) { p.buf = strconv.AppendBool(p.name(name), value) }

// Strs adds a list of texts.
func (p *Payload) Strs(name string, values []string) {
	b := append(p.name(name), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, v)
	}
	p.buf = append(b, ']')
}

// Raw adds a value that is JSON already; the caller answers for it.
func (p *Payload) Raw(name string, json []byte) { p.buf = append(p.name(name), json...) }

const hexDigits = "0123456789abcdef"

// plain are the bytes that stand in a JSON string as they are.
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
