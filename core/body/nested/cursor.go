package nested

import "github.com/headgate-dev/headgate/core/body/splice"

// Levels is how many levels of JSON text inside JSON text a cursor follows; deeper levels count as
// plain text. Each level doubles the backslashes of the one around it, so real texts have few.
const Levels = 4

// Cursor is a place in a text that may be JSON. The zero value is at the beginning of the text.
//
// A text counts as JSON as long as it is the beginning of an object or an array. A lone string does
// not count: it is as likely a quotation.
type Cursor struct {
	levels [Levels]level // each but the first reads the content of the string around it
}

// Read moves the cursor past text.
func (c *Cursor) Read(text string) {
	for i := 0; i < len(text) && c.levels[0].state != dead; i++ {
		c.step(0, text[i])
	}
}

// SkipPlaceholder moves the cursor past a placeholder, whose bytes do not matter: it represents a whole
// value, or a part of a string.
func (c *Cursor) SkipPlaceholder() {
	n := c.depth()
	for i := range n {
		if c.levels[i].escape != 0 { // cut off by the placeholder
			c.levels[i].state = dead
		}
	}
	if n < Levels {
		c.levels[n].readValue()
	}
}

// Escape returns value as it must be written at this place: escaped once for each string of
// nested JSON text around it. value must be valid UTF-8.
func (c *Cursor) Escape(value string) string {
	for range c.depth() {
		value = string(splice.AppendEscaped(make([]byte, 0, len(value)+16), value))
	}
	return value
}

// depth returns the number of strings around this place.
func (c *Cursor) depth() int {
	n := 0
	for n < Levels && c.levels[n].isInString() {
		n++
	}
	return n
}

// step reads one byte of a level's text. Inside a string, each decoded byte is a byte of the next
// level's text.
func (c *Cursor) step(n int, b byte) {
	l := &c.levels[n]
	if !l.isInString() {
		l.readOutside(b)
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
	if r, ok := l.decode(b); ok && deeper {
		c.step(n+1, r)
	}
}
