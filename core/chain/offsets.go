package chain

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// mostMovedParts bounds the texts of a stream whose changes are kept.
const mostMovedParts = 1 << 10

// followOffsets has the part note what links change of its text.
func (s *Stream) followOffsets(q *part) {
	q.moved = s.findMoved(q.Part)
	if q.moved == nil {
		if len(s.texts) == mostMovedParts {
			return
		}
		q.moved = &movedParts{Part: q.Part, links: make([]movedText, len(s.links))}
		s.texts = append(s.texts, q.moved)
	}
	for k := range q.bufs {
		q.bufs[k].moved = &q.moved.links[k]
	}
}

func (s *Stream) findMoved(p core.Part) *movedParts {
	for i := len(s.texts) - 1; i >= 0; i-- {
		if s.texts[i].Part == p {
			return s.texts[i]
		}
	}
	return nil
}

// shiftOffsets writes the offsets in the event at the end of buf, which starts at from, so that they point at the same
// text as the provider's. An event with data that is not valid JSON stays as it is.
func (s *Stream) shiftOffsets(buf []byte, from int, f offset.Finder) []byte {
	if f == nil || !s.edited {
		return buf
	}
	event := buf[from:]
	lo, hi, lines := sse.Data(event)
	if lines > 1 {
		event = sse.Join(nil, event)
		lo, hi, lines = sse.Data(event)
	}
	if lines != 1 {
		return buf
	}
	doc := event[lo:hi]
	numbers := f.AppendOffsets(nil, doc)
	var cuts []splice.Cut
	for i := range numbers {
		n := &numbers[i]
		if was, ok := n.Read(doc); ok {
			cuts = offset.AppendCut(cuts, n, was, s.shiftOffset(n, was))
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

// shiftOffset returns the place of one offset in what the client was sent.
func (s *Stream) shiftOffset(n *offset.Number, at int) int {
	p := core.Part{Kind: core.KindText, Choice: n.Place.Choice, Index: n.Place.Index, Form: n.Place.Form}
	if !n.Place.Joined {
		if m := s.findMoved(p); m != nil {
			return m.shift(at, n.Unit, n.IsEnd)
		}
		return at
	}
	before := 0
	for _, m := range s.texts {
		if m.Choice != p.Choice {
			continue
		}
		length := m.received.Count(n.Unit)
		if at < length || n.IsEnd && at == length {
			return before + m.shift(at, n.Unit, n.IsEnd)
		}
		at, before = at-length, before+m.shift(length, n.Unit, true)
	}
	return before + at
}

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
