package payload

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// Apply replaces text of segments. The edits are sorted by segment and place, do not
// overlap, fit the texts and have With set. Text returns the new texts at once; Raw and the
// spans change with Flush.
func (p *Payload) Apply(edits []Edit) {
	for from, to := 0, 0; from < len(edits); from = to {
		to = findSegmentEnd(edits, from)
		p.replaceText(edits[from].Segment, edits[from:to])
	}
	p.edits.merge(p.Segments, edits)
	p.cutsMade = false
	p.stretches.edited = false
}

// replaceText writes the new text of segment i into the scratch buffer.
func (p *Payload) replaceText(i int, edits []Edit) {
	s, text := &p.Segments[i], p.ReadText(i)
	size := len(text)
	for k := range edits {
		size += len(edits[k].With) - (edits[k].End - edits[k].Start)
	}
	b, at := p.growRoom(size), 0
	from := len(b)
	for k := range edits {
		e := &edits[k]
		b = append(append(b, text[at:e.Start]...), e.With...)
		at = e.End
	}
	b = append(b, text[at:]...)
	p.scratch = b
	s.text, s.decoded = zerocopy.String(b[from:len(b):len(b)]), true
	s.ahead = true
	p.sumEdits(s, edits)
}

// Flush writes the edits into a new body, Raw, and moves segments, marks and tied values
// along.
func (p *Payload) Flush() error {
	if p.edits.isEmpty() && !p.dropsLoose && p.origin == nil {
		return nil
	}
	if err := p.makeCuts(); err != nil {
		return err
	}
	p.noteDocuments()
	size := len(p.Raw)
	for i := range p.cuts {
		size += len(p.cuts[i].With) - p.cuts[i].Len()
	}
	body, err := splice.Append(p.growBuffer(size), p.Raw, p.cuts)
	if err != nil {
		return err
	}
	p.setBody(body)
	p.shift(p.cuts)
	p.cutsMade, p.stretches.valid = false, false
	p.Lists.Beginnings = p.Lists.Beginnings[:0]
	p.edits.edits, p.edits.segments = p.edits.edits[:0], p.edits.segments[:0]
	p.forgetLoose()
	p.origin = nil
	return nil
}

// AppendBody returns the body with the edits made so far. That is Raw itself while there are
// none; otherwise it is appended to dst.
func (p *Payload) AppendBody(dst []byte) ([]byte, error) {
	if p.edits.isEmpty() && !p.dropsLoose {
		return p.Raw, nil
	}
	cuts, err := p.appendCuts(make([]splice.Cut, 0, len(p.edits.edits)))
	if err != nil {
		return nil, err
	}
	return splice.Append(dst, p.Raw, cuts)
}

// makeCuts sets p.cuts to the cuts of all edits, unless they are that already.
func (p *Payload) makeCuts() (err error) {
	if !p.cutsMade {
		p.cuts, err = p.appendCuts(p.cuts[:0])
		p.cutsMade = err == nil
	}
	return err
}

// appendCuts appends the cuts of the body that carry out the edits of its texts.
func (p *Payload) appendCuts(dst []splice.Cut) ([]splice.Cut, error) {
	for _, edited := range p.edits.segments {
		s, edits := &p.Segments[edited.segment], p.edits.listEdits(edited)
		switch {
		case s.Bare:
			edits = []splice.Edit{p.quoteNumber(s)}
		case s.Base64:
			edits = []splice.Edit{p.encodeFile(s)}
		}
		var err error
		if dst, err = splice.AppendCutsAlong(dst, p.Raw, s.Span, s.Depth, s.escapes, edits); err != nil {
			return dst, err
		}
	}
	return p.cutOffsets(p.cutTied(dst)), nil
}

// quoteNumber returns the one edit of a bare number: its new text is not a number, and is
// written as a string.
func (p *Payload) quoteNumber(s *Segment) splice.Edit {
	was, _ := splice.ReadText(p.Raw, s.Span, s.Depth, nil) // even digits can be written as escapes
	b := splice.AppendEscaped([]byte{'"'}, s.text)
	return splice.Edit{Start: 0, End: len(was), With: string(append(b, '"'))}
}

// shift moves segments, marks and tied values by what the cuts added or removed.
func (p *Payload) shift(cuts []splice.Cut) {
	delta, k := 0, 0
	edited := p.edits.segments
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
		if len(edited) > 0 && edited[0].segment == i {
			edited = edited[1:]
			s.ahead, s.summed = false, false
			if s.Bare {
				s.unquote()
			}
		}
		s.escapes = nil
	}
	for i := range p.Marks {
		p.Marks[i] = shiftSpan(p.Marks[i], cuts)
	}
	p.shiftTied(cuts)
}

// shiftSpan moves a span by the cuts before and inside it.
func shiftSpan(s splice.Span, cuts []splice.Cut) splice.Span {
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
