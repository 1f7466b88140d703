package chain

import (
	"bytes"
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// runEvent is Event for the links up to the tap.
func (s *Stream) runEvent(ctx context.Context, ev *core.Event, dst []byte) ([]byte, *core.Error) {
	if s.transcript.isFull() {
		return dst, errTooLong
	}
	doc := ev.Raw
	if ev.Joined != nil {
		doc = ev.Joined
	}
	s.noteEvent(ev, doc)
	if len(s.links) == 0 {
		if ev.Withhold {
			return dst, nil
		}
		return s.shiftOffsets(append(dst, ev.Raw...), len(dst), ev.Offsets), nil
	}
	if len(ev.Deltas) > maxDeltas {
		return dst, errTooLong
	}
	dst, isWaiting := s.resolvePending(ev, dst)
	if isWaiting {
		return dst, nil
	}
	s.cuts, s.out = s.cuts[:0], s.out[:0]
	s.cutLoose(ev)
	var waits *part // whose text continues in the next event
	left := false
	for i := range ev.Deltas {
		d := &ev.Deltas[i]
		empty := d.Span.Len() == 0
		// A tool call may begin without text; any other text may come empty beside
		// every piece of another part, which does not end it.
		if !empty || d.Part.Kind == core.KindToolArgs {
			var e *core.Error
			if dst, e = s.closeOtherParts(ctx, d.Part, dst); e != nil {
				return dst, e
			}
		}
		if empty {
			left = true
			continue
		}
		s.transcript.notePartEvent(d.Part, doc)
		text, scratch := decodeText(doc, d.Span, d.Depth, s.text[:0])
		s.text = scratch
		q, e := s.openPart(d.Part, d.JSON)
		if e != nil {
			return dst, e
		}
		got, same, e := s.feedText(ctx, q, text, endsPart(ev, i))
		if e != nil {
			return dst, e
		}
		dst = s.releaseDecided(q, dst)
		s.transcript.addText(d.Part, zerocopy.String(got))
		if len(s.landed) > 0 {
			whole := len(got)
			got, dst = s.releaseBetween(q, got, dst, i == len(ev.Deltas)-1)
			same = same && len(got) == whole
		} else if same {
			left = true
		}
		if same {
			left = left || len(got) > 0
			continue
		}
		if s.waitsForEnd(q, ev) {
			waits = q
		}
		s.replaceDelta(d, got)
		s.cutTied(ev, d.Part.Choice)
		left = left || len(got) > 0
	}
	var e *core.Error
	if dst, e = s.closeEnded(ctx, ev, dst); e != nil {
		return dst, e
	}
	for i := range ev.Wholes {
		var e *core.Error
		if dst, e = s.rewriteWhole(ctx, ev, doc, &ev.Wholes[i], dst); e != nil {
			return dst, e
		}
	}
	dst = s.splitEvent(ev, doc, waits, dst)
	from := len(dst)
	if !ev.Withhold && (left || !ev.HasOnlyDeltas || len(ev.Deltas) == 0) {
		if dst, e = s.sendEvent(dst, ev, doc); e != nil {
			return dst, e
		}
	}
	if waits != nil {
		s.addPending(waits, ev.Raw, dst[from:])
		dst = dst[:from]
	}
	return s.releaseQueue(dst), nil
}

// sendEvent appends an event with the cuts that were made in it, or queues it behind held text.
func (s *Stream) sendEvent(dst []byte, ev *core.Event, doc []byte) ([]byte, *core.Error) {
	from := len(dst)
	dst, e := s.appendEvent(dst, ev, doc)
	if e != nil {
		return dst, e
	}
	if s.split || isBeside(ev) {
		s.split = false
		isWaiting, e := s.enqueue(dst[from:], ev.Offsets)
		if isWaiting || e != nil {
			return dst[:from], e
		}
	}
	return s.shiftOffsets(dst, from, ev.Offsets), nil
}

// noteEvent notes what later events are written like, and why the answer has ended.
func (s *Stream) noteEvent(ev *core.Event, doc []byte) {
	s.transcript.noteEvent(doc)
	if ev.Finish.Len() > 0 && s.x.Finish == "" {
		s.x.Finish = string(doc[ev.Finish.Start:ev.Finish.End])
	}
	if ev.IsTemplate && s.like == nil {
		s.like = bytes.Clone(doc)
	}
}

// appendEvent appends an event with the cuts that were made in it.
func (s *Stream) appendEvent(dst []byte, ev *core.Event, doc []byte) ([]byte, *core.Error) {
	from := len(dst)
	if len(s.cuts) == 0 {
		dst = append(dst, ev.Raw...)
	} else {
		var err error
		if dst, err = splice.Append(dst, doc, s.cuts); err != nil {
			return dst, core.ConvertError(err)
		}
	}
	if ev.Impure && s.judged {
		dst = sse.Strip(dst, from)
	}
	return dst, nil
}

// maxDeltas bounds the texts of one event, each of which is compared with those behind it: 128
// choices, the most that a provider gives, with 16 texts each.
const maxDeltas = 2048

// closeEnded closes the parts and choices that an event ends, all of them if it is the last.
func (s *Stream) closeEnded(ctx context.Context, ev *core.Event, dst []byte) (_ []byte, e *core.Error) {
	for _, p := range ev.Ends {
		if dst, e = s.closePart(ctx, p, dst); e != nil {
			return dst, e
		}
	}
	for _, choice := range ev.Closes {
		if dst, e = s.closeChoice(ctx, choice, dst); e != nil {
			return dst, e
		}
	}
	if ev.Done {
		return s.endParts(ctx, dst)
	}
	return dst, nil
}

// endParts is End for the links up to the tap.
func (s *Stream) endParts(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	dst = s.releasePending(dst)
	for _, q := range s.parts.listParts() {
		if q.state == open {
			var e *core.Error
			if dst, e = s.endPart(ctx, q, dst); e != nil {
				return dst, e
			}
		}
	}
	s.parts.reset()
	dst = s.releaseQueue(dst)
	if s.state == running {
		s.state = ended
		for k := range s.links {
			if e := s.checkEnd(ctx, &s.links[k]); e != nil {
				return dst, e
			}
		}
	}
	return dst, nil
}

// replaceDelta replaces the text of a delta.
func (s *Stream) replaceDelta(d *core.Delta, text []byte) {
	from := len(s.out)
	s.out = append(s.out, text...)
	for range d.Depth {
		n := len(s.out)
		s.out = splice.AppendEscaped(s.out, zerocopy.String(s.out[from:n]))
		from = n
	}
	// What is written behind it leaves it as it is, also where s.out grows, and cuts are carried out before the next event.
	s.cuts = append(s.cuts, splice.Cut{Span: d.Span, With: zerocopy.String(s.out[from:])})
}

// rewriteWhole makes a value that repeats a part say what the client was sent of it,
// whatever the provider says there: the links have seen nothing else. A part that
// nothing was sent of comes in one piece, and is looked at now.
func (s *Stream) rewriteWhole(ctx context.Context, ev *core.Event, doc []byte, w *core.Delta, dst []byte) ([]byte, *core.Error) {
	if w.Span.Len() == 0 {
		return dst, nil
	}
	dst, e := s.closePart(ctx, w.Part, dst)
	if e != nil {
		return dst, e
	}
	text, scratch := decodeText(doc, w.Span, w.Depth, s.text[:0])
	s.text = scratch
	if q := s.transcript.find(w.Part); q != nil {
		if string(q.text) != text {
			s.replaceDelta(w, q.text)
			s.cutTied(ev, w.Part.Choice)
		}
		return dst, nil
	}
	q, e := s.openPart(w.Part, w.JSON)
	if e != nil {
		return dst, e
	}
	got, same, e := s.feedText(ctx, q, text, true)
	s.parts.dropClosed(w.Part.Choice)
	if e != nil {
		return dst, e
	}
	if same {
		s.transcript.addText(w.Part, text)
		return dst, nil
	}
	s.transcript.addText(w.Part, zerocopy.String(got))
	s.replaceDelta(w, got)
	s.cutTied(ev, w.Part.Choice)
	return dst, nil
}

// endsPart reports whether a delta is the last of its part, because the event ends the part, or continues with another
// part that does. Its held text must then be sent with it: it could neither follow in its own event nor precede.
func endsPart(ev *core.Event, i int) bool {
	p := ev.Deltas[i].Part
	for k := i + 1; k < len(ev.Deltas); k++ {
		next := &ev.Deltas[k]
		switch {
		case next.Part == p:
			return false
		case next.Part.Choice != p.Choice || next.Span.Len() == 0 && next.Part.Kind != core.KindToolArgs:
		case !ev.Deltas[i].JSON || next.Part.Kind != p.Kind: // arguments of parallel calls may come in turns
			return true
		}
	}
	return closesPart(ev, p)
}

// closesPart reports whether a part ends with the event.
func closesPart(e *core.Event, p core.Part) bool {
	return slices.Contains(e.Closes, p.Choice) || slices.Contains(e.Ends, p)
}

// minText is the size of the first buffer for decoded text.
const minText = 4 << 10

// decodeText returns the decoded text at a span, and the scratch buffer with the text appended, if it needed one. Text
// without escapes aliases doc. If scratch is full, a new buffer replaces it: texts in the old one stay valid.
func decodeText(doc []byte, at splice.Span, depth uint8, scratch []byte) (string, []byte) {
	if need := at.Len(); cap(scratch)-len(scratch) < need {
		text, aliased := splice.ReadText(doc, at, depth, nil)
		if aliased {
			return zerocopy.String(text), scratch
		}
		return zerocopy.String(text), make([]byte, 0, max(minText, 2*cap(scratch), 2*need))
	}
	n := len(scratch)
	text, aliased := splice.ReadText(doc, at, depth, scratch) // decoding never lengthens, so scratch is not reallocated
	if aliased {
		return zerocopy.String(text), scratch
	}
	return zerocopy.String(text), scratch[:n+len(text)]
}
