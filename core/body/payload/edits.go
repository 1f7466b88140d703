package payload

import (
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// editList holds the edits of a body's texts that the body does not contain yet. There is
// one list per body, sorted by segment and place. Places are those in the text as the body
// spells it, however many links have edited that text since.
type editList struct {
	edits    []splice.Edit
	segments []editedSegment // the segments with edits, in order

	// The lists before the last merge, kept for reuse.
	spareEdits    []splice.Edit
	spareSegments []editedSegment
}

// editedSegment says which edits of the list belong to a segment: edits[from:to].
type editedSegment struct{ segment, from, to int }

func (l *editList) reset() {
	l.edits, l.segments = scratch.ReuseAll(l.edits), scratch.ReuseAll(l.segments)
	l.spareEdits, l.spareSegments = scratch.ReuseAll(l.spareEdits), scratch.ReuseAll(l.spareSegments)
}

// isEmpty reports whether the body holds all edits.
func (l *editList) isEmpty() bool { return len(l.segments) == 0 }

// listEdits returns the edits of a segment in the list.
func (l *editList) listEdits(s editedSegment) []splice.Edit { return l.edits[s.from:s.to] }

// merge joins edits of the texts as the links have left them with those in the list.
// The edits are sorted, and the segments have their new texts already.
func (l *editList) merge(segments []Segment, edits []Edit) {
	old := *l
	l.edits, l.segments = old.spareEdits[:0], old.spareSegments[:0]
	if old.isEmpty() {
		l.edits, l.segments, old.edits, old.segments = old.edits[:0], old.segments, old.spareEdits, old.spareSegments[:0]
	}
	k := 0
	for lo, hi := 0, 0; lo < len(edits); lo = hi {
		hi = findSegmentEnd(edits, lo)
		at := edits[lo].Segment
		for ; k < len(old.segments) && old.segments[k].segment < at; k++ {
			l.add(old.segments[k].segment, old.listEdits(old.segments[k]))
		}
		var before []splice.Edit
		if k < len(old.segments) && old.segments[k].segment == at {
			before = old.listEdits(old.segments[k])
			k++
		}
		from := len(l.edits)
		l.edits = composeEdits(l.edits, before, edits[lo:hi], segments[at].text)
		l.segments = append(l.segments, editedSegment{at, from, len(l.edits)})
	}
	for ; k < len(old.segments); k++ {
		l.add(old.segments[k].segment, old.listEdits(old.segments[k]))
	}
	l.spareEdits, l.spareSegments = old.edits, old.segments
}

// add appends the edits of a segment behind all others.
func (l *editList) add(segment int, edits []splice.Edit) {
	from := len(l.edits)
	l.edits = append(l.edits, edits...)
	l.segments = append(l.segments, editedSegment{segment, from, len(l.edits)})
}

// findSegmentEnd returns the index behind the last edit of the segment that edits[from] is in.
func findSegmentEnd(edits []Edit, from int) int {
	to := from + 1
	for to < len(edits) && edits[to].Segment == edits[from].Segment {
		to++
	}
	return to
}

// composeEdits appends to dst what two lists of edits, one made after the other, change of the
// text before both. after is the text behind both. Edits that overlap, because a link
// changed what an earlier one had written, become one.
func composeEdits(dst, first []splice.Edit, second []Edit, after string) []splice.Edit {
	i, k := 0, 0
	a, b := 0, 0 // by how much the text between the two is longer than the first, and the last than that one
	for i < len(first) || k < len(second) {
		// from and to are the next stretch, in the text between the two, that anything changes.
		from, to := findNextStretch(first, i, a, second, k)
		was, is := from-a, from+b
		for {
			if i < len(first) && (first[i].Start+a < to || first[i].Start+a == from) {
				e := &first[i]
				to = max(to, e.Start+a+len(e.With))
				a += len(e.With) - (e.End - e.Start)
				i++
				continue
			}
			if k < len(second) && (second[k].Start < to || second[k].Start == from) {
				e := &second[k]
				to = max(to, e.End)
				b += len(e.With) - (e.End - e.Start)
				k++
				continue
			}
			break
		}
		dst = append(dst, splice.Edit{Start: was, End: to - a, With: after[is : to+b]})
	}
	return dst
}

// findNextStretch returns the first stretch that first[i:], moved by a, or second[k:] change.
func findNextStretch(first []splice.Edit, i, a int, second []Edit, k int) (from, to int) {
	if i < len(first) {
		from, to = first[i].Start+a, first[i].Start+a+len(first[i].With)
		if k == len(second) || second[k].Start >= from {
			return from, to
		}
	}
	return second[k].Start, second[k].End
}
