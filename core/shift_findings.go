package core

import "sort"

// shiftFindings moves findings to where their text stands after the edits. It is
// called while p still is the body before them.
func (x *Exchange) shiftFindings(p *Payload, edits []Edit) {
	if len(x.Findings) == 0 {
		return
	}
	x.grown = append(x.grown[:0], 0)
	for i := range edits {
		x.grown = append(x.grown, x.grown[i]+len(edits[i].With)-(edits[i].End-edits[i].Start))
	}
	m := moves{p: p, edits: edits, grown: x.grown}
	response := p == &x.Response
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Shadow || (f.Phase == Response) != response || f.Segment < 0 || f.Segment >= len(p.Segments) {
			continue
		}
		end := f.End
		f.Start = m.to(f.Segment, f.Start, false)
		f.End = max(f.Start, m.to(f.Segment, end, true))
	}
}

// moves tells where offsets stand after edits, which are in order of their
// place. A finding in a run counts its offsets from the run's first segment, so
// an offset may lie in a later one.
type moves struct {
	p     *Payload
	edits []Edit
	grown []int // grown[i]: by how much edits[:i] lengthen the text

	// The last offset lay in segment at of the run from first; base is the length
	// of the run's text before it. Findings come in order, mostly, and a long run
	// is walked once.
	known           bool
	first, at, base int
}

func (m *moves) to(first, offset int, end bool) int {
	if !m.known || m.first != first || offset < m.base {
		m.known, m.first, m.at, m.base = true, first, first, 0
	}
	for m.at+1 < len(m.p.Segments) && m.p.Segments[m.at+1].Joined {
		n := len(m.p.Text(m.at))
		if offset <= m.base+n {
			break
		}
		m.base += n
		m.at++
	}
	lo := m.edit(first, 0)
	hi := m.edit(m.at+1, 0)
	// The first edit that ends behind the offset: those before it have moved it.
	from := m.edit(m.at, 0)
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

// edit is the index of the first edit of segment s, from start on, or of a later
// segment.
func (m *moves) edit(s, start int) int {
	return sort.Search(len(m.edits), func(i int) bool {
		e := &m.edits[i]
		return e.Segment > s || e.Segment == s && e.Start >= start
	})
}
