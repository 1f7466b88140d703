package chain

import (
	"bytes"
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/nested"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// feedText runs new text of a part through the links.
func (s *Stream) feedText(ctx context.Context, q *part, text string, last bool) (out []byte, same bool, e *core.Error) {
	j := q.json
	if j == nil {
		return s.feed(ctx, q, text, last)
	}
	if j.state == blank {
		if begin := strings.TrimLeft(text, " \t\r\n"); begin != "" {
			if isProse(begin) {
				q.json = nil
				return s.feed(ctx, q, text, last)
			}
			j.state = values
		}
	}
	in := zerocopy.ViewBytes(text)
	j.out, j.changed = j.out[:0], false
	for i := 0; i < len(in); {
		kind, end, done := j.cursor.Next(in, i)
		switch kind {
		case nested.String:
			e = s.feedString(ctx, q, in[i:end], done)
		case nested.Number:
			e = s.feedNumber(ctx, q, in[i:end], done)
		default:
			j.out = append(j.out, in[i:end]...)
		}
		if e != nil {
			return nil, false, e
		}
		i = end
	}
	if last {
		switch j.cursor.Inside() {
		case nested.String:
			e = s.feedString(ctx, q, nil, true)
		case nested.Number:
			e = s.feedNumber(ctx, q, nil, true)
		}
		if e != nil {
			return nil, false, e
		}
	}
	q.updateState(last)
	rest := len(j.carry) - j.pending // of this text, or of more
	j.waits = rest > 0 && rest <= len(in) && bytes.Equal(j.out, in[:len(in)-rest])
	return j.out, bytes.Equal(j.out, in), nil
}

// feedString runs a piece of a string through the links. What they leave as it is
// keeps its spelling.
func (s *Stream) feedString(ctx context.Context, q *part, piece []byte, done bool) *core.Error {
	j := q.json
	j.raw = append(append(j.raw[:0], j.carry...), piece...)
	whole := len(j.raw)
	if !done {
		whole = measureWholeEscapes(j.raw)
	}
	j.carry = append(j.carry[:0], j.raw[whole:]...)
	j.text = splice.AppendText(j.text[:0], j.raw[:whole])
	landed := len(s.landed)
	got, same, e := s.feed(ctx, q, zerocopy.String(j.text), done)
	if e != nil {
		return e
	}
	s.shiftMarks(landed, len(j.out), got)
	switch {
	case !same:
		j.out = splice.AppendEscaped(j.out, zerocopy.String(got))
		j.changed, j.pending = j.changed || j.pending > 0, 0
	case whole > 0:
		j.out = append(j.out, j.raw[j.pending:whole]...)
		j.pending = 0
	}
	if done {
		q.restart()
	}
	return nil
}

// shiftMarks moves the marks from index first on from a string's text to the JSON that it is written in from byte from
// on.
func (s *Stream) shiftMarks(first, from int, text []byte) {
	for i := first; i < len(s.landed); i++ {
		s.landed[i].at = from + len(splice.AppendEscaped(nil, string(text[:s.landed[i].at])))
	}
}

// feedNumber shows a number to the links when it is whole. When it is changed, a
// string takes its place.
func (s *Stream) feedNumber(ctx context.Context, q *part, piece []byte, done bool) *core.Error {
	j := q.json
	j.carry = append(j.carry, piece...)
	if len(j.carry) > nested.MaxNumber {
		j.state = digits
	}
	if !done && j.state == values {
		return nil
	}
	if len(j.carry) < nested.MinNumber || j.state == digits {
		j.out = append(j.out, j.carry[j.pending:]...)
		j.pending = 0
		if j.carry = j.carry[:0]; done {
			j.state = values
		}
		return nil
	}
	got, same, e := s.feed(ctx, q, zerocopy.String(j.carry), true)
	if e != nil {
		return e
	}
	if same || bytes.Equal(got, j.carry) {
		j.out = append(j.out, j.carry[j.pending:]...)
	} else {
		j.changed = j.changed || j.pending > 0
		j.out = append(j.out, '"')
		j.out = splice.AppendEscaped(j.out, zerocopy.String(got))
		j.out = append(j.out, '"')
	}
	j.carry, j.pending = j.carry[:0], 0
	q.restart()
	return nil
}

// isProse reports whether a text that begins like this cannot be JSON. A model that
// writes a sentence where arguments belong has it looked at as text, all of it.
func isProse(text string) bool {
	switch c := text[0]; {
	case c == '{', c == '[', c == '"', c == '-', '0' <= c && c <= '9':
		return false
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if n := min(len(word), len(text)); text[:n] == word[:n] {
			return false
		}
	}
	return true
}

// measureWholeEscapes returns the length of the longest beginning of raw that ends in no
// unfinished escape: a surrogate pair is one escape.
func measureWholeEscapes(raw []byte) int {
	for i := 0; ; {
		k := bytes.IndexByte(raw[i:], '\\')
		if k < 0 {
			return len(raw)
		}
		i += k
		n := 2
		if len(raw) > i+1 && raw[i+1] == 'u' {
			n = 6
			if len(raw) >= i+6 && isHighSurrogate(raw[i+2:i+6]) {
				switch rest := raw[i+6:]; {
				case len(rest) == 0, len(rest) == 1 && rest[0] == '\\':
					return i
				case rest[0] == '\\' && rest[1] == 'u':
					n = 12
				}
			}
		}
		if len(raw) < i+n {
			return i
		}
		i += n
	}
}

// isHighSurrogate reports whether four hexadecimal digits are D800 to DBFF.
func isHighSurrogate(h []byte) bool {
	return h[0]|0x20 == 'd' && (h[1] == '8' || h[1] == '9' || h[1]|0x20 == 'a' || h[1]|0x20 == 'b')
}
