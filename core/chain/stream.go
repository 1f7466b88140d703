package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// contextBytes is how much text that was already sent a filter may see again.
const contextBytes = 96

// maxHold bounds what one link may hold back. A filter that wants more has
// failed: without a bound a stream could be swallowed whole.
const maxHold = 64 << 10

// maxWithheld bounds what a Withholder may hold back of one text.
const maxWithheld = 8 << 20

// Stream runs the response links over an answer that arrives in events. The
// links run in series: each passes on only what it has cleared, so the client
// gets text up to the earliest point that every link has cleared. Events whose
// text is not changed leave byte for byte as they came.
type Stream struct {
	c     *Chain
	x     *core.Exchange
	r     *run
	d     core.Dialect
	links []streamLink
	parts []*part
	like  []byte
	text  []byte
	cuts  []splice.Cut
	out   []byte // escaped text of changed deltas
	told  *told  // what the client was sent; nil: nobody asks
	again *Decision
	tap   *tap // what looks at the events that leave; nil: nothing
	clock time.Duration

	informing bool           // a link wants to know what others find
	late      []found        // what the links behind the tap have found
	moving    []found        // found in the text that goes from one link to the next
	shown     []core.Finding // what the link at hand is told of it
	ids       int            // findings so far
	ended     bool
}

type streamLink struct {
	i      int
	filter core.StreamFilter
	shadow bool
	off    bool // failed, and its rule lets the text pass; or nothing to see
	spent  time.Duration
	fault  core.Fault
	action core.Action
}

// Stream opens the filters of the links that take part in the response. The
// stream must be closed.
func (c *Chain) Stream(ctx context.Context, x *core.Exchange, d core.Dialect) (*Stream, *core.Error) {
	r := c.begin(x)
	x.Finish = "" // there may have been another answer
	first := &Stream{c: c, x: x, r: r, d: d, told: newTold(d)}
	s := first
	for set := c.responders(r); set != 0; {
		i := bits.Len64(uint64(set)) - 1
		set &^= 1 << i
		r.reached |= 1 << i
		l := streamLink{i: i, shadow: c.shadow.has(i), action: core.Pass}
		if t, ok := c.links[i].Stage.(core.Tapper); ok {
			next, e := s.tapped(ctx, t, l)
			if e != nil {
				return first, e
			}
			s = next
			continue
		}
		f, err := open(ctx, &c.links[i], x, r.keeps[i])
		switch {
		case err != nil:
			if e := s.failed(ctx, &l, core.FaultOf(err), err); e != nil {
				s.links = append(s.links, l)
				return first, e
			}
		case f == nil:
			l.off = true
		}
		l.filter = f
		s.links = append(s.links, l)
	}
	first.inform()
	return first, nil
}

var errNoStream = errors.New("the stage cannot look at streamed answers")

func open(ctx context.Context, l *Link, x *core.Exchange, kept any) (f core.StreamFilter, err error) {
	st, ok := l.Stage.(core.StreamStage)
	if !ok {
		return nil, errNoStream
	}
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, panicError{panicked(r)}
		}
	}()
	return st.Stream(ctx, x, kept)
}

type panicError struct{ error }

func (panicError) Fault() core.Fault { return core.FaultPanic }

// failed carries out the fault rule of a link: an error, or nil when the text
// may pass without it.
func (s *Stream) failed(ctx context.Context, l *streamLink, f core.Fault, err error) *core.Error {
	l.off, l.fault = true, f
	if l.shadow {
		return nil
	}
	link := &s.c.links[l.i]
	if ctx.Err() != nil {
		return canceled(ctx)
	}
	if link.OnFault == FaultPasses {
		return nil
	}
	return guardError(link, f, err)
}

// Event appends to dst what may be sent now that the event has arrived: nothing,
// the event as it came, or the event with its text changed, and before it text
// that was held for parts that end here.
func (s *Stream) Event(ctx context.Context, ev *core.Event, dst []byte) ([]byte, *core.Error) {
	if s.tap != nil {
		return s.through(ctx, ev, dst)
	}
	return s.event(ctx, ev, dst)
}

// event is Event for the links up to the tap.
func (s *Stream) event(ctx context.Context, ev *core.Event, dst []byte) ([]byte, *core.Error) {
	if s.told.full() {
		return dst, errTold
	}
	doc := ev.Raw
	if ev.Joined != nil {
		doc = ev.Joined
	}
	s.told.came(doc)
	if ev.Finish.Len() > 0 && s.x.Finish == "" {
		s.x.Finish = string(doc[ev.Finish.Start:ev.Finish.End])
	}
	if ev.Like && s.like == nil {
		s.like = bytes.Clone(doc)
	}
	if len(s.links) == 0 {
		if ev.Withhold {
			return dst, nil
		}
		return append(dst, ev.Raw...), nil
	}
	s.cuts, s.out = s.cuts[:0], s.out[:0]
	left := false
	for i := range ev.Deltas {
		d := &ev.Deltas[i]
		empty := d.Span.Len() == 0
		// A tool call may begin without text; any other text may come empty beside
		// every piece of another part, which does not end it.
		if !empty || d.Part.Kind == core.KindToolArgs {
			var e *core.Error
			if dst, e = s.closeOthers(ctx, d.Part, dst); e != nil {
				return dst, e
			}
		}
		if empty {
			left = true
			continue
		}
		s.told.saw(d.Part, doc)
		text, scratch := decode(doc, d.Span, d.Depth, s.text[:0])
		s.text = scratch
		got, same, e := s.take(ctx, s.part(d.Part, d.JSON), text, lastOf(ev, i))
		if e != nil {
			return dst, e
		}
		if same {
			s.told.add(d.Part, text)
			left = true
			continue
		}
		s.told.add(d.Part, zerocopy.String(got))
		s.cut(d, got)
		s.untie(ev, d.Part.Choice)
		left = left || len(got) > 0
	}
	for _, p := range ev.Ends {
		var e *core.Error
		if dst, e = s.closePart(ctx, p, dst); e != nil {
			return dst, e
		}
	}
	for _, choice := range ev.Closes {
		var e *core.Error
		if dst, e = s.closeChoice(ctx, choice, dst); e != nil {
			return dst, e
		}
	}
	if ev.Done {
		var e *core.Error
		if dst, e = s.end(ctx, dst); e != nil {
			return dst, e
		}
	}
	for i := range ev.Wholes {
		var e *core.Error
		if dst, e = s.whole(ctx, ev, doc, &ev.Wholes[i], dst); e != nil {
			return dst, e
		}
	}
	if ev.Withhold || !left && ev.Bare && len(ev.Deltas) > 0 {
		return dst, nil
	}
	if len(s.cuts) == 0 {
		return append(dst, ev.Raw...), nil
	}
	out, err := splice.Append(dst, doc, s.cuts)
	if err != nil {
		return dst, core.AsError(err)
	}
	return out, nil
}

// cut puts a text in the place of a delta's.
func (s *Stream) cut(d *core.Delta, text []byte) {
	from := len(s.out)
	s.out = append(s.out, text...)
	for range d.Depth {
		n := len(s.out)
		s.out = splice.AppendEscaped(s.out, string(s.out[from:n]))
		from = n
	}
	s.cuts = append(s.cuts, splice.Cut{Span: d.Span, With: string(s.out[from:])})
}

// untie cuts the values that repeat the text of a choice which was changed.
func (s *Stream) untie(ev *core.Event, choice int32) {
	for i := range ev.Tied {
		if t := &ev.Tied[i]; t.Message == choice && t.Span.Len() > 0 {
			s.cuts = append(s.cuts, splice.Cut{Span: t.Span, With: "null"})
			t.Span = splice.Span{} // once
		}
	}
}

// lastOf reports whether a delta is the last of its part, because the event ends
// the part, or goes on with another part that does. What is held of it must then
// go out with it: it could not follow in an event of its own, nor come before.
func lastOf(ev *core.Event, i int) bool {
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

// End ends all parts: the stream is over, by its own end or by the provider's
// failure. What was held is judged, then released.
func (s *Stream) End(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	if s.tap != nil {
		return s.endThrough(ctx, dst)
	}
	return s.end(ctx, dst)
}

// end is End for the links up to the tap.
func (s *Stream) end(ctx context.Context, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts {
		if !q.closed {
			var e *core.Error
			if dst, e = s.close(ctx, q, dst); e != nil {
				return dst, e
			}
		}
	}
	s.sweep()
	if !s.ended {
		s.ended = true
		for k := range s.links {
			if e := s.lastWord(ctx, &s.links[k]); e != nil {
				return dst, e
			}
		}
	}
	return dst, nil
}

// Like gives an earlier event of the stream, or nil.
func (s *Stream) Like() []byte { return s.like }

// Last gives the event that came last, where the shape is a Repeater, or nil.
func (s *Stream) Last() []byte {
	if s.told == nil {
		return nil
	}
	return s.told.last
}

// Withholds reports whether a link wants nothing of the stream to be sent before
// its end.
func (s *Stream) Withholds() bool {
	for k := range s.links {
		w, ok := s.links[k].filter.(core.Withholder)
		if ok && !s.links[k].shadow && w.Withholds() {
			return true
		}
	}
	return s.tap != nil && s.tap.next.Withholds()
}

// Again gives the Retry of a link, when that is why Event or End have failed; nil
// otherwise.
func (s *Stream) Again() *Decision {
	if s.again == nil && s.tap != nil {
		return s.tap.next.Again()
	}
	return s.again
}

// Close closes the filters and records what each link said.
func (s *Stream) Close(ctx context.Context) {
	for k := range s.links {
		l := &s.links[k]
		name := s.c.links[l.i].Name
		if l.filter != nil {
			if err := shut(ctx, l.filter); err != nil && l.fault == 0 {
				l.fault = core.FaultOf(err)
			}
			l.filter = nil
		}
		s.x.Visits = append(s.x.Visits, core.Visit{Link: name, Phase: core.Response, Action: l.action, Shadow: l.shadow, Fault: l.fault, Duration: l.spent})
	}
	s.links = nil
	if s.tap != nil {
		s.tap.close()
		s.tap.next.Close(ctx)
	}
}

func shut(ctx context.Context, f core.StreamFilter) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError{panicked(r)}
		}
	}()
	if err = f.Close(ctx); err != nil {
		return fmt.Errorf("close the filter: %w", err)
	}
	return nil
}

// minText is the size of the first buffer for decoded text.
const minText = 4 << 10

// decode gives the decoded text at a span, and the scratch buffer with the text
// appended, if it needed one. Text without escapes aliases doc. When scratch is
// full a new one takes its place: texts in the old one stay valid.
func decode(doc []byte, at splice.Span, depth uint8, scratch []byte) (string, []byte) {
	if need := at.Len(); cap(scratch)-len(scratch) < need {
		text, aliased := splice.Text(doc, at, depth, nil)
		if aliased {
			return zerocopy.String(text), scratch
		}
		return zerocopy.String(text), make([]byte, 0, max(minText, 2*cap(scratch), 2*need))
	}
	n := len(scratch)
	text, aliased := splice.Text(doc, at, depth, scratch) // decoding never lengthens, so scratch is not reallocated
	if aliased {
		return zerocopy.String(text), scratch
	}
	return zerocopy.String(text), scratch[:n+len(text)]
}
