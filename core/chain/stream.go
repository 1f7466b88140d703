package chain

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// Stream opens the filters of the links that take part in the response. The
// stream must be closed.
func (c *Chain) Stream(ctx context.Context, x *core.Exchange, d core.Dialect) (*Stream, *core.Error) {
	r := c.begin(x)
	x.Finish = "" // there may have been another answer
	first := &Stream{c: c, x: x, r: r, d: d, transcript: newTranscript(d)}
	s := first
	for set := c.findResponders(r); set != 0; {
		i := bits.Len64(uint64(set)) - 1
		set &^= 1 << i
		r.reached |= 1 << i
		l := streamLink{i: i, action: core.Pass}
		if c.shadow.has(i) {
			l.state = watching
		}
		if t, ok := c.links[i].Stage.(core.Tapper); ok {
			next, e := s.addTap(ctx, t, l)
			if e != nil {
				return first, e
			}
			s = next
			continue
		}
		f, err := openFilter(ctx, &c.links[i], x, r.kept[i])
		switch {
		case err != nil:
			if e := s.applyFaultRule(ctx, &l, core.FindFault(err), err); e != nil {
				s.links = append(s.links, l)
				return first, e
			}
		case f == nil:
			l.state = l.state.stop()
		}
		l.filter = f
		s.judged = s.judged || f != nil && l.state != watching
		s.links = append(s.links, l)
	}
	return first, first.askForFindings(ctx)
}

var errNoStream = errors.New("the stage cannot inspect streamed answers")

func openFilter(ctx context.Context, l *Link, x *core.Exchange, kept any) (f core.StreamFilter, err error) {
	st, ok := l.Stage.(core.StreamStage)
	if !ok {
		return nil, errNoStream
	}
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, panicError{describePanic(r)}
		}
	}()
	return st.Stream(ctx, x, kept)
}

// RunEvent appends to dst what may be sent now that the event has arrived: nothing,
// the event as it came, or the event with its text changed, and before it text
// that was held for parts that end here.
func (s *Stream) RunEvent(ctx context.Context, ev *core.Event, dst []byte) ([]byte, *core.Error) {
	s.clock = core.MeasureUptime()
	return s.routeEvent(ctx, ev, dst)
}

// routeEvent is Event when the clock was read.
func (s *Stream) routeEvent(ctx context.Context, ev *core.Event, dst []byte) ([]byte, *core.Error) {
	if s.tap != nil {
		return s.sendThroughTap(ctx, ev, dst)
	}
	return s.runEvent(ctx, ev, dst)
}

// End ends all parts: the stream is over, by its own end or by the provider's
// failure. What was held is judged, then released.
func (s *Stream) End(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	s.clock = core.MeasureUptime()
	return s.endLinks(ctx, dst)
}

func (s *Stream) endLinks(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	if s.tap != nil {
		return s.endThroughTap(ctx, dst)
	}
	return s.endParts(ctx, dst)
}

// LikeEvent returns an earlier event of the stream, or nil.
func (s *Stream) LikeEvent() []byte { return s.like }

// Last returns the last event if the shape is a Repeater, or nil.
func (s *Stream) Last() []byte {
	if s.transcript == nil {
		return nil
	}
	return s.transcript.last
}

// RetryDecision returns the Retry of a link if it caused the error of Event or End, or nil.
func (s *Stream) RetryDecision() *Decision {
	if s.again == nil && s.tap != nil {
		return s.tap.next.RetryDecision()
	}
	return s.again
}

// Close closes the filters and records the verdict of each link.
func (s *Stream) Close(ctx context.Context) {
	for k := range s.links {
		l := &s.links[k]
		name := s.c.links[l.i].Name
		if l.filter != nil {
			if err := closeFilter(ctx, l.filter); err != nil && l.fault == 0 {
				l.fault = core.FindFault(err)
			}
			l.filter = nil
		}
		s.x.Visits = append(
			s.x.Visits,
			core.Visit{Link: name, Phase: core.Response, Action: l.action, Shadow: l.state.isShadow(), Fault: l.fault, Duration: l.spent},
		)
	}
	s.links = nil
	s.parts.reset()
	for _, set := range s.parts.gone {
		s.r.spare.put(set)
	}
	s.parts.gone = nil
	if s.tap != nil {
		s.tap.recordVisit()
		s.tap.next.Close(ctx)
	}
}

func closeFilter(ctx context.Context, f core.StreamFilter) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError{describePanic(r)}
		}
	}()
	if err = f.Close(ctx); err != nil {
		return fmt.Errorf("close the filter: %w", err)
	}
	return nil
}

// addTap ends this part of the stream with a tap, and returns the next part.
func (s *Stream) addTap(ctx context.Context, t core.Tapper, l streamLink) (*Stream, *core.Error) {
	to, err := openTap(ctx, t, s.x, s.r.kept[l.i])
	next := &Stream{c: s.c, x: s.x, r: s.r, d: s.d, transcript: newTranscript(s.d)}
	s.tap = &tap{link: l, to: to, next: next, plain: len(s.links) == 0, owner: s}
	if err != nil {
		s.tap.to = nil
		return next, s.applyFaultRule(ctx, &s.tap.link, core.FindFault(err), err)
	}
	return next, nil
}

// askForFindings finds out whether a link of a part of the chain, or of those in front of
// it, wants to know where others have found something: only then are places
// followed.
func (s *Stream) askForFindings(ctx context.Context) *core.Error {
	late := false
	for p := s; p != nil; p = p.getFrontPart() {
		for i := range p.links {
			l := &p.links[i]
			if l.state != judging {
				continue
			}
			finds, err := informFilter(l.filter, late)
			if err != nil {
				if e := p.applyFaultRule(ctx, l, core.FaultPanic, err); e != nil {
					return e
				}
			}
			late = late || finds || err != nil
		}
		late = late || p.tap != nil && !p.tap.plain // the places of what is found do not pass a tap
	}
	for part := s; part != nil; part = part.getFrontPart() {
		for p := part; p != nil; p = p.getFrontPart() {
			part.informing = part.informing || slices.ContainsFunc(p.links, func(l streamLink) bool {
				_, ok := l.filter.(core.FindingsReader)
				return ok && !l.state.isShadow()
			})
		}
	}
	return nil
}

// informFilter tells a filter whether links before it can report findings late, and returns whether the filter itself
// can. An error is a panic of the filter.
func informFilter(f core.StreamFilter, late bool) (finds bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError{describePanic(r)}
		}
	}()
	if g, ok := f.(core.FindingsReader); ok {
		g.Inform(late)
	}
	if g, ok := f.(core.LateFinder); ok {
		finds = g.FindsLate()
	}
	return finds, nil
}

// sendThroughTap takes an event through the links of this part, the tap, and those of
// the next part.
func (s *Stream) sendThroughTap(ctx context.Context, ev *core.Event, dst []byte) ([]byte, *core.Error) {
	t := s.tap
	t.next.clock = s.clock
	if t.plain {
		if !ev.Withhold {
			if e := t.passEvent(ctx, ev.Raw); e != nil {
				return dst, e
			}
		}
		return t.next.routeEvent(ctx, ev, dst)
	}
	made, e := s.runEvent(ctx, ev, t.made[:0])
	t.made = made
	if e != nil {
		return dst, e
	}
	return t.sendMade(ctx, dst)
}

// endThroughTap ends the parts one after the other.
func (s *Stream) endThroughTap(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	t := s.tap
	if !t.plain {
		made, e := s.endParts(ctx, t.made[:0])
		if t.made = made; e != nil {
			return dst, e
		}
		if dst, e = t.sendMade(ctx, dst); e != nil {
			return dst, e
		}
	}
	t.next.clock = core.MeasureUptime()
	return t.next.endLinks(ctx, dst)
}

// sendMade passes the new events to the tap and through the next part.
func (t *tap) sendMade(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	if err := t.events.Write(t.made); err != nil {
		return dst, core.ConvertError(err)
	}
	var e *core.Error
	for raw := t.events.Next(); raw != nil; raw = t.events.Next() {
		if dst, e = t.sendEvent(ctx, raw, dst); e != nil {
			return dst, e
		}
	}
	if rest := t.events.Rest(); len(rest) > 0 { // a CR at the end may be half of a line's end elsewhere
		dst, e = t.sendEvent(ctx, rest, dst)
		t.events.Reset()
	}
	return dst, e
}

func (t *tap) sendEvent(ctx context.Context, raw, dst []byte) ([]byte, *core.Error) {
	t.next.clock = t.owner.clock
	if e := t.passEvent(ctx, raw); e != nil {
		return dst, e
	}
	t.event.Reset(raw)
	if err := t.owner.d.ScanEvent(t.owner.x, &t.event); err != nil { // it was read before, and rewritten by the dialect itself
		return dst, core.ConvertError(err)
	}
	dst, e := t.next.routeEvent(ctx, &t.event, dst)
	t.owner.clock = t.next.clock
	return dst, e
}
