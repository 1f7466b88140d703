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
	numbers := p.Offsets.AppendOffsets(nil, p.Raw)
	if len(numbers) == 0 {
		return cuts
	}
	// Each text is measured once, in whatever order numbers point into the texts.
	tables := make([]*offset.Table, len(p.edits.segments))
	for i := range numbers {
		n := &numbers[i]
		k := p.findEdited(n.Text)
		if k < 0 {
			continue
		}
		if tables[k] == nil {
			table := p.tableOf(p.edits.segments[k])
			tables[k] = &table
		}
		if was, ok := n.Read(p.Raw); ok && !isCut(cuts[:made], n.At) {
			cuts = offset.AppendCut(cuts, n, was, tables[k].Shift(was, n.Unit, n.IsEnd))
		}
	}
	if len(cuts) > made {
		slices.SortStableFunc(cuts, func(a, b splice.Cut) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
	}
	return cuts
}

// findEdited returns the place of the edited segment at a span of the body, in the list of edited segments, or -1.
func (p *Payload) findEdited(at splice.Span) int {
	list := p.edits.segments
	i := sort.Search(len(list), func(i int) bool { return p.Segments[list[i].segment].Span.Start >= at.Start })
	if i == len(list) || p.Segments[list[i].segment].Span != at {
		return -1
	}
	return i
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
