package core

import (
	"github.com/headgate-dev/headgate/core/body/splice"
)

// pending says which edits of Payload.pending a segment waits for: those between
// its text as it stands in the body and its text as the links have made it.
type pending struct{ from, to int }

func (p pending) any() bool { return p.from < p.to }

// edit replaces the text of segment i. edits are in order and fit the text.
func (p *Payload) edit(i int, edits []Edit) {
	s, text := &p.Segments[i], p.Text(i)
	size := len(text)
	for k := range edits {
		size += len(edits[k].With) - (edits[k].End - edits[k].Start)
	}
	b, at := p.room(size), 0
	from := len(b)
	for k := range edits {
		e := &edits[k]
		b = append(append(b, text[at:e.Start]...), e.With...)
		at = e.End
	}
	b = append(b, text[at:]...)
	p.scratch = b
	s.text, s.decoded = view(b[from:len(b):len(b)]), true
	p.compose(s, edits)
}

// compose joins edits of a segment's text with those that it waits for already
// into edits of the text that stands in the body. Edits that overlap, because a
// link changed what an earlier one had put there, become one.
func (p *Payload) compose(s *Segment, edits []Edit) {
	old, start := s.pending, len(p.pending)
	i, k := old.from, 0
	a, b := 0, 0 // how much longer the text before is than the body's, and the new one than it
	for i < old.to || k < len(edits) {
		// from and to are the next stretch, in the text before, that anything changes.
		from, to := span(p.pending, i, old.to, a, edits, k)
		was, is := from-a, from+b
		for {
			if i < old.to && (p.pending[i].Start+a < to || p.pending[i].Start+a == from) {
				e := &p.pending[i]
				to = max(to, e.Start+a+len(e.With))
				a += len(e.With) - (e.End - e.Start)
				i++
				continue
			}
			if k < len(edits) && (edits[k].Start < to || edits[k].Start == from) {
				e := &edits[k]
				to = max(to, e.End)
				b += len(e.With) - (e.End - e.Start)
				k++
				continue
			}
			break
		}
		p.pending = append(p.pending, splice.Edit{Start: was, End: to - a, With: s.text[is : to+b]})
	}
	s.pending = pending{start, len(p.pending)}
}

// span gives the first stretch that the earlier edits from i on, moved by a, or
// the edits from k on change.
func span(old []splice.Edit, i, end, a int, edits []Edit, k int) (from, to int) {
	if i < end {
		from, to = old[i].Start+a, old[i].Start+a+len(old[i].With)
		if k == len(edits) || edits[k].Start >= from {
			return from, to
		}
	}
	return edits[k].Start, edits[k].End
}

// flush cuts the edits that the links have made into the body, and moves
// segments, marks and tied values along.
func (p *Payload) flush(x *Exchange) error {
	if len(p.pending) == 0 {
		return nil
	}
	var err error
	if x.cuts, err = p.pendingCuts(x.cuts[:0]); err != nil {
		return err
	}
	size := len(p.Raw)
	for i := range x.cuts {
		size += len(x.cuts[i].With) - x.cuts[i].Len()
	}
	body, err := splice.Append(p.buffer(size), p.Raw, x.cuts)
	if err != nil {
		return err
	}
	p.settle(body)
	p.shift(x.cuts)
	p.pending = p.pending[:0]
	return nil
}

// pendingCuts appends the cuts of the body that the links' edits come to.
func (p *Payload) pendingCuts(dst []splice.Cut) ([]splice.Cut, error) {
	for i := range p.Segments {
		s := &p.Segments[i]
		if !s.pending.any() {
			continue
		}
		edits := p.pending[s.pending.from:s.pending.to]
		if s.Bare {
			edits = []splice.Edit{p.quoted(s)}
		}
		var err error
		if dst, err = splice.CutsAlong(dst, p.Raw, s.Span, s.Depth, s.escapes, edits); err != nil {
			return dst, err
		}
	}
	return p.cutTied(dst), nil
}

// Body gives the body as the links asked so far have made it. That is Raw itself
// while none has changed it; otherwise it is appended to dst.
func (p *Payload) Body(dst []byte) ([]byte, error) {
	if len(p.pending) == 0 {
		return p.Raw, nil
	}
	cuts, err := p.pendingCuts(make([]splice.Cut, 0, len(p.pending)))
	if err != nil {
		return nil, err
	}
	return splice.Append(dst, p.Raw, cuts)
}

// quoted is the one edit of a bare number: what has come of it is no number any
// more, and is written as a string.
func (p *Payload) quoted(s *Segment) splice.Edit {
	was, _ := splice.Text(p.Raw, s.Span, s.Depth, nil) // even digits can be written as escapes
	b := splice.AppendEscaped([]byte{'"'}, s.text)
	return splice.Edit{Start: 0, End: len(was), With: string(append(b, '"'))}
}

// shift moves segments and marks by what the cuts added or removed.
func (p *Payload) shift(cuts []splice.Cut) {
	delta, k := 0, 0
	for i := range p.Segments {
		s := &p.Segments[i]
		for k < len(cuts) && cuts[k].End <= s.Span.Start && cuts[k].Start < s.Span.Start {
			delta += len(cuts[k].With) - cuts[k].Len()
			k++
		}
		s.Span.Start += delta
		for k < len(cuts) && cuts[k].End <= s.Span.End {
			delta += len(cuts[k].With) - cuts[k].Len()
			k++
		}
		s.Span.End += delta
		if s.pending.any() && s.Bare {
			s.unquote()
		}
		s.pending, s.escapes = pending{}, nil
	}
	for i := range p.Marks {
		p.Marks[i] = shifted(p.Marks[i], cuts)
	}
	p.shiftTied(cuts)
}

// unquote makes an ordinary string of a number that an edit has put into quotes,
// so that a later phase sees its text without them.
func (s *Segment) unquote() {
	quote := 1 << s.Depth // each level of escapes doubles it
	s.Span.Start += quote
	s.Span.End -= quote
	s.Depth++
	s.Bare = false
}

// shifted moves a span by the cuts before and inside it.
func shifted(s splice.Span, cuts []splice.Cut) splice.Span {
	start, end := 0, 0
	for i := range cuts {
		c := &cuts[i]
		d := len(c.With) - c.Len()
		if c.End <= s.Start {
			start += d
		}
		if c.End <= s.End {
			end += d
		} else {
			break
		}
	}
	return splice.Span{Start: s.Start + start, End: s.End + end}
}
