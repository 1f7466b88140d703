package chain

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// maxMovedParts bounds the texts of a stream whose changes are kept.
const maxMovedParts = 1 << 10

// followOffsets has the part note what links change of its text.
func (s *Stream) followOffsets(q *part) {
	q.moved = s.textOf[q.Part]
	if q.moved == nil {
		if len(s.texts) == maxMovedParts {
			return
		}
		q.moved = &movedParts{Part: q.Part, links: make([]movedText, len(s.links))}
		for k := range q.moved.links {
			q.moved.links[k].room = &s.movable
		}
		if len(s.texts) == 0 {
			s.movable, s.textOf = maxMovedEdits, map[core.Part]*movedParts{}
		}
		s.texts, s.textOf[q.Part] = append(s.texts, q.moved), q.moved
	}
	for k := range q.bufs {
		q.bufs[k].moved = &q.moved.links[k]
	}
}

// shiftOffsets writes the offsets in the event at the end of buf, which starts at from, so that they point at the same
// text as the provider's. An event with data that is not valid JSON stays as it is.
func (s *Stream) shiftOffsets(buf []byte, from int, f offset.Finder) []byte {
	if f == nil {
		return buf
	}
	isAbout := s.isLast() && s.x.Request.HasEditedDocuments()
	if !s.edited && !isAbout {
		return buf
	}
	event := buf[from:]
	lo, hi, lines := sse.FindData(event)
	if lines > 1 {
		event = sse.Join(nil, event)
		lo, hi, lines = sse.FindData(event)
	}
	if lines != 1 {
		return buf
	}
	doc := event[lo:hi]
	numbers := f.AppendOffsets(nil, doc)
	var cuts []splice.Cut
	m := offsetMover{texts: s.texts, textOf: s.textOf}
	if isAbout {
		m.request = &s.x.Request
	}
	for i := range numbers {
		n := &numbers[i]
		if was, ok := n.Read(doc); ok {
			cuts = offset.AppendCut(cuts, n, was, m.move(n, was))
		}
	}
	if len(cuts) == 0 {
		return buf
	}
	made, err := splice.Append(nil, doc, cuts)
	if err != nil {
		return buf
	}
	made = append(append(append([]byte(nil), event[:lo]...), made...), event[hi:]...)
	return append(buf[:from], made...)
}

// isLast reports whether what leaves this part of the chain is what the client gets.
func (s *Stream) isLast() bool { return s.tap == nil }

// releaseReady appends the events at the front that wait for nothing.
func (s *Stream) releaseReady(dst []byte) []byte {
	u := &s.queue
	for len(u.events) > 0 && u.events[0].behind <= 0 {
		from := len(dst)
		dst = s.shiftOffsets(append(dst, u.events[0].raw...), from, u.events[0].offsets)
		u.size -= u.events[0].size()
		u.events[0] = queuedEvent{}
		u.events = u.events[1:]
		u.first++
	}
	return dst
}
