package core

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// A tool's arguments are JSON text inside a string. Detectors look at the
// strings in it, decoded: a value must be found whatever escapes it is written
// with, and an edit must leave JSON behind. jsonCursor follows such text, whole
// or in pieces, and tells its strings and numbers from the rest. It takes any
// bytes: a model may write what is no JSON.
type jsonCursor struct {
	objects uint64 // one bit a level: 1 in an object
	depth   int
	key     bool // the next string is a key
	in      jsonToken
	escaped bool // the next byte belongs to an escape
}

// whole reports whether the text so far is one whole object or array, or nothing.
func (c *jsonCursor) whole() bool { return c.depth <= 0 && c.in == jsonOther }

type jsonToken uint8

const (
	jsonOther  jsonToken = iota // structure, white space, keys, literals
	jsonKey                     // inside a key
	jsonString                  // inside a string that is a value
	jsonNumber                  // inside a number
	jsonQuote                   // at the quote that ends a value
)

// next reads the piece of text that begins at i and is all of one kind. done
// says that the token ended with the piece.
func (c *jsonCursor) next(text []byte, i int) (kind jsonToken, end int, done bool) {
	switch c.in {
	case jsonString:
		for end = i; end < len(text); end++ {
			switch b := text[end]; {
			case c.escaped:
				c.escaped = false
			case b == '\\':
				c.escaped = true
			case b == '"':
				c.in = jsonQuote
				return jsonString, end, true
			}
		}
		return jsonString, end, false
	case jsonNumber:
		for end = i; end < len(text); end++ {
			if !numberByte(text[end]) {
				c.in = jsonOther
				return jsonNumber, end, true
			}
		}
		return jsonNumber, end, false
	case jsonQuote:
		c.in = jsonOther
		return c.other(text, i+1)
	}
	return c.other(text, i)
}

// other reads up to where a value begins: behind a quote, or before a digit.
func (c *jsonCursor) other(text []byte, i int) (jsonToken, int, bool) {
	for ; i < len(text); i++ {
		b := text[i]
		if c.in == jsonKey {
			switch {
			case c.escaped:
				c.escaped = false
			case b == '\\':
				c.escaped = true
			case b == '"':
				c.in = jsonOther
			}
			continue
		}
		switch b {
		case '{', '[':
			c.depth++
			c.objects <<= 1
			if c.key = b == '{'; c.key {
				c.objects |= 1
			}
		case '}', ']':
			c.depth--
			c.objects >>= 1
			c.key = false
		case ',':
			c.key = c.objects&1 == 1
		case ':':
			c.key = false
		case '"':
			if c.key {
				c.in = jsonKey
				continue
			}
			c.in = jsonString
			return jsonOther, i + 1, true
		default:
			if b == '-' || '0' <= b && b <= '9' {
				c.in = jsonNumber
				return jsonOther, i, true
			}
		}
	}
	return jsonOther, i, false
}

func numberByte(b byte) bool {
	return '0' <= b && b <= '9' || b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E'
}

// minNumber is the length from which a bare number is worth looking at: nothing
// that a detector knows has fewer digits.
const minNumber = 6

// maxNumber is the longest number that is looked at; a longer one is no number
// that anybody looks for, and passes.
const maxNumber = 64

// AddJSON adds segments for the strings and numbers in JSON text that lies at
// s.Span, at s.Depth: each string is a segment one level deeper. Everything else
// of s is taken over. Of text that is no JSON, what stands between its strings
// becomes segments too: a model reads it all the same.
func (p *Payload) AddJSON(s Segment) {
	text, escapes := p.decode(s.Span, s.Depth)
	p.leaves, p.bare = p.leaves[:0], p.bare[:0]
	valid := json.Valid(bytesOf(text))
	if valid {
		p.findLeaves(text)
	} else {
		p.findStrings(text)
	}
	spans, err := splice.CutsAlong(p.spans[:0], p.Raw, s.Span, s.Depth, escapes, p.leaves)
	if err != nil { // the cursor ends where a rune or an escape ends; keep the text in sight all the same
		p.Segments = append(p.Segments, s)
		return
	}
	p.spans = spans
	for i := range spans {
		leaf := s
		leaf.Span = spans[i].Span
		switch {
		case !p.bare[i]:
			leaf.Depth++
		case valid:
			leaf.Bare = true
		}
		p.Segments = append(p.Segments, leaf)
	}
}

// findLeaves finds the strings and numbers of JSON text.
func (p *Payload) findLeaves(text string) {
	var c jsonCursor
	for i := 0; i < len(text); {
		kind, end, _ := c.next(bytesOf(text), i)
		if n := end - i; n > 0 && (kind == jsonString || kind == jsonNumber && minNumber <= n && n <= maxNumber) {
			p.leaf(i, end, kind == jsonNumber)
		}
		i = end
	}
}

// findStrings finds the strings of text that is no JSON, and what stands between
// them.
func (p *Payload) findStrings(text string) {
	var c jsonCursor
	gap := 0
	for i := 0; i < len(text); {
		kind, end, _ := c.next(bytesOf(text), i)
		if kind == jsonString && end > i {
			p.leaf(gap, i, true)
			p.leaf(i, end, false)
			gap = end
		}
		i = end
	}
	p.leaf(gap, len(text), true)
}

func (p *Payload) leaf(start, end int, bare bool) {
	if start < end {
		p.leaves = append(p.leaves, splice.Edit{Start: start, End: end})
		p.bare = append(p.bare, bare)
	}
}
