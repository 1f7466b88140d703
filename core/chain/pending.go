package chain

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// maxPending bounds the bytes of pending events.
const maxPending = 64 << 10

// resolvePending decides about pending events when another event arrives. An event without content waits with them; one
// that continues the same text keeps them; any other releases them. waits reports that the event is done with.
func (s *Stream) resolvePending(ev *core.Event, dst []byte) (_ []byte, waits bool) {
	p := &s.pending
	switch {
	case len(p.raw) == 0:
		return dst, false
	case len(p.raw) > maxPending:
	case p.isSilent(ev):
		from := len(p.raw)
		if p.raw = append(p.raw, ev.Raw...); ev.Impure && s.judged {
			p.raw = sse.Strip(p.raw, from)
		}
		p.cut = append(p.cut, p.raw[from:]...)
		return dst, true
	case isAlone(ev) && ev.Deltas[0].Part == p.part:
		return dst, false
	}
	return s.releasePending(dst), false
}

// releasePending releases pending events without the text that is still undecided. It
// follows later, in another event.
func (s *Stream) releasePending(dst []byte) []byte {
	p := &s.pending
	if len(p.raw) == 0 {
		return dst
	}
	if q := s.parts.find(p.part); q != nil && q.json != nil {
		q.json.pending = 0
	}
	dst = append(dst, p.cut...)
	p.raw, p.cut = p.raw[:0], p.cut[:0]
	return dst
}

// releaseDecided releases pending events once their text is decided.
func (s *Stream) releaseDecided(q *part, dst []byte) []byte {
	p := &s.pending
	if len(p.raw) == 0 || q.json == nil || q.json.pending > 0 || q.Part != p.part {
		return dst
	}
	if q.json.changed {
		dst = append(dst, p.cut...)
	} else {
		dst = append(dst, p.raw...)
		s.transcript.addText(q.Part, zerocopy.String(p.text))
	}
	p.raw, p.cut = p.raw[:0], p.cut[:0]
	return dst
}

// addPending lets an event wait whose text was not changed but for its end, which is not
// known yet. cut is what the event would be without that end.
func (s *Stream) addPending(q *part, raw, cut []byte) {
	p := &s.pending
	p.part = q.Part
	p.raw, p.cut = append(p.raw, raw...), append(p.cut, cut...)
	p.text = append(p.text[:0], q.json.carry...)
	q.json.pending = len(p.text)
}

// waitsForEnd reports whether an event waits until the end of the text that it is cut in is known.
func (s *Stream) waitsForEnd(q *part, ev *core.Event) bool {
	return q.json != nil && q.json.waits && len(s.cuts) == 0 && isAlone(ev) && len(s.queue.events) == 0
}

// isAlone reports whether an event contains only text of one part.
func isAlone(ev *core.Event) bool {
	return len(ev.Deltas) == 1 && len(ev.Ends)+len(ev.Closes)+len(ev.Wholes) == 0 && !ev.Done && !ev.Withhold && !ev.Impure
}

// isSilent reports whether an event has no text, and neither begins nor ends any.
func (p *pendingEvents) isSilent(ev *core.Event) bool {
	for i := range ev.Deltas {
		if d := &ev.Deltas[i]; d.Span.Len() > 0 || d.Part != p.part {
			return false
		}
	}
	return len(ev.Ends)+len(ev.Closes)+len(ev.Wholes)+len(ev.Tied) == 0 && !ev.Done && !ev.Withhold && !ev.Failed
}
