package chain

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// tap stands between two parts of the chain on a stream: what the links behind it
// have made is whole events again there.
type tap struct {
	link  streamLink
	to    core.Tap // nil: the answer passes unseen
	next  *Stream  // the links in front
	plain bool     // no link stands behind it: its events are the provider's
	owner *Stream

	made   []byte // events that the links behind have made
	events sse.Splitter
	event  core.Event
}

func taps(s core.Stage) bool {
	_, ok := s.(core.Tapper)
	return ok
}

// tapped ends this part of the stream with a tap, and gives the next part.
func (s *Stream) tapped(ctx context.Context, t core.Tapper, l streamLink) (*Stream, *core.Error) {
	to, err := openTap(ctx, t, s.x, s.r.keeps[l.i])
	next := &Stream{c: s.c, x: s.x, r: s.r, d: s.d, told: newTold(s.d)}
	s.tap = &tap{link: l, to: to, next: next, plain: len(s.links) == 0, owner: s}
	if err != nil {
		s.tap.to = nil
		return next, s.failed(ctx, &s.tap.link, core.FaultOf(err), err)
	}
	return next, nil
}

func openTap(ctx context.Context, t core.Tapper, x *core.Exchange, kept any) (to core.Tap, err error) {
	defer func() {
		if r := recover(); r != nil {
			to, err = nil, panicError{panicked(r)}
		}
	}()
	return t.Tap(ctx, x, kept)
}

// through takes an event through the links of this part, the tap, and those of
// the next part.
func (s *Stream) through(ctx context.Context, ev *core.Event, dst []byte) ([]byte, *core.Error) {
	t := s.tap
	if t.plain {
		if !ev.Withhold {
			if e := t.see(ctx, ev.Raw); e != nil {
				return dst, e
			}
		}
		return t.next.Event(ctx, ev, dst)
	}
	made, e := s.event(ctx, ev, t.made[:0])
	t.made = made
	if e != nil {
		return dst, e
	}
	return t.pass(ctx, dst)
}

// endThrough ends the parts one after the other.
func (s *Stream) endThrough(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	t := s.tap
	if !t.plain {
		made, e := s.end(ctx, t.made[:0])
		if t.made = made; e != nil {
			return dst, e
		}
		if dst, e = t.pass(ctx, dst); e != nil {
			return dst, e
		}
	}
	return t.next.End(ctx, dst)
}

// pass shows what was made to the tap, and takes it through the next part.
func (t *tap) pass(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	if err := t.events.Write(t.made); err != nil {
		return dst, core.AsError(err)
	}
	var e *core.Error
	for raw := t.events.Next(); raw != nil; raw = t.events.Next() {
		if dst, e = t.one(ctx, raw, dst); e != nil {
			return dst, e
		}
	}
	if rest := t.events.Rest(); len(rest) > 0 { // a CR at the end may be half of a line's end elsewhere
		dst, e = t.one(ctx, rest, dst)
		t.events.Reset()
	}
	return dst, e
}

func (t *tap) one(ctx context.Context, raw, dst []byte) ([]byte, *core.Error) {
	if e := t.see(ctx, raw); e != nil {
		return dst, e
	}
	t.event.Reset(raw)
	if err := t.owner.d.ScanEvent(t.owner.x, &t.event); err != nil { // it was read before, and rewritten by the dialect itself
		return dst, core.AsError(err)
	}
	return t.next.Event(ctx, &t.event, dst)
}

// see shows one event to the tap.
func (t *tap) see(ctx context.Context, raw []byte) *core.Error {
	if t.to == nil {
		return nil
	}
	began := time.Now()
	err := t.safely(raw)
	t.link.spent += time.Since(began)
	if err != nil {
		t.to = nil
		return t.owner.failed(ctx, &t.link, core.FaultOf(err), err)
	}
	return nil
}

func (t *tap) safely(raw []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError{panicked(r)}
		}
	}()
	t.to.Event(raw)
	return nil
}

// close records what the tap did.
func (t *tap) close() {
	l := &t.link
	x := t.owner.x
	x.Visits = append(x.Visits, core.Visit{Link: t.owner.c.links[l.i].Name, Phase: core.Response, Action: l.action, Fault: l.fault, Duration: l.spent})
}
