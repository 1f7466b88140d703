package chain

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/nested"
)

// part is the state of one run of text.
type part struct {
	core.Part
	number int // of the order in which parts were opened
	state  partState
	bufs   []tail    // one for each link
	json   *jsonPart // set when the text is JSON
	moved  *movedParts
}

// maxUnfinished bounds the tool calls that are followed side by side.
const maxUnfinished = 128

// isUnfinished reports whether a tool call must stay open while next arrives: its
// arguments are not whole yet, and some providers send those of parallel calls
// in turns. Nothing is shown out of order by it: each call has its own place.
func (q *part) isUnfinished(next core.Part, open int) bool {
	return q.json != nil && q.Kind == next.Kind && open <= maxUnfinished && !q.json.cursor.IsWhole()
}

// updateState closes the part with its last text. A string of JSON that ends is last as well; the
// part is open again for the next one.
func (q *part) updateState(last bool) {
	q.state = open
	if last {
		q.state = closed
	}
}

// restart makes the part ready for its next run of text.
func (q *part) restart() {
	for i := range q.bufs {
		q.bufs[i].text, q.bufs[i].sent, q.bufs[i].tracked = q.bufs[i].text[:0], 0, q.bufs[i].tracked[:0]
	}
}

// tail is the text of a part that a link still works on: context, then held.
type tail struct {
	text []byte
	sent int
	out  []byte
	// tracked lies in text, and what of it was cleared has gone on.
	tracked []trackedFinding
	marks   []mark // of queued events, in order
	moved   *movedText
}

// trackedFinding is what a link has found in a part of a stream, on its way to the links
// after it. Offsets are those of the text that it is beside: of a link's tail, or
// of the text that a link has just cleared.
type trackedFinding struct {
	core.Finding
	id    int // pieces of one finding that were cleared one after the other share it
	place placeState
}

// contextBytes is how much text that was already sent a filter may see again.
const contextBytes = 96

// trim drops sent text beyond the context.
func (b *tail) trim() {
	if b.sent < 8*contextBytes {
		return
	}
	cut := b.sent - contextBytes
	for cut < b.sent && !utf8.RuneStart(b.text[cut]) {
		cut++
	}
	b.text = b.text[:copy(b.text, b.text[cut:])]
	b.sent -= cut
	for i := range b.tracked {
		b.tracked[i].Start, b.tracked[i].End = b.tracked[i].Start-cut, b.tracked[i].End-cut
	}
	for i := range b.marks {
		b.marks[i].at -= cut
	}
}

// addTracked takes what was found in the text that comes from byte from of the tail on.
// What goes on becomes one with its beginning, if that is still held.
func (b *tail) addTracked(moving []trackedFinding, from int) {
	for _, f := range moving {
		f.Start, f.End = f.Start+from, f.End+from
		if i := slices.IndexFunc(b.tracked, func(g trackedFinding) bool { return g.id == f.id }); i >= 0 && f.place != unknown {
			b.tracked[i].End, b.tracked[i].place = f.End, f.place
			continue
		}
		b.tracked = append(b.tracked, f)
	}
}

// appendShown appends the findings that a filter is shown, in order.
func (b *tail) appendShown(dst []core.Finding) []core.Finding {
	for i := range b.tracked {
		f := b.tracked[i].Finding
		switch b.tracked[i].place {
		case growing:
			f.End = len(b.text) + 1
		case unknown:
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

// releaseTracked moves what was found in the cleared text on to the next link: edits are
// those of this one. What reaches beyond goes in pieces.
func (b *tail) releaseTracked(dst []trackedFinding, edits []core.Edit, clear int) []trackedFinding {
	keep := b.tracked[:0]
	for _, f := range b.tracked {
		switch {
		case f.place == unknown:
			f.Start, f.End = 0, 0
			dst = append(dst, f)
			continue
		case f.Start >= clear && f.Start < f.End:
			keep = append(keep, f)
			continue
		}
		piece := f
		if f.End > clear {
			piece.End, piece.place = clear, growing
			f.Start = clear
			keep = append(keep, f)
		}
		piece.Start, piece.End = shiftStretch(edits, piece.Start, piece.End)
		piece.Start, piece.End = piece.Start-b.sent, piece.End-b.sent
		dst = append(dst, piece)
	}
	b.tracked = keep
	return dst
}

// addMarks takes the marks of the text that comes from byte from of the tail on.
func (b *tail) addMarks(moving []mark, from int) {
	for _, m := range moving {
		b.marks = append(b.marks, mark{number: m.number, at: m.at + from})
	}
}

// releaseMarks appends the marks of the cleared text, by their places in what the link makes of it.
func (b *tail) releaseMarks(dst []mark, edits []core.Edit, clear int) []mark {
	n := 0
	for ; n < len(b.marks) && b.marks[n].at <= clear; n++ {
		at, _ := shiftStretch(edits, b.marks[n].at, b.marks[n].at)
		dst = append(dst, mark{number: b.marks[n].number, at: at - b.sent})
	}
	b.marks = slices.Delete(b.marks, 0, n)
	return dst
}

// shiftStretch returns the place of a stretch after edits, which are sorted.
func shiftStretch(edits []core.Edit, start, end int) (int, int) {
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

// jsonPart is the state of a part whose text is JSON: a tool's arguments. Each
// string in it is shown to the links as its own run, decoded, as it is in a
// whole answer.
type jsonPart struct {
	cursor nested.Scanner
	carry  []byte // the beginning of an escape, or a number that goes on
	text   []byte
	raw    []byte
	out    []byte
	state  jsonState

	pending int  // bytes at the start of carry that pending events have
	changed bool // the text of pending events was changed
	waits   bool // the new text is as it came except for its end, which is in carry
}
