package chain

import (
	"cmp"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// found is what a link has found in a part of a stream, on its way to the links
// after it. Offsets are those of the text that it is beside: of a link's tail, or
// of the text that a link has just cleared.
type found struct {
	core.Finding
	id   int  // pieces of one finding that were cleared one after the other share it
	more bool // its end has yet to be cleared by the link before
	late bool // its text was sent, or nobody knows where it is
}

// inform finds out whether a link of a part of the chain, or of those in front of
// it, wants to know where others have found something: only then are places
// followed.
func (s *Stream) inform() {
	late := false
	for p := s; p != nil; p = p.front() {
		for i := range p.links {
			l := &p.links[i]
			if l.shadow || l.off {
				continue
			}
			if f, ok := l.filter.(core.Informed); ok {
				f.Informed(late)
			}
			if f, ok := l.filter.(core.LateFinder); ok && f.FindsLate() {
				late = true
			}
		}
		late = late || p.tap != nil && !p.tap.plain // the places of what is found do not pass a tap
	}
	for part := s; part != nil; part = part.front() {
		for p := part; p != nil; p = p.front() {
			part.informing = part.informing || slices.ContainsFunc(p.links, func(l streamLink) bool {
				_, ok := l.filter.(core.Informed)
				return ok && !l.shadow
			})
		}
	}
}

// front is the part of the chain in front of the tap; nil when there is none.
func (s *Stream) front() *Stream {
	if s.tap == nil {
		return nil
	}
	return s.tap.next
}

// tell hands what the last link of this part leaves to the part in front of the tap.
// That one reads events anew, and nothing has a known place in them.
func (s *Stream) tell() {
	if next := s.front(); next != nil {
		for _, f := range s.moving {
			f.late = true
			next.late = append(next.late, f)
		}
	}
	s.moving = s.moving[:0]
}

// arrive takes what was found in the text that comes from byte from of the tail on.
// What goes on becomes one with its beginning, if that is still held.
func (b *tail) arrive(moving []found, from int) {
	for _, f := range moving {
		f.Start, f.End = f.Start+from, f.End+from
		if i := slices.IndexFunc(b.found, func(g found) bool { return g.id == f.id }); i >= 0 && !f.late {
			b.found[i].End, b.found[i].more = f.End, f.more
			continue
		}
		b.found = append(b.found, f)
	}
}

// show gives what a filter is shown of it, in order.
func (b *tail) show(dst []core.Finding) []core.Finding {
	for i := range b.found {
		f := b.found[i].Finding
		if b.found[i].more {
			f.End = len(b.text) + 1
		}
		if b.found[i].late {
			f.Start, f.End = b.sent, b.sent
		}
		dst = append(dst, f)
	}
	if len(dst) > 1 {
		slices.SortStableFunc(dst, func(a, b core.Finding) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
		})
	}
	return dst
}

// foundBy keeps what the link itself has found in its window.
func (s *Stream) foundBy(l *streamLink, b *tail, list []core.Finding) {
	for _, f := range list {
		s.ids++
		f.Link, f.Phase, f.Segment = s.c.links[l.i].Name, core.Response, -1
		placed := b.sent <= f.Start && f.Start < f.End && f.End <= len(b.text)
		b.found = append(b.found, found{Finding: f, id: s.ids, late: !placed})
	}
}

// leave moves what was found in the cleared text on to the next link: edits are
// those of this one. What reaches beyond goes in pieces.
func (b *tail) leave(dst []found, edits []core.Edit, clear int) []found {
	keep := b.found[:0]
	for _, f := range b.found {
		switch {
		case f.late:
			f.Start, f.End = 0, 0
			dst = append(dst, f)
			continue
		case f.Start >= clear && f.Start < f.End:
			keep = append(keep, f)
			continue
		}
		piece := f
		if f.End > clear {
			piece.End, piece.more = clear, true
			f.Start = clear
			keep = append(keep, f)
		}
		piece.Start, piece.End = moved(edits, piece.Start, piece.End)
		piece.Start, piece.End = piece.Start-b.sent, piece.End-b.sent
		dst = append(dst, piece)
	}
	b.found = keep
	return dst
}

// moved gives the place of a stretch after edits, which are in order.
func moved(edits []core.Edit, start, end int) (int, int) {
	grown, i := 0, 0
	for ; i < len(edits) && edits[i].End <= start; i++ {
		grown += len(edits[i].With) - (edits[i].End - edits[i].Start)
	}
	from := start + grown
	if i < len(edits) && edits[i].Start < start {
		from = edits[i].Start + grown
	}
	for ; i < len(edits) && edits[i].End <= end; i++ {
		grown += len(edits[i].With) - (edits[i].End - edits[i].Start)
	}
	to := end + grown
	if i < len(edits) && edits[i].Start < end {
		to = edits[i].Start + len(edits[i].With) + grown
	}
	return from, max(from, to)
}
