package chain

import (
	"slices"
	"sort"

	"github.com/headgate-dev/headgate/core"
)

// shiftFindings moves findings to the places of their text after the edits. Call it while p is still the body before
// them.
func (r *run) shiftFindings(x *core.Exchange, p *core.Payload, edits []core.Edit) {
	if len(x.Findings) == 0 {
		return
	}
	r.grown = append(slices.Grow(r.grown[:0], len(edits)+1), 0)
	grown := 0
	for i := range edits {
		e := &edits[i]
		grown += len(e.With) - (e.End - e.Start)
		r.grown = append(r.grown, grown)
	}
	m := shifter{p: p, edits: edits, grown: r.grown, segment: -1}
	response := p == &x.Response
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Shadow || (f.Phase == core.Response) != response || f.Segment < 0 || f.Segment >= len(p.Segments) {
			continue
		}
		if !p.Segments[f.Segment].Joined && (f.Segment+1 == len(p.Segments) || !p.Segments[f.Segment+1].Joined) {
			m.shiftSingle(f)
			continue
		}
		end := f.End
		f.Start = m.shiftOffset(f.Segment, f.Start, false)
		f.End = max(f.Start, m.shiftOffset(f.Segment, end, true))
	}
}

// shifter maps offsets to their places after edits, which are sorted. A finding in a run counts its offsets from the
// run's first segment, so an offset may lie in a later one.
type shifter struct {
	p     *core.Payload
	edits []core.Edit
	grown []int // grown[i]: by how much edits[:i] lengthen the text

	// The last offset lay in segment at of the run from first; base is the length
	// of the run's text before it. Findings come in order, mostly, and a long run
	// is walked once.
	known           bool
	first, at, base int

	// The last finding outside of a longer run: its segment, that segment's edits, and the first edit that ends behind
	// its start.
	segment, start, lo, hi, next int
}

// shiftSingle moves a finding in a segment that is its own run. Findings come in
// order, mostly, so the edits are walked along with them.
func (m *shifter) shiftSingle(f *core.Finding) {
	if f.Segment != m.segment || f.Start < m.start {
		m.segment, m.lo, m.hi = f.Segment, m.findFirstEdit(f.Segment, 0), m.findFirstEdit(f.Segment+1, 0)
		m.next = m.lo
	}
	m.start = f.Start
	edits, next := m.edits[:m.hi], m.next
	for next < len(edits) && edits[next].End <= f.Start {
		next++
	}
	m.next = next
	last := next
	for last < len(edits) && edits[last].End <= f.End {
		last++
	}
	start, end := f.Start, f.End
	if next < len(edits) && edits[next].Start < start { // it begins inside an edit: the new text is what is left
		start = edits[next].Start
	}
	if last < len(edits) && edits[last].Start < end {
		end = edits[last].Start + len(edits[last].With)
	}
	f.Start = start + m.grown[next] - m.grown[m.lo]
	f.End = max(f.Start, end+m.grown[last]-m.grown[m.lo])
}

func (m *shifter) shiftOffset(first, offset int, end bool) int {
	if !m.known || m.first != first || offset < m.base {
		m.known, m.first, m.at, m.base = true, first, first, 0
	}
	for m.at+1 < len(m.p.Segments) && m.p.Segments[m.at+1].Joined {
		n := len(m.p.ReadText(m.at))
		if offset <= m.base+n {
			break
		}
		m.base += n
		m.at++
	}
	lo := m.findFirstEdit(first, 0)
	hi := m.findFirstEdit(m.at+1, 0)
	// The first edit that ends behind the offset: those before it have moved it.
	from := m.findFirstEdit(m.at, 0)
	k := from + sort.Search(hi-from, func(i int) bool { return m.edits[from+i].End > offset-m.base })
	moved := m.grown[k] - m.grown[lo]
	if k < hi && m.edits[k].Start < offset-m.base { // inside an edit: its new text is what is left
		offset = m.base + m.edits[k].Start
		if end {
			offset += len(m.edits[k].With)
		}
	}
	return offset + moved
}

// findFirstEdit is the index of the first edit of segment s, from start on, or of a later
// segment.
func (m *shifter) findFirstEdit(s, start int) int {
	return sort.Search(len(m.edits), func(i int) bool {
		e := &m.edits[i]
		return e.Segment > s || e.Segment == s && e.Start >= start
	})
}
