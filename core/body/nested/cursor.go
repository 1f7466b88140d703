package nested

import "github.com/headgate-dev/headgate/core/body/splice"

// Levels is how many levels of JSON text inside one another are followed; what
// lies deeper is taken for plain text. Each level doubles the backslashes of the
// one around it, so nobody goes far.
const Levels = 4

// Cursor is a place in a text that may be JSON. The zero value is its beginning.
//
// A text counts as JSON as long as it is the beginning of an object or an array.
// Nothing else does: a lone string is as likely a quotation.
type Cursor struct {
	levels [Levels]level // each but the first follows the string that the one before is in
}

// Read goes on over text.
func (c *Cursor) Read(text string) {
	for i := 0; i < len(text) && c.levels[0].state != dead; i++ {
		c.step(0, text[i])
	}
}

// Value goes on over a placeholder, whatever its bytes: it stands for a whole
// value, or for a part of a string.
func (c *Cursor) Value() {
	n := c.depth()
	for i := range n {
		if c.levels[i].escape != 0 { // cut off by the placeholder
			c.levels[i].state = dead
		}
	}
	if n < Levels {
		c.levels[n].value()
	}
}

// Escape writes value as it has to stand at this place: escaped once for each
// string of nested JSON text around it. value must be valid UTF-8.
func (c *Cursor) Escape(value string) string {
	for range c.depth() {
		value = string(splice.AppendEscaped(make([]byte, 0, len(value)+16), value))
	}
	return value
}

// depth is the number of strings around this place.
func (c *Cursor) depth() int {
	n := 0
	for n < Levels && c.levels[n].inString() {
		n++
	}
	return n
}

// step takes one byte of the text of a level. What it spells of a string's
// content is a byte of the text of the next one.
func (c *Cursor) step(n int, b byte) {
	l := &c.levels[n]
	if !l.inString() {
		l.structure(b)
		return
	}
	deeper := n+1 < Levels
	if b == '"' && l.escape == 0 {
		l.endString()
		if deeper {
			c.levels[n+1] = level{}
		}
		return
	}
	if r, ok := l.content(b); ok && deeper {
		c.step(n+1, r)
	}
}
