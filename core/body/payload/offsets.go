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
	if p.Offsets == nil || p.edits.isEmpty() && p.origin == nil {
		return cuts
	}
	made := len(cuts)
	numbers := p.Offsets.AppendOffsets(nil, p.Raw)
	if len(numbers) == 0 {
		return cuts
	}
	m := offsetMover{p: p, tables: make([]*offset.Table, len(p.edits.segments))}
	for i := range numbers {
		n := &numbers[i]
		if was, ok := n.Read(p.Raw); ok && !isCut(cuts[:made], n.At) {
			cuts = offset.AppendCut(cuts, n, was, m.move(n, was))
		}
	}
	if len(cuts) > made {
		slices.SortStableFunc(cuts, func(a, b splice.Cut) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
	}
	return cuts
}

// offsetMover moves the offsets of one body. Each text is measured once, in whatever order numbers point into the texts.
type offsetMover struct {
	p      *Payload
	tables []*offset.Table // of the edited segments; nil until measured
	joined []joinedText    // the texts that the last offset spans
	of     *splice.Span    // the span of the first one
}

// joinedText is one of several texts that an offset counts through.
type joinedText struct {
	table  *offset.Table // nil if the text has no edits
	length offset.Length
}

// move returns the offset of the same place after the edits.
func (m *offsetMover) move(n *offset.Number, at int) int {
	switch {
	case n.Document > 0 && m.p.origin == nil:
		return at
	case n.Document > 0:
		return m.p.origin.FindInDocument(n, at)
	case len(n.Texts) > 0:
		return m.moveThrough(n, at)
	}
	if t := m.findTable(n.Text); t != nil {
		return t.Shift(at, n.Unit, n.IsEnd)
	}
	return at
}

// moveThrough moves an offset that counts through several texts.
func (m *offsetMover) moveThrough(n *offset.Number, at int) int {
	if m.of != &n.Texts[0] {
		m.joined, m.of = m.joined[:0], &n.Texts[0]
		for _, span := range n.Texts {
			text, _ := splice.ReadText(m.p.Raw, span, 1, nil)
			m.joined = append(m.joined, joinedText{m.findTable(span), offset.Measure(text)})
		}
	}
	sent := 0 // length of the texts before, after the edits
	for i := range m.joined {
		j := &m.joined[i]
		length := j.length.Count(n.Unit)
		if at < length || n.IsEnd && at == length || i == len(m.joined)-1 {
			return sent + j.shift(at, n.Unit, n.IsEnd)
		}
		at -= length
		sent += j.shift(length, n.Unit, false)
	}
	return at
}

func (j *joinedText) shift(at int, u offset.Unit, isEnd bool) int {
	if j.table == nil {
		return at
	}
	return j.table.Shift(at, u, isEnd)
}

// findTable returns the edits of the text at a span of the body, or nil.
func (m *offsetMover) findTable(at splice.Span) *offset.Table {
	k := m.p.findEdited(at)
	if k < 0 {
		return nil
	}
	if m.tables[k] == nil {
		table := m.p.buildTable(m.p.edits.segments[k])
		m.tables[k] = &table
	}
	return m.tables[k]
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

// buildTable returns the edits of a segment by the lengths of its text before them.
func (p *Payload) buildTable(edited editedSegment) (table offset.Table) {
	s := &p.Segments[edited.segment]
	text, _ := splice.ReadText(p.Raw, s.Span, s.Depth, nil)
	at, place := 0, offset.Length{}
	for _, e := range p.edits.listEdits(edited) {
		start := place.Add(offset.Measure(text[at:e.Start]))
		place, at = start.Add(offset.Measure(text[e.Start:e.End])), e.End
		table.Add(start, place, offset.Measure(zerocopy.ViewBytes(e.With)))
	}
	return table
}
