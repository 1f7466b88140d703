package payload

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/nested"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// AddJSON adds segments for the strings and numbers in JSON text that lies at
// s.Span, at s.Depth: each string is a segment one level deeper. Everything else
// of s is taken over. Of text that is not JSON, what stands between its strings
// becomes segments too: a model reads it all the same. At depth 0 the text is a
// value of the body, which was checked when it was scanned.
func (p *Payload) AddJSON(s Segment) {
	text, escapes := p.decode(s.Span, s.Depth)
	p.leaves, p.bare, p.cutsMade = p.leaves[:0], p.bare[:0], false
	valid := s.Depth == 0 || json.Valid(zerocopy.ViewBytes(text))
	if valid {
		p.findLeaves(text)
	} else {
		p.findStrings(text)
	}
	spans, err := splice.AppendCutsAlong(p.cuts[:0], p.Raw, s.Span, s.Depth, escapes, p.leaves)
	if err != nil { // the cursor ends where a rune or an escape ends; keep the text in sight all the same
		p.Segments = append(p.Segments, s)
		return
	}
	p.cuts = spans
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
	var c nested.Scanner
	for i := 0; i < len(text); {
		kind, end, _ := c.Next(zerocopy.ViewBytes(text), i)
		if n := end - i; n > 0 && (kind == nested.String || kind == nested.Number && nested.MinNumber <= n && n <= nested.MaxNumber) {
			p.addLeaf(i, end, kind == nested.Number)
		}
		i = end
	}
}

// findStrings finds the strings of text that is not JSON, and what stands between
// them.
func (p *Payload) findStrings(text string) {
	var c nested.Scanner
	gap := 0
	for i := 0; i < len(text); {
		kind, end, _ := c.Next(zerocopy.ViewBytes(text), i)
		if kind == nested.String && end > i {
			p.addLeaf(gap, i, true)
			p.addLeaf(i, end, false)
			gap = end
		}
		i = end
	}
	p.addLeaf(gap, len(text), true)
}

func (p *Payload) addLeaf(start, end int, bare bool) {
	if start < end {
		p.leaves = append(p.leaves, splice.Edit{Start: start, End: end})
		p.bare = append(p.bare, bare)
	}
}
