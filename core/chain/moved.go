package chain

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// movedParts says what the links have changed of one text of a stream, so that offsets into it can be moved. It outlives
// the part: events that repeat offsets come after the end of a part, and a part can open again.
type movedParts struct {
	core.Part
	received offset.Length // of the text as the provider sent it
	links    []movedText
}

// movedText says what one link has changed of a text.
type movedText struct {
	passed offset.Length // of the text before the link that it has cleared
	table  offset.Table
	room   *int // edits that the stream may still keep
}

// maxMovedEdits bounds the edits that a stream keeps for all its texts and links: 1 MiB. Beyond it the edits of each text
// become one, so that only offsets between them are less exact.
const maxMovedEdits = 1 << 14

// note counts the text that a link clears, text[sent:clear], and keeps its edits, which are sorted.
func (m *movedText) note(text []byte, sent, clear int, edits []core.Edit) {
	if m == nil {
		return
	}
	for i := range edits {
		e := &edits[i]
		start := m.passed.Add(offset.Measure(text[sent:e.Start]))
		m.passed, sent = start.Add(offset.Measure(text[e.Start:e.End])), e.End
		m.add(start, offset.Measure(zerocopy.ViewBytes(e.With)))
	}
	m.passed = m.passed.Add(offset.Measure(text[sent:clear]))
}

// add keeps an edit that ends at the text that has passed.
func (m *movedText) add(start, with offset.Length) {
	before := m.table.Len()
	m.table.Add(start, m.passed, with)
	if *m.room -= m.table.Len() - before; *m.room < 0 {
		*m.room += m.table.Merge()
	}
}

// shift returns the offset of the same place in the text that the client was sent.
func (m *movedParts) shift(at int, u offset.Unit, isEnd bool) int {
	for k := range m.links {
		at = m.links[k].table.Shift(at, u, isEnd)
	}
	return at
}
