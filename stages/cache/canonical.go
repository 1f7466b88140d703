package cache

import (
	"bytes"
	"errors"
	"slices"
)

var errBody = errors.New("the body is not the JSON that was checked before")

// canonical writes JSON with the members of objects sorted by name and without white space, so that equal requests
// become equal bytes. Strings and numbers keep their spelling: two spellings of one text are two requests, which costs
// an extra call and never gives a wrong answer. Members below "properties" keep their order too, because a model writes
// the fields of a schema in that order.
type canonical struct {
	doc     []byte
	pos     int
	quote   int // the next quote at or after pos, or len(doc)
	out     []byte
	members []member
	moved   []byte // buffer for members that change places
	skip    []string
	depth   int
	config  bool // within Gemini's generationConfig

	// temperature and count are the values of these members, as spelled, or empty.
	temperature, count []byte
}

// member is one member of an object that is being written.
type member struct {
	name       []byte // raw, including quotes
	start, end int    // in out
}

// write appends the canonical form of a request's body, without the top-level members named in skip.
func (c *canonical) write(doc []byte, skip []string) error {
	c.doc, c.pos, c.quote, c.out, c.members = doc, 0, -1, c.out[:0], c.members[:0]
	c.skip, c.depth, c.config, c.temperature, c.count = skip, 0, false, c.temperature[:0], c.count[:0]
	return c.writeValue(false)
}

// writeValue writes one value. If ordered is set, the members of an object keep their order.
func (c *canonical) writeValue(ordered bool) error {
	c.skipSpace()
	if c.pos == len(c.doc) {
		return errBody
	}
	switch c.doc[c.pos] {
	case '{':
		return c.writeObject(ordered)
	case '[':
		return c.writeArray()
	case '"':
		s, err := c.readText()
		c.out = append(c.out, s...)
		return err
	}
	start := c.pos
	for c.pos < len(c.doc) && !ends(c.doc[c.pos]) {
		c.pos++
	}
	c.out = append(c.out, c.doc[start:c.pos]...)
	if c.pos == start {
		return errBody
	}
	return nil
}

// ends reports whether the byte ends a number or a word.
func ends(b byte) bool {
	return b == ',' || b == '}' || b == ']' || b == ':' || b == '"' || b <= ' '
}

func (c *canonical) skipSpace() {
	for c.pos < len(c.doc) && c.doc[c.pos] <= ' ' {
		c.pos++
	}
}

// readText reads a string, including its quotes.
func (c *canonical) readText() ([]byte, error) {
	start := c.pos
	c.pos++
	for {
		if c.quote < c.pos {
			n := bytes.IndexByte(c.doc[c.pos:], '"')
			if n < 0 {
				return nil, errBody
			}
			c.quote = c.pos + n
		}
		n := bytes.IndexByte(c.doc[c.pos:c.quote], '\\')
		if n < 0 {
			c.pos = c.quote + 1
			return c.doc[start:c.pos], nil
		}
		c.pos += n + 2 // the escape and the escaped character
		if c.pos > len(c.doc) {
			return nil, errBody
		}
	}
}

func (c *canonical) writeArray() error {
	c.pos++
	c.depth++
	c.out = append(c.out, '[')
	for {
		c.skipSpace()
		if c.pos == len(c.doc) {
			return errBody
		}
		switch c.doc[c.pos] {
		case ']':
			c.pos++
			c.depth--
			c.out = append(c.out, ']')
			return nil
		case ',':
			c.pos++
			c.out = append(c.out, ',')
		default:
			if err := c.writeValue(false); err != nil {
				return err
			}
		}
	}
}

func (c *canonical) writeObject(ordered bool) error {
	c.pos++
	c.depth++
	c.out = append(c.out, '{')
	first, from := len(c.members), len(c.out)
	for {
		c.skipSpace()
		switch {
		case c.pos == len(c.doc):
			return errBody
		case c.doc[c.pos] == '}':
			c.pos++
			c.depth--
			c.close(first, from, ordered)
			return nil
		case c.doc[c.pos] == ',':
			c.pos++
		case c.doc[c.pos] == '"':
			if err := c.writeMember(); err != nil {
				return err
			}
		default:
			return errBody
		}
	}
}

// writeMember writes one member, and a comma after it.
func (c *canonical) writeMember() error {
	start := len(c.out)
	name, err := c.readText()
	if err != nil {
		return err
	}
	c.skipSpace()
	if c.pos == len(c.doc) || c.doc[c.pos] != ':' {
		return errBody
	}
	c.pos++
	c.out = append(append(c.out, name...), ':')
	at := len(c.out)
	bare := name[1 : len(name)-1]
	config := c.config
	c.config = c.depth == 1 && string(bare) == "generationConfig"
	err = c.writeValue(string(bare) == "properties")
	c.config = config
	if err != nil {
		return err
	}
	if c.depth == 1 || c.depth == 2 && c.config {
		if c.note(bare, c.out[at:]) {
			c.out = c.out[:start]
			return nil
		}
	}
	c.out = append(c.out, ',')
	c.members = append(c.members, member{name, start, len(c.out)})
	return nil
}

// note looks at a member that affects how to answer, and reports whether it is skipped.
func (c *canonical) note(name, value []byte) (skipped bool) {
	switch string(name) {
	case "temperature":
		c.temperature = append(c.temperature[:0], value...)
	case "n", "best_of", "candidateCount":
		c.count = append(c.count[:0], value...)
	}
	return c.depth == 1 && slices.ContainsFunc(c.skip, func(s string) bool { return s == string(name) })
}

// close sorts the members of an object, and ends it.
func (c *canonical) close(first, from int, ordered bool) {
	own := c.members[first:]
	c.members = c.members[:first]
	if len(own) == 0 {
		c.out = append(c.out, '}')
		return
	}
	if !ordered && sortMembers(own) {
		c.moved = c.moved[:0]
		for _, m := range own {
			c.moved = append(c.moved, c.out[m.start:m.end]...)
		}
		copy(c.out[from:], c.moved)
	}
	c.out[len(c.out)-1] = '}' // replaces the last comma
}

// fewMembers is the number of members up to which they are sorted by insertion: objects of messages have two to four.
const fewMembers = 12

// sortMembers sorts members by name, and reports whether any has moved.
func sortMembers(own []member) (moved bool) {
	if len(own) > fewMembers {
		byName := func(a, b member) int { return bytes.Compare(a.name, b.name) }
		if moved = !slices.IsSortedFunc(own, byName); moved {
			slices.SortStableFunc(own, byName)
		}
		return moved
	}
	for i := 1; i < len(own); i++ {
		if bytes.Compare(own[i-1].name, own[i].name) <= 0 {
			continue
		}
		m, k := own[i], i
		for ; k > 0 && bytes.Compare(own[k-1].name, m.name) > 0; k-- {
			own[k] = own[k-1]
		}
		own[k], moved = m, true
	}
	return moved
}
