package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
)

// finish ends the stream when the provider has: in order, or cut off.
func (s *streamedAnswer) finish(ctx context.Context, err error) *core.Error {
	if ctx.Err() != nil {
		return s.c.attempts.newHangupError(nil)
	}
	if rest := s.c.answer.events.Rest(); len(rest) > 0 && !s.state.isEnded() && err == nil {
		// Some providers leave out the last blank line.
		if e := s.feedEvent(ctx, append(bytes.TrimRight(bytes.Clone(rest), "\r\n"), "\n\n"...)); e != nil {
			return s.fail(ctx, e)
		}
	}
	p := s.c.snap.Providers[s.c.x.Target.Provider]
	if err != nil {
		return s.fail(ctx, s.c.attempts.newStreamError(ctx, p, err))
	}
	// The connection may end in order or be cut. No choice has finished, so it was cut.
	if s.state == streaming && (s.c.state.headOut || len(s.c.out)+len(s.opening) > 0) {
		if s.by != "" {
			return s.fail(ctx, s.c.answer.newUnknownError(s.by, io.ErrUnexpectedEOF))
		}
		return s.fail(ctx, s.c.attempts.newBrokenOffError(p))
	}
	if s.links != nil && !s.state.isEnded() { // held text is checked, then released
		out, e := s.links.End(ctx, s.c.out)
		if s.c.out = out; e != nil {
			return s.fail(ctx, e)
		}
	}
	if !s.c.state.headOut && len(s.c.out) == 0 {
		return s.c.attempts.newInvalidAnswerError("the stream was empty")
	}
	s.c.attempts.accept()
	if !s.state.isFailed() {
		if s.by == "" {
			s.c.x.Outcome.Kind = core.Served
		}
		if e := s.recordBeforeEnd(ctx); e != nil {
			return e
		}
	}
	if !s.flush(true) {
		s.c.x.Outcome.Complete = false
		return s.c.attempts.newHangupError(nil)
	}
	if !s.state.isFailed() { // without the stream's own end, completeness is unknown
		s.c.x.Outcome.Complete = s.state.isEnded()
	}
	return nil
}

// recordBeforeEnd waits for the records while the client has all of the answer except its end. If the records cannot be
// made durable, the client gets an error instead of the end.
func (s *streamedAnswer) recordBeforeEnd(ctx context.Context) *core.Error {
	if !s.c.state.headOut {
		s.c.x.Outcome.Status = s.res.Status
	}
	if s.c.state.headOut && s.array == nil {
		s.alive.startWait()
	}
	e := s.c.recordBeforeEnd(ctx)
	switch {
	case e == nil:
		return nil
	case ctx.Err() != nil:
		return s.c.attempts.newHangupError(nil)
	}
	s.c.out = s.c.out[:0] // the pending bytes contain the end
	return s.fail(ctx, e)
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
	if e.Link == "" && s.links != nil && !s.hasSentNothing() {
		out, objection := s.links.End(ctx, s.c.out)
		if s.c.out = out; objection != nil {
			e = objection
		}
	}
	if e.Kind == core.Canceled {
		return s.c.attempts.newHangupError(nil)
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
	if s.hasSentNothing() {
		return e
	}
	s.c.out = s.appendFailure(s.c.out, e)
	if !s.flush(true) {
		s.c.x.Outcome.Kind = core.ClientGone
	}
	return e
}

// appendFailure appends the event that ends the stream with an error.
func (s *streamedAnswer) appendFailure(dst []byte, e *core.Error) []byte {
	var like, last []byte
	if s.links != nil {
		like, last = s.links.LikeEvent(), s.links.Last()
	}
	return s.c.d.AppendEnd(dst, like, last, e)
}

// rewritesFailures reports whether a provider error after the first output is reported in the gateway's words, like an
// earlier one, and ends the stream. Translated streams already do this. Other dialects pass their own events on.
func (s *streamedAnswer) rewritesFailures() bool {
	return s.c.answer.tr == nil && (s.c.d.Name() == openai.ChatName || isDirect(s.c.d))
}

// newFailureError returns the client's error for an error event, with the status that it stands for. The decoder of the provider's
// dialect knows it.
func (s *streamedAnswer) newFailureError(ev *core.Event) *core.Error {
	p := s.c.snap.Providers[s.c.x.Target.Provider]
	f := &llm.Failure{Status: ev.Status}
	lo, hi := bytes.IndexByte(ev.Raw, '{'), bytes.LastIndexByte(ev.Raw, '}')
	if lo >= 0 && hi > lo {
		f.Code, f.Message = s.c.d.ReadError(ev.Raw[lo : hi+1])
	}
	if w, ok := dialect.FindWire(s.c.d.Name()); ok && f.Status == 0 {
		// The event was scanned before, so its decoding adds the status at most.
		_ = w.DecodeStream().Decode(ev.Raw, func(e *llm.Event) error {
			if e.Kind == llm.Failed {
				f.Status = e.Error.Status
			}
			return nil
		})
	}
	return s.c.attempts.newEarlyError(p, f)
}

func hideEOF(err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
