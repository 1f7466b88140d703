package chain

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// isBeside reports whether an event carries neither text of a part nor the end of one, so that all it can be about is the
// text before it. Comments are about nothing.
func isBeside(ev *core.Event) bool {
	if len(ev.Ends)+len(ev.Closes) > 0 || ev.Done || ev.Withhold || ev.Opening {
		return false
	}
	for i := range ev.Deltas {
		d := &ev.Deltas[i]
		isAside := d.Part.Kind == core.KindOther && d.JSON
		if !isAside && (d.Span.Len() > 0 || d.Part.Kind == core.KindToolArgs) {
			return false
		}
	}
	_, _, lines := sse.FindData(ev.Raw)
	return lines > 0 || bytes.HasPrefix(bytes.TrimLeft(ev.Raw, "\r\n"), []byte("{"))
}

// enqueue queues an event if text is held that came before it. It reports whether the event waits.
func (s *Stream) enqueue(raw []byte, offsets offset.Finder) (waits bool, e *core.Error) {
	u := &s.queue
	number := u.first + len(u.events)
	behind := 0
	var like []byte
	for c := range s.parts.choices {
		for _, q := range s.parts.choices[c].parts {
			if k := q.findHolder(s.links); k >= 0 {
				q.bufs[k].marks = append(q.bufs[k].marks, mark{number: number, at: len(q.bufs[k].text)})
				like = s.transcript.findLastPartEvent(q.Part)
				behind++
			}
		}
	}
	switch {
	case behind == 0 && len(u.events) == 0:
		return false, nil
	case behind > 1: // each part is written like its own events
		like = nil
	}
	event := queuedEvent{raw: bytes.Clone(raw), like: bytes.Clone(like), behind: behind, offsets: offsets}
	u.size += event.size() + behind*markSize
	limit := maxQueued
	if s.Withholds() {
		limit = maxWithheld
	}
	if u.size > limit {
		return false, errTooLong
	}
	u.events = append(u.events, event)
	return true, nil
}

// findHolder returns the first link that holds text of the part back, or -1.
func (q *part) findHolder(links []streamLink) int {
	for k := range q.bufs {
		if b := &q.bufs[k]; !links[k].state.isShadow() && b.sent < len(b.text) {
			return k
		}
	}
	return -1
}

// releaseBetween appends the queued events that belong between the beginning and the end of a cleared text, each behind
// the text before it. It returns the text behind the last of them. If an event with that text follows, what belongs behind
// all of it stays in the queue until releaseQueue.
func (s *Stream) releaseBetween(q *part, text, dst []byte, follows bool) (rest, _ []byte) {
	from, u := 0, &s.queue
	for _, m := range s.landed {
		u.note(m.number)
		if len(u.events) == 0 || u.events[0].behind > 0 || follows && m.at == len(text) && len(text) > 0 {
			continue
		}
		if m.at > from {
			like := u.events[0].like
			if like == nil {
				like = s.findLikeEvent(q)
			}
			dst = s.d.AppendDelta(dst, like, q.Part, string(text[from:m.at]))
			from = m.at
		}
		dst = s.releaseReady(dst)
	}
	s.landed = s.landed[:0]
	return text[from:], dst
}

// releaseQueue appends the queued events whose text has left.
func (s *Stream) releaseQueue(dst []byte) []byte {
	if len(s.queue.events) == 0 {
		return dst
	}
	for _, m := range s.landed {
		s.queue.note(m.number)
	}
	s.landed = s.landed[:0]
	return s.releaseReady(dst)
}

// findLikeEvent returns an event that text of a part can be written like.
func (s *Stream) findLikeEvent(q *part) []byte {
	if like := s.transcript.findLastPartEvent(q.Part); like != nil {
		return like
	}
	return s.like
}
