package proxy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

const (
	// readSize is the maximum number of bytes that one read from a provider returns.
	readSize = 16 << 10
	// firstReadSize is the size of reads until one of them is full: models send short events, and there are many streams.
	firstReadSize = 4 << 10
)

// streamedAnswer is the state of one streamed answer on its way to the client. It has the call whose answer it is.
type streamedAnswer struct {
	c     *call
	res   *upstream.Response
	body  upstream.Body // in the client's dialect
	links *chain.Stream // nil if no link checks the answer
	state streamState
	held  bool // the last event's text is held back by a link
	// released is set once the stream has tried to release the request.
	released bool
	alive    keepAlive

	by       string              // the link that answers; empty if a provider does
	retry    *chain.Decision     // a link wants another answer, and the client has seen nothing of this one
	withheld bool                // nothing is sent before the end
	received []byte              // bytes received so far, if withheld
	opening  []byte              // events before the first output
	array    *gemini.ArrayWriter // the events become elements of a JSON array
	elements []byte
}

// deliverStream delivers a streamed answer, event by event, as far as the chain has cleared it. The head is sent with the
// first byte: until then a failure is an HTTP status.
func (a *answer) deliverStream(ctx context.Context, plan []core.TargetRef, res *upstream.Response) (*chain.Decision, *core.Error) {
	s := &streamedAnswer{c: a.call, res: res, body: res.Body}
	if a.tr != nil {
		s.body = a.translateStream(ctx, plan, res.Body)
		defer func() { _ = s.body.Close() }() // it may belong to a later prompt
	}
	e := s.run(ctx)
	return s.retry, e
}

// run delivers the stream from its first byte to its end.
func (s *streamedAnswer) run(ctx context.Context) *core.Error {
	c := s.c
	c.x.Relaxed = c.answer.relaxed
	if c.asArray {
		s.array = new(gemini.ArrayWriter)
	}
	s.alive.attachWriter(c.w, c.proxy.keepAlive)
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
	in := scratch.Grow(c.answer.received, firstReadSize)
	in = in[:min(cap(in), readSize)]
	c.answer.received = nil // a later prompt's error is read into another buffer
	defer func() { c.answer.received = in }()
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
		if n == len(in) && n < readSize {
			in = scratch.Grow(in, readSize)[:readSize]
		}
		if len(c.out) > 0 && !s.withheld && !s.holdsEnd() && (s.body.Buffered() == 0 || len(c.out) > readSize) {
			if !s.flush(false) {
				return s.c.attempts.newHangupError(nil)
			}
		}
		if s.held && c.state.headOut && len(c.out) == 0 && s.array == nil {
			s.alive.startWait()
		}
	}
}

// holdsEnd reports whether the end of the stream waits for the records of the exchange. Without its own end, the
// stream ends with the reason why its only choice has finished.
func (s *streamedAnswer) holdsEnd() bool {
	return s.c.snap.AuditSync && (s.state.isEnded() || s.state == choiceFinished && s.c.x.Head.Answers() == 1)
}

// feed runs received bytes through the chain, into c.out.
func (s *streamedAnswer) feed(ctx context.Context, b []byte) *core.Error {
	if err := s.c.answer.events.Write(b); err != nil {
		e := s.c.attempts.newInvalidAnswerError("one of its events is too large")
		e.Err = err
		return e
	}
	for raw := s.c.answer.events.Next(); raw != nil; raw = s.c.answer.events.Next() {
		if e := s.feedEvent(ctx, raw); e != nil {
			return e
		}
	}
	return nil
}

func (s *streamedAnswer) feedEvent(ctx context.Context, raw []byte) *core.Error {
	if s.state.isEnded() { // events after the end are ignored
		return nil
	}
	ev := &s.c.answer.event
	ev.Reset(raw)
	err, before := errNoEvent, s.c.x.Usage
	if looksLikeEvent(raw) {
		err = s.c.d.ScanEvent(&s.c.x, ev)
	}
	if err != nil || ev.Failed && s.by != "" {
		if s.by != "" {
			return s.c.answer.newUnknownError(s.by, cmp.Or(err, errNoAnswer))
		}
		e := s.c.attempts.newInvalidAnswerError("one of its events does not match this API")
		e.Err = err
		return e
	}
	s.sampleText(ev, &before)
	if s.by == "" {
		s.c.kept.AddEvent(raw)
	}
	if len(ev.Closes) > 0 {
		s.state.finishChoice()
	}
	if ev.Opening && !s.c.state.headOut && len(s.c.out) == 0 && len(s.opening) < readSize { // no output yet: a failure can still be a status
		return s.holdOpening(ctx, ev)
	}
	if ev.Failed {
		s.state.fail()
		s.c.x.Outcome.Kind = core.UpstreamErr
		s.c.attempts.result = route.Result{Status: ev.Status, Broken: true, Reported: ev.Status == 0}
		if s.hasSentNothing() {
			return s.newFailureError(ev)
		}
		if s.links != nil { // clients stop reading at an error: held text must come first
			out, e := s.links.End(ctx, s.c.out)
			if s.c.out = out; e != nil {
				return e
			}
		}
		if s.rewritesFailures() {
			s.c.out = s.appendFailure(s.c.out, s.newFailureError(ev))
			s.state.end()
			return nil
		}
	}
	if !s.withheld { // until its end, another answer may replace it
		s.c.attempts.accept()
		s.releaseRequest(ctx)
	}
	s.c.out, s.opening = append(s.c.out, s.opening...), s.opening[:0]
	if ev.Done {
		s.state.end()
	}
	if s.links == nil {
		if !ev.Withhold {
			s.c.out = append(s.c.out, ev.Raw...)
		}
		return nil
	}
	out, e := s.links.RunEvent(ctx, ev, s.c.out)
	s.held = len(out) == len(s.c.out) && len(ev.Deltas) > 0
	s.c.out = out
	return e
}

var (
	errNoEvent  = errors.New("the received bytes are not an event")
	errNoAnswer = errors.New("the answer is an error")
)

// looksLikeEvent reports whether raw looks like an event and not like a page or a line of text: field names are lower-case
// letters. Google's servers put bare JSON into running streams.
func looksLikeEvent(raw []byte) bool {
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
		s.opening, e = s.links.RunEvent(ctx, ev, s.opening)
	case !ev.Withhold:
		s.opening = append(s.opening, ev.Raw...)
	}
	return e
}
