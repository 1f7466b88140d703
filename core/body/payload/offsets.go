package payload

import (
	"cmp"
	"slices"
	"sort"

	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// cutOffsets adds cuts for the numbers that point into edited text, such as those of citations, so that they point at the
// same text afterwards. The cuts are sorted by place.
func (p *Payload) cutOffsets(cuts []splice.Cut) []splice.Cut {
	if p.Offsets == nil || p.edits.empty() {
		return cuts
	}
	made := len(cuts)
	var table offset.Table
	known := -1 // the segment of the table
	numbers := p.Offsets.AppendOffsets(nil, p.Raw)
	for i := range numbers {
		n := &numbers[i]
		edited, ok := p.findEdited(n.Text)
		if !ok {
			continue
		}
		if edited.segment != known {
			table, known = p.tableOf(edited), edited.segment
		}
		if was, ok := n.Read(p.Raw); ok && !isCut(cuts[:made], n.At) {
			cuts = offset.AppendCut(cuts, n, was, table.Shift(was, n.Unit, n.IsEnd))
		}
	}
	if len(cuts) > made {
		slices.SortStableFunc(cuts, func(a, b splice.Cut) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
	}
	return cuts
}

// findEdited returns the edited segment at a span of the body.
func (p *Payload) findEdited(at splice.Span) (editedSegment, bool) {
	list := p.edits.segments
	i := sort.Search(len(list), func(i int) bool { return p.Segments[list[i].segment].Span.Start >= at.Start })
	if i == len(list) || p.Segments[list[i].segment].Span != at {
		return editedSegment{}, false
	}
	return list[i], true
}

// isCut reports whether one of the cuts, which are sorted, touches a span.
func isCut(cuts []splice.Cut, at splice.Span) bool {
	i := sort.Search(len(cuts), func(i int) bool { return cuts[i].End > at.Start })
	return i < len(cuts) && cuts[i].Start < at.End
}

// tableOf returns the edits of a segment by the lengths of its text before them.
func (p *Payload) tableOf(edited editedSegment) (table offset.Table) {
	s := &p.Segments[edited.segment]
	text, _ := splice.Text(p.Raw, s.Span, s.Depth, nil)
	at, place := 0, offset.Length{}
	for _, e := range p.edits.editsOf(edited) {
		start := place.Add(offset.Measure(text[at:e.Start]))
		place, at = start.Add(offset.Measure(text[e.Start:e.End])), e.End
		table.Add(start, place, offset.Measure(zerocopy.Bytes(e.With)))
	}
	return table
}
