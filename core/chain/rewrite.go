package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

var errNoTokens = errors.New("an edit asks for a placeholder, but the gateway has no vault")

// rewrite applies edits to the texts of a body: it mints placeholders, makes the
// new texts, which later links see, and moves the findings along. The document
// itself is cut once, by flush, when all links have been asked. Nothing is
// changed when it fails.
func (c *Chain) rewrite(ctx context.Context, x *core.Exchange, r *run, ph core.Phase, p *core.Payload, edits []core.Edit) error {
	if len(edits) == 0 {
		return nil
	}
	edits = append(r.edits[:0], edits...)
	r.edits = edits
	if !isInOrder(edits) {
		slices.SortStableFunc(edits, compareEdits) // insertions at one place keep their order
	}
	for i := range edits {
		if err := c.checkEdit(ctx, x, ph, p, edits, i); err != nil {
			return err
		}
	}
	if c.shadow != 0 && !r.saved {
		r.saveOriginal(p)
	}
	r.shiftFindings(x, p, edits)
	p.Apply(edits)
	return nil
}

// isInOrder reports whether edits are by compareEdits. They nearly always are, and are too large
// to be handed to a function in pairs.
func isInOrder(edits []core.Edit) bool {
	for i := 1; i < len(edits); i++ {
		a, b := &edits[i-1], &edits[i]
		if a.Segment > b.Segment || a.Segment == b.Segment && (a.Start > b.Start || a.Start == b.Start && a.End > b.End) {
			return false
		}
	}
	return true
}

func compareEdits(a, b core.Edit) int {
	return cmp.Or(cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// checkEdit checks one edit and mints what it asks for.
func (c *Chain) checkEdit(ctx context.Context, x *core.Exchange, ph core.Phase, p *core.Payload, edits []core.Edit, i int) error {
	e, at := &edits[i], 0
	if e.Segment < 0 || e.Segment >= len(p.Segments) {
		return badEdit{fmt.Errorf("an edit names segment %d of %d", e.Segment, len(p.Segments))}
	}
	if i > 0 && edits[i-1].Segment == e.Segment {
		at = edits[i-1].End
	}
	text := p.ReadText(e.Segment)
	switch {
	case e.Start < at || e.End > len(text) || e.Start > e.End:
		return badEdit{errors.New("an edit lies outside its text, or overlaps another one")}
	case !isBoundary(text, e.Start) || !isBoundary(text, e.End):
		return badEdit{splice.ErrRune}
	case e.Type == "":
		if !utf8.ValidString(e.With) {
			return badEdit{splice.ErrText}
		}
		return nil
	}
	value := e.Value
	if value == "" {
		value = text[e.Start:e.End]
	}
	with, err := c.mint(ctx, x, ph, e.Type, value)
	if err != nil {
		return err
	}
	e.With = with
	return nil
}

func (c *Chain) mint(ctx context.Context, x *core.Exchange, ph core.Phase, typ, value string) (string, error) {
	if token, ok := x.Minted.FindToken(typ, value); ok {
		return token, nil
	}
	if c.tokens == nil {
		return "", errNoTokens
	}
	token, err := c.tokens.Mint(ctx, x, ph, typ, value)
	if err != nil {
		return "", fmt.Errorf("mint a placeholder: %w", err)
	}
	if ph != core.Response {
		x.Minted.Add(token, typ, value)
	}
	return token, nil
}

// saveOriginal keeps the body as it is before its first rewrite.
func (r *run) saveOriginal(p *core.Payload) {
	r.saved = true
	r.original.CopyScan(p)
}

func isBoundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }
