package payload

import (
	"cmp"
	"slices"

	"github.com/headgate-dev/headgate/core/body/splice"
)

const null = "null"

// cutTied adds cuts for the values that are tied to edited text. Segments and
// tied values are in order of the document.
func (p *Payload) cutTied(cuts []splice.Cut) []splice.Cut {
	edited, before := p.edits.segments, len(cuts)
	for _, t := range p.Tied {
		if t.Loose && p.dropsLoose {
			cuts = append(cuts, splice.Cut{Span: t.Span, With: null})
			continue
		}
		for len(edited) > 0 && p.Segments[edited[0].segment].Message < t.Message {
			edited = edited[1:]
		}
		if len(edited) > 0 && p.Segments[edited[0].segment].Message == t.Message {
			cuts = append(cuts, splice.Cut{Span: t.Span, With: null})
		}
	}
	if len(cuts) > before {
		slices.SortStableFunc(cuts, func(a, b splice.Cut) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
	}
	return cuts
}

// DropLoose has the next Flush replace the tied values that are loose.
func (p *Payload) DropLoose() {
	p.dropsLoose = slices.ContainsFunc(p.Tied, func(t Repetition) bool { return t.Loose })
	p.cutsMade = false
}

// forgetLoose ends what DropLoose has begun.
func (p *Payload) forgetLoose() {
	if p.dropsLoose {
		p.Tied = slices.DeleteFunc(p.Tied, func(t Repetition) bool { return t.Loose })
		p.dropsLoose, p.cutsMade = false, false
	}
}

// shiftTied moves tied values by what the cuts added or removed.
func (p *Payload) shiftTied(cuts []splice.Cut) {
	delta, k := 0, 0
	for i := range p.Tied {
		at := &p.Tied[i].Span
		for k < len(cuts) && cuts[k].End <= at.Start {
			delta += len(cuts[k].With) - cuts[k].Len()
			k++
		}
		at.Start += delta
		for k < len(cuts) && cuts[k].End <= at.End {
			delta += len(cuts[k].With) - cuts[k].Len()
			k++
		}
		at.End += delta
	}
}
