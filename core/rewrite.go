package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/core/splice"
)

var errNoTokens = errors.New("an edit asks for a placeholder, but there is no vault")

// badEdit is a fault of the stage: its edits do not fit the text.
type badEdit struct{ err error }

func (e badEdit) Error() string { return e.err.Error() }
func (e badEdit) Unwrap() error { return e.err }
func (badEdit) Fault() Fault    { return FaultVerdict }

// rewrite applies edits to a body: it mints placeholders, cuts the document,
// and moves the segments, marks and findings along. Nothing is changed when it
// fails.
func (c *Chain) rewrite(ctx context.Context, x *Exchange, ph Phase, p *Payload, edits []Edit) error {
	if len(edits) == 0 {
		return nil
	}
	edits = append(x.byPart[:0], edits...)
	x.byPart = edits
	if !slices.IsSortedFunc(edits, editOrder) {
		slices.SortStableFunc(edits, editOrder) // insertions at one place keep their order
	}
	x.cuts = x.cuts[:0]
	for lo := 0; lo < len(edits); {
		hi := lo + 1
		for hi < len(edits) && edits[hi].Segment == edits[lo].Segment {
			hi++
		}
		if err := c.cut(ctx, x, ph, p, edits[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	x.cuts = p.cutTied(x.cuts, edits)
	size := len(p.Raw)
	for i := range x.cuts {
		size += len(x.cuts[i].With) - x.cuts[i].Len()
	}
	body, err := splice.Append(p.buffer(size), p.Raw, x.cuts)
	if err != nil {
		return badEdit{err}
	}
	if c.shadow != 0 && !x.run.saved {
		x.run.save(p)
	}
	x.shiftFindings(p, edits)
	p.settle(body)
	p.shift(x.cuts)
	return nil
}

func editOrder(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// cut adds the cuts of one segment's edits to x.cuts.
func (c *Chain) cut(ctx context.Context, x *Exchange, ph Phase, p *Payload, edits []Edit) error {
	i := edits[0].Segment
	if i < 0 || i >= len(p.Segments) {
		return badEdit{fmt.Errorf("an edit names segment %d of %d", i, len(p.Segments))}
	}
	s, text := &p.Segments[i], p.Text(i)
	x.edits = x.edits[:0]
	at := 0
	for k := range edits {
		e := &edits[k]
		if e.Start < at || e.End > len(text) || e.Start > e.End {
			return badEdit{errors.New("an edit lies outside its text, or over another one")}
		}
		at = e.End
		if e.Type != "" {
			value := e.Value
			if value == "" {
				value = text[e.Start:e.End]
			}
			with, err := c.mint(ctx, x, ph, e.Type, value)
			if err != nil {
				return err
			}
			e.With = with
		}
		x.edits = append(x.edits, splice.Edit{Start: e.Start, End: e.End, With: e.With})
	}
	if s.Bare {
		x.edits = append(x.edits[:0], quoted(text, x.edits))
	}
	cuts, err := splice.Cuts(x.cuts, p.Raw, s.Span, s.Depth, x.edits)
	if err != nil {
		return badEdit{err}
	}
	x.cuts = cuts
	return nil
}

// quoted makes one edit of the edits of a bare number: what comes of it is no
// number any more, and is written as a string.
func quoted(text string, edits []splice.Edit) splice.Edit {
	b, at := []byte{'"'}, 0
	for _, e := range edits {
		b = splice.AppendEscaped(append(b, text[at:e.Start]...), e.With)
		at = e.End
	}
	b = append(append(b, text[at:]...), '"')
	return splice.Edit{Start: 0, End: len(text), With: string(b)}
}

func (c *Chain) mint(ctx context.Context, x *Exchange, ph Phase, typ, value string) (string, error) {
	if token, ok := x.Minted.Token(typ, value); ok {
		return token, nil
	}
	if c.tokens == nil {
		return "", errNoTokens
	}
	token, err := c.tokens.Mint(ctx, x, ph, typ, value)
	if err != nil {
		return "", fmt.Errorf("mint a placeholder: %w", err)
	}
	// The value aliases the body, which a rewrite leaves behind but does not
	// free before the exchange ends.
	if ph != Response {
		x.Minted.Add(token, typ, value)
	}
	return token, nil
}

// shift moves segments and marks by what the cuts added or removed, and makes
// edited segments decode their text again.
func (p *Payload) shift(cuts []splice.Cut) {
	delta, k := 0, 0
	for i := range p.Segments {
		s := &p.Segments[i]
		for k < len(cuts) && cuts[k].End <= s.Span.Start && cuts[k].Start < s.Span.Start {
			delta += len(cuts[k].With) - cuts[k].Len()
			k++
		}
		s.Span.Start += delta
		edited := false
		for k < len(cuts) && cuts[k].End <= s.Span.End {
			delta += len(cuts[k].With) - cuts[k].Len()
			k++
			s.decoded, edited = false, true
		}
		s.Span.End += delta
		if edited && s.Bare {
			s.unquote()
		}
	}
	for i := range p.Marks {
		p.Marks[i] = shifted(p.Marks[i], cuts)
	}
	p.shiftTied(cuts)
}

// unquote makes an ordinary string of a number that an edit has put into quotes,
// so that a later link sees its text without them.
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

// save keeps the body as it is before its first rewrite.
func (r *run) save(p *Payload) {
	r.saved = true
	r.original.Status, r.original.Header, r.original.Raw = p.Status, p.Header, p.Raw
	r.original.Segments = append(r.original.Segments[:0], p.Segments...)
}
