package proxy

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// failedEarly is a provider's error in a stream, before any output.
type failedEarly struct{ *llm.Failure }

func (failedEarly) Error() string { return "the provider failed at the beginning of its stream" }

// translatedBody is a streamed answer in the client's dialect, translated while it is read.
type translatedBody struct {
	upstream.Body
	call    *call
	next    func() (upstream.Body, error)
	more    int // prompts that are still to be sent
	dec     wire.StreamDecoder
	enc     wire.StreamEncoder
	raise   func(*llm.Event, func(*llm.Event) error) error
	in, out []byte
	at      int
	began   bool  // there was output that the client sees
	closed  bool  // the provider's answer has finished or failed
	over    bool  // the provider's own end was seen, or its failure
	choices int   // whose parts have been opened
	done    []int // of them, those that have finished
	started []byte
	ended   error // how the provider's answer ended, while its output waits to be read
	err     error
}

func (a *answer) translateStream(ctx context.Context, plan []core.TargetRef, body upstream.Body) upstream.Body {
	b := &translatedBody{Body: body, call: a.call, in: make([]byte, readSize), more: a.call.countPrompts() - 1}
	b.next = func() (upstream.Body, error) { return a.openNextStream(ctx, plan) }
	if d, ok := a.tr.client.(wire.Batcher); ok {
		b.enc = d.EncodeStreams(a.tr.req, b.more+1)
	} else {
		b.enc = a.tr.client.EncodeStream(a.tr.req)
	}
	b.dec, b.raise = a.tr.wire.DecodeStream(), a.tr.low.Stream()
	return b
}

// Read returns whole events in the client's dialect.
func (b *translatedBody) Read(p []byte) (int, error) {
	for b.at == len(b.out) && b.err == nil {
		b.out, b.at = b.out[:0], 0
		if err := b.ended; err != nil { // the next prompt's answer takes time to start
			b.ended, b.err = nil, b.endAnswer(err)
			continue
		}
		n, err := b.Body.Read(b.in)
		if n > 0 {
			b.err = b.dec.Decode(b.in[:n], b.emit)
		}
		b.ended = err
	}
	n := copy(p, b.out[b.at:])
	b.at += n
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// endAnswer ends the provider's answer and continues with the next prompt's.
func (b *translatedBody) endAnswer(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	if e := b.dec.Close(b.emit); e != nil {
		return e
	}
	if len(b.started) > 0 && !b.closed { // the connection ended, but not the answer
		return b.call.attempts.newBrokenOffError(b.call.snap.Providers[b.call.x.Target.Provider])
	}
	if b.closed && !b.over && len(b.done) >= b.choices { // some servers leave out the end behind the reason why the answer finished
		if e := b.emit(&llm.Event{Kind: llm.Ended}); e != nil {
			return e
		}
	}
	if b.more == 0 {
		return err
	}
	b.more--
	_ = b.Body.Close() // the body was read to its end
	next, err := b.next()
	if err != nil {
		return err
	}
	b.closed, b.over, b.choices, b.done = false, false, 0, b.done[:0]
	b.Body, b.dec, b.raise = next, b.call.answer.tr.wire.DecodeStream(), b.call.answer.tr.low.Stream()
	return nil
}

func (b *translatedBody) emit(ev *llm.Event) error { return b.raise(ev, b.write) }

// write encodes an event. Opening events wait for the first output, so that an earlier failure can still be an HTTP
// status.
func (b *translatedBody) write(ev *llm.Event) error {
	switch ev.Kind {
	case llm.Started:
		if ev.Usage.Reported { // the last usage known, if the client hangs up
			b.addUsage(ev)
		}
	case llm.UsageEvent:
		b.addUsage(ev)
	case llm.Delta:
		b.call.bill.sample.add(ev.Text)
	case llm.Opened:
		b.choices = max(b.choices, ev.Choice+1)
	case llm.Finished:
		b.closed = true
		if !slices.Contains(b.done, ev.Choice) {
			b.done = append(b.done, ev.Choice)
		}
	case llm.Failed, llm.Ended:
		b.closed, b.over = true, true
	}
	if !b.began {
		switch ev.Kind {
		case llm.Started, llm.UsageEvent:
			b.started = b.enc.Append(b.started, ev)
			return nil
		case llm.Failed:
			return failedEarly{ev.Error}
		}
		b.began = true
		b.out = append(b.out, b.started...)
	}
	if ev.Kind == llm.Failed {
		known := *ev
		known.Error = b.convertLateFailure(ev.Error)
		ev = &known
	}
	b.out = b.enc.Append(b.out, ev)
	return nil
}

// convertLateFailure returns the client's error for a provider error after output: it discloses what an error with that status
// before output would, and no more.
func (b *translatedBody) convertLateFailure(f *llm.Failure) *llm.Failure {
	if f == nil {
		f = new(llm.Failure)
	}
	e := newProviderError(b.call.snap.Providers[b.call.x.Target.Provider], f.Status, f.Code, f.Message)
	return &llm.Failure{Status: e.HTTPStatus(), Code: e.Code, Message: e.Public}
}

// addUsage takes over the usage that the provider has reported so far.
func (b *translatedBody) addUsage(ev *llm.Event) {
	tr := b.call.answer.tr
	tr.usage = tr.before.Add(ev.Usage)
	b.call.bill.sample.reset()
}

// Buffered returns how many bytes the next Read returns without waiting.
func (b *translatedBody) Buffered() int { return len(b.out) - b.at + b.Body.Buffered() }
