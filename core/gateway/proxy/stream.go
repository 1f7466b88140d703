package proxy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// readSize is how many bytes are read from a provider at once.
const readSize = 16 << 10

func hideEOF(err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// streamedAnswer is the state of one streamed answer on its way to the client. It has the call whose answer it is.
type streamedAnswer struct {
	c      *call
	res    *upstream.Response
	body   upstream.Body // in the client's dialect
	links  *chain.Stream // nil: no link checks the answer
	ended  bool          // the stream's own end was received
	closed bool          // a choice has finished
	failed bool          // the provider reported an error in the stream
	held   bool          // the last event's text is held back by a link
	last   bool          // the next flush is the last one
	alive  keepAlive

	by       string              // the link that answers; "": a provider
	retry    *chain.Decision     // a link wants another answer, and the client has seen nothing of this one
	withheld bool                // nothing is sent before the end
	received []byte              // bytes received so far, if withheld
	opening  []byte              // events before the first output
	array    *gemini.ArrayWriter // the events become elements of a JSON array
	elements []byte
}

// stream delivers a streamed answer, event by event, as far as the chain has cleared it. The head is sent with the
// first byte: until then a failure is an HTTP status.
func (c *call) stream(ctx context.Context, plan []core.TargetRef, res *upstream.Response) (*chain.Decision, *core.Error) {
	s := &streamedAnswer{c: c, res: res, body: res.Body}
	if c.tr != nil {
		s.body = c.translatedStream(ctx, plan, res.Body)
		defer func() { _ = s.body.Close() }() // it may belong to a later prompt
	}
	e := s.run(ctx)
	return s.retry, e
}

// run delivers the stream from its first byte to its end.
func (s *streamedAnswer) run(ctx context.Context) *core.Error {
	c := s.c
	c.x.Relaxed = c.relaxed
	if c.asArray {
		s.array = new(gemini.ArrayWriter)
	}
	s.alive.start(c.w, c.proxy.keepAlive)
	defer s.alive.close()
	if c.chain.Governs(&c.x) {
		links, e := c.chain.Stream(ctx, &c.x, c.d)
		defer links.Close(context.WithoutCancel(ctx))
		if e != nil {
			c.x.Outcome.Kind, c.x.Outcome.By = core.Faulted, e.Link
			return e
		}
		s.links, s.withheld = links, links.Withholds()
	}
	in := scratch.Grow(c.answer, readSize)[:readSize]
	c.answer = nil // a later prompt's error is read into another buffer
	defer func() { c.answer = in }()
	for {
		n, err := s.body.Read(in)
		if n > 0 {
			if c.x.FirstByte.IsZero() {
				c.x.FirstByte = time.Now()
			}
			if e := s.keepReceived(in[:n]); e != nil {
				return s.fail(ctx, e)
			}
			if e := s.feed(ctx, in[:n]); e != nil {
				return s.fail(ctx, e)
			}
		}
		if err != nil {
			return s.finish(ctx, hideEOF(err))
		}
		if len(c.out) > 0 && !s.withheld && (s.body.Buffered() == 0 || len(c.out) > readSize) {
			if !s.flush() {
				return s.c.hangupError(nil)
			}
		}
		if s.held && c.state.headOut && len(c.out) == 0 && s.array == nil {
			s.alive.startWait()
		}
	}
}

// feed runs received bytes through the chain, into c.out.
func (s *streamedAnswer) feed(ctx context.Context, b []byte) *core.Error {
	if err := s.c.events.Write(b); err != nil {
		e := s.c.invalidAnswer("one of its events is too large")
		e.Err = err
		return e
	}
	for raw := s.c.events.Next(); raw != nil; raw = s.c.events.Next() {
		if e := s.feedEvent(ctx, raw); e != nil {
			return e
		}
	}
	return nil
}

func (s *streamedAnswer) feedEvent(ctx context.Context, raw []byte) *core.Error {
	if s.ended { // events after the end are ignored
		return nil
	}
	ev := &s.c.event
	ev.Reset(raw)
	err, before := errNoEvent, s.c.x.Usage
	if eventLike(raw) {
		err = s.c.d.ScanEvent(&s.c.x, ev)
	}
	if err != nil || ev.Failed && s.by != "" {
		if s.by != "" {
			return s.c.unknownAnswer(s.by, cmp.Or(err, errNoAnswer))
		}
		e := s.c.invalidAnswer("one of its events does not match this API")
		e.Err = err
		return e
	}
	s.sampleText(ev, &before)
	if s.by == "" {
		s.c.kept.Event(raw)
	}
	s.closed = s.closed || len(ev.Closes) > 0
	if ev.Opening && !s.c.state.headOut && len(s.c.out) == 0 && len(s.opening) < readSize { // no output yet: a failure can still be a status
		return s.holdOpening(ctx, ev)
	}
	if ev.Failed {
		s.failed = true
		s.c.x.Outcome.Kind, s.c.attempts.result = core.UpstreamErr, route.Result{Status: ev.Status, Broken: true}
		if s.nothingSent() {
			return s.failBeforeOutput(ev)
		}
		if s.links != nil { // clients stop reading at an error: held text must come first
			out, e := s.links.End(ctx, s.c.out)
			if s.c.out = out; e != nil {
				return e
			}
		}
	}
	if !s.withheld { // until its end, another answer may replace it
		s.c.acceptAnswer()
	}
	s.c.out, s.opening = append(s.c.out, s.opening...), s.opening[:0]
	s.ended = ev.Done
	if s.links == nil {
		if !ev.Withhold {
			s.c.out = append(s.c.out, ev.Raw...)
		}
		return nil
	}
	out, e := s.links.Event(ctx, ev, s.c.out)
	s.held = len(out) == len(s.c.out) && len(ev.Deltas) > 0
	s.c.out = out
	return e
}

var (
	errNoEvent  = errors.New("what came is no event")
	errNoAnswer = errors.New("the answer is an error")
)

// eventLike reports whether raw looks like an event and not like a page or a line of text: field names are lower-case
// letters. Google's servers put bare JSON into running streams.
func eventLike(raw []byte) bool {
	raw = bytes.TrimLeft(raw, "\r\n")
	if len(raw) == 0 {
		return true
	}
	c := raw[0]
	return 'a' <= c && c <= 'z' || c == ':' || c == '{' || c == 0xef // the UTF-8 byte order mark
}

// holdOpening keeps an opening event until there is output.
func (s *streamedAnswer) holdOpening(ctx context.Context, ev *core.Event) (e *core.Error) {
	switch {
	case s.links != nil:
		s.opening, e = s.links.Event(ctx, ev, s.opening)
	case !ev.Withhold:
		s.opening = append(s.opening, ev.Raw...)
	}
	return e
}

// failBeforeOutput turns an error event that came before any output into an HTTP error. The decoder of the provider's
// dialect knows its status.
func (s *streamedAnswer) failBeforeOutput(ev *core.Event) *core.Error {
	p := s.c.snap.Providers[s.c.x.Target.Provider]
	f := &llm.Failure{Status: ev.Status}
	lo, hi := bytes.IndexByte(ev.Raw, '{'), bytes.LastIndexByte(ev.Raw, '}')
	if lo >= 0 && hi > lo {
		f.Code, f.Message = s.c.d.ReadError(ev.Raw[lo : hi+1])
	}
	if w, ok := dialect.Wire(s.c.d.Name()); ok && f.Status == 0 {
		// The event was scanned before, so its decoding adds the status at most.
		_ = w.DecodeStream().Decode(ev.Raw, func(e *llm.Event) error {
			if e.Kind == llm.Failed {
				f.Status = e.Error.Status
			}
			return nil
		})
	}
	return s.c.earlyError(p, f)
}

// flush sends what is ready. It returns false if the client has hung up.
func (s *streamedAnswer) flush() bool {
	if !s.c.state.headOut {
		h := s.c.w.Header()
		s.c.copyHeader(s.res)
		h["Content-Type"] = []string{s.contentType()}
		h["Cache-Control"] = []string{"no-cache"}
		h["X-Accel-Buffering"] = []string{"no"}
		s.c.addHeader(h)
		s.c.x.Outcome.Status = s.res.Status
		s.c.state.headOut = true
		s.c.w.WriteHeader(s.res.Status)
	}
	out := s.c.out
	if s.array != nil {
		s.elements = s.elements[:0]
		for piece := range slices.Chunk(s.c.out, readSize) { // its limit applies to one event and what is written with it
			var err error
			if s.elements, err = s.array.Append(s.elements, piece); err != nil {
				return false
			}
		}
		if s.last {
			s.elements = s.array.Close(s.elements)
		}
		out = s.elements
	}
	err := s.alive.send(out)
	s.c.out = s.c.out[:0]
	return err == nil
}

// nothingSent reports whether the client has seen nothing, so that a failure can still be a status.
func (s *streamedAnswer) nothingSent() bool {
	return !s.c.state.headOut && (s.withheld || len(s.c.out) == 0)
}

func (s *streamedAnswer) contentType() string {
	switch {
	case s.array != nil:
		return s.array.ContentType()
	case s.c.tr != nil:
		return "text/event-stream"
	}
	return s.res.Get("Content-Type") // with its parameters, as sent
}

// finish ends the stream when the provider has: in order, or cut off.
func (s *streamedAnswer) finish(ctx context.Context, err error) *core.Error {
	if ctx.Err() != nil {
		return s.c.hangupError(nil)
	}
	if rest := s.c.events.Rest(); len(rest) > 0 && !s.ended && err == nil {
		// Some providers leave out the last blank line.
		if e := s.feedEvent(ctx, append(bytes.TrimRight(bytes.Clone(rest), "\r\n"), "\n\n"...)); e != nil {
			return s.fail(ctx, e)
		}
	}
	p := s.c.snap.Providers[s.c.x.Target.Provider]
	if err != nil {
		return s.fail(ctx, s.c.streamError(ctx, p, err))
	}
	// The connection may end in order or be cut. No choice has finished, so it was cut.
	if !s.ended && !s.closed && !s.failed && (s.c.state.headOut || len(s.c.out)+len(s.opening) > 0) {
		if s.by != "" {
			return s.fail(ctx, s.c.unknownAnswer(s.by, io.ErrUnexpectedEOF))
		}
		return s.fail(ctx, s.c.brokenOffError(p))
	}
	if s.links != nil && !s.ended { // held text is checked, then released
		out, e := s.links.End(ctx, s.c.out)
		if s.c.out = out; e != nil {
			return s.fail(ctx, e)
		}
	}
	if !s.c.state.headOut && len(s.c.out) == 0 {
		return s.c.invalidAnswer("the stream was empty")
	}
	s.last = true
	s.c.acceptAnswer()
	if !s.flush() {
		return s.c.hangupError(nil)
	}
	if !s.failed { // without the stream's own end, completeness is unknown
		s.c.x.Outcome.Complete = s.ended
		if s.by == "" {
			s.c.x.Outcome.Kind = core.Served
		}
	}
	return nil
}

// fail ends the stream with an error: as an HTTP status before the first byte, as an event afterwards. If a link has
// blocked or failed, held text is dropped; if the provider has failed, it is checked and released.
func (s *streamedAnswer) fail(ctx context.Context, e *core.Error) *core.Error {
	if s.withheld && e.Link != "" && e.Code != core.CodeGuardUnavailable {
		s.drain()
		if s.takeRetry() {
			return nil
		}
	}
	if e.Link == "" && s.links != nil && !s.nothingSent() {
		out, objection := s.links.End(ctx, s.c.out)
		if s.c.out = out; objection != nil {
			e = objection
		}
	}
	if e.Kind == core.Canceled {
		return s.c.hangupError(nil)
	}
	s.c.x.Outcome.By = e.Link
	switch {
	case e.Code == core.CodeGuardUnavailable:
		s.c.x.Outcome.Kind = core.Faulted
	case e.Link != "":
		s.c.x.Outcome.Kind = core.Blocked
	default:
		s.c.x.Outcome.Kind = core.UpstreamErr
	}
	if s.nothingSent() {
		return e
	}
	var like, last []byte
	if s.links != nil {
		like, last = s.links.Like(), s.links.Last()
	}
	s.c.out = s.c.d.AppendEnd(s.c.out, like, last, e)
	s.last = true
	if !s.flush() {
		s.c.x.Outcome.Kind = core.ClientGone
	}
	return e
}
