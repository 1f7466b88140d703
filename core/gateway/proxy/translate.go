package proxy

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// translation is the state of an exchange whose provider speaks another dialect than its client.
type translation struct {
	client wire.Translator
	wire   dialect.WireForm
	req    *llm.Request
	low    *llm.Lowered
	usage  llm.Usage
	before llm.Usage // of the prompts answered so far
}

// translate builds the provider's request from the client's.
func (c *call) translate(p route.Provider, t core.Traits) ([]byte, *core.Error) {
	from, ok := c.d.(wire.Translator)
	to, known := dialect.Wire(c.x.Target.Wire)
	if !ok || !known {
		return nil, notServedError(p, c.d)
	}
	r, e := c.decodeForTranslation(from)
	if e != nil {
		return nil, e
	}
	if flaw := r.Check(t.ImageLimit); flaw != "" {
		return nil, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: flaw}
	}
	r.Model, r.MaxTokens = t.Model, t.Limit(r.MaxTokens)
	r.Messages = append(r.Messages, c.x.Appended...)
	if c.effort != "" {
		r.Effort = llm.Effort(c.effort)
	}
	low := llm.Lower(r, llm.Target{
		CustomTools: to.Sends.CustomTools && t.CustomTools, Namespaces: to.Sends.Namespaces,
		SearchTools: to.Sends.SearchTools, ResultImages: t.ResultImages, DistinctIDs: to.Sends.DistinctIDs,
	})
	c.tr = &translation{client: from, wire: to, req: r, low: low}
	body, e := to.EncodeRequest(c.sent[:0], low.Request, t)
	if e != nil {
		return nil, e
	}
	if f := r.Format; f != nil && f.Schema != nil && f.Strict != nil && *f.Strict && !t.Strict {
		c.relaxed = true
	}
	return body, nil
}

func (c *call) decodeForTranslation(from wire.Translator) (*llm.Request, *core.Error) {
	if b, ok := from.(wire.Batcher); ok {
		return b.DecodePrompt(&c.x, c.prompt)
	}
	return from.Decode(&c.x)
}

// notServedError returns the error of a provider that lacks the service.
func notServedError(p route.Provider, d core.Dialect) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "model",
		Public: p.Label() + " does not serve requests of this API (" + d.Name() + ") for this model; use another model",
	}
}

// translateWhole converts a whole answer from the provider's dialect to the client's.
func (c *call) translateWhole(body []byte) ([]byte, error) {
	a, err := c.tr.wire.DecodeResponse(body)
	if err != nil {
		return nil, err
	}
	a = c.tr.low.Response(a)
	c.tr.usage = a.Usage
	c.out = c.tr.client.Encode(c.out[:0], c.tr.req, a)
	return c.out, nil
}

// settleTranslation reports what the translation has dropped, and takes the provider's usage where the client's dialect
// cannot carry all of it, or was not asked to.
func (c *call) settleTranslation() {
	if c.tr == nil {
		return
	}
	var dropped []string
	for _, list := range [...][]string{c.tr.low.Request.Dropped, c.tr.req.Dropped} { // the answer is written for the client's own request
		for _, f := range list {
			if f = c.tr.client.Spell(f); !slices.Contains(dropped, f) {
				dropped = append(dropped, f)
			}
		}
	}
	if len(dropped) > 0 {
		c.proxy.Telemetry.Dropped(&c.x, dropped)
	}
	if c.tr.usage.Reported {
		c.x.Usage = c.tr.usage
	}
}

// failedEarly is a provider's error in a stream, before any output.
type failedEarly struct{ *llm.Failure }

func (failedEarly) Error() string { return "the provider failed at the beginning of its stream" }

// earlyError returns the client's error for it, with the HTTP status it stands for. If the status is unknown, it counts
// as a server error, whose text is not disclosed.
func (c *call) earlyError(p route.Provider, f *llm.Failure) *core.Error {
	c.x.Outcome.Kind, c.attempts.result = core.UpstreamErr, route.Result{Status: f.Status, Broken: true}
	return providerErrorOf(p, f.Status, f.Code, f.Message)
}

// translatedBody is a streamed answer in the client's dialect, translated while it is read.
type translatedBody struct {
	upstream.Body
	call    *call
	next    func() (upstream.Body, error)
	more    int // prompts still to be asked
	dec     wire.StreamDecoder
	enc     wire.StreamEncoder
	raise   func(*llm.Event, func(*llm.Event) error) error
	in, out []byte
	at      int
	began   bool // there was output that a client can see
	closed  bool // the provider's answer has finished or failed
	started []byte
	ended   error // how the provider's answer ended, while its output waits to be read
	err     error
}

func (c *call) translatedStream(ctx context.Context, plan []core.TargetRef, body upstream.Body) upstream.Body {
	b := &translatedBody{Body: body, call: c, in: make([]byte, readSize), more: c.prompts() - 1}
	b.next = func() (upstream.Body, error) { return c.nextStream(ctx, plan) }
	if d, ok := c.tr.client.(wire.Batcher); ok {
		b.enc = d.EncodeStreams(c.tr.req, b.more+1)
	} else {
		b.enc = c.tr.client.EncodeStream(c.tr.req)
	}
	b.dec, b.raise = c.tr.wire.DecodeStream(), c.tr.low.Stream()
	return b
}

// Read returns whole events in the client's dialect.
func (b *translatedBody) Read(p []byte) (int, error) {
	for b.at == len(b.out) && b.err == nil {
		b.out, b.at = b.out[:0], 0
		if err := b.ended; err != nil { // the next prompt's answer takes a while to begin
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
		return b.call.brokenOffError(b.call.snap.Providers[b.call.x.Target.Provider])
	}
	if b.more == 0 {
		return err
	}
	b.more--
	_ = b.Body.Close() // it was read to its end
	next, err := b.next()
	if err != nil {
		return err
	}
	b.closed = false
	b.Body, b.dec, b.raise = next, b.call.tr.wire.DecodeStream(), b.call.tr.low.Stream()
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
		b.call.sample.add(ev.Text)
	case llm.Finished, llm.Failed, llm.Ended:
		b.closed = true
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
	b.out = b.enc.Append(b.out, ev)
	return nil
}

// addUsage takes over the usage that the provider has reported so far.
func (b *translatedBody) addUsage(ev *llm.Event) {
	tr := b.call.tr
	tr.usage = tr.before.Add(ev.Usage)
	b.call.sample.reset()
}

// Buffered returns how many bytes the next Read returns without waiting.
func (b *translatedBody) Buffered() int { return len(b.out) - b.at + b.Body.Buffered() }

// streamError returns the client's error for a stream that could not be read.
func (c *call) streamError(ctx context.Context, p route.Provider, err error) *core.Error {
	var f failedEarly
	var u *upstream.Error
	var own *core.Error
	switch {
	case errors.As(err, &own): // of a later prompt, or of an answer without an end
		return own
	case errors.As(err, &f):
		return c.earlyError(p, f.Failure)
	case c.tr != nil && ctx.Err() == nil && !errors.As(err, &u):
		e := c.invalidAnswer("its stream does not match its API")
		e.Err = err
		return e
	}
	return c.callError(ctx, p, err)
}
