package proxy

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// translation is an exchange whose provider speaks another shape than its client.
type translation struct {
	client core.Translator
	wire   dialect.Spoken
	req    *llm.Request
	low    *llm.Lowered
	usage  llm.Usage
	before llm.Usage // of the prompts that were answered already
}

// translate makes the provider's request of the client's.
func (c *call) translate(p core.Provider, t core.Traits) ([]byte, *core.Error) {
	from, ok := c.d.(core.Translator)
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

func (c *call) decodeForTranslation(from core.Translator) (*llm.Request, *core.Error) {
	if b, ok := from.(core.Batcher); ok {
		return b.DecodePrompt(&c.x, c.prompt)
	}
	return from.Decode(&c.x)
}

// notServedError is the error of a provider that has no such service.
func notServedError(p core.Provider, d core.Dialect) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "model",
		Public: p.Label() + " does not serve requests of this API (" + d.Name() + ") for this model; use another model",
	}
}

// translateWhole reads a whole answer of the provider's shape, and gives it in the
// client's.
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

// settleTranslation tells what a translation has left out, and takes the provider's
// count where the client's shape cannot carry all of it, or was not asked for it.
func (c *call) settleTranslation() {
	if c.tr == nil {
		return
	}
	var dropped []string
	for _, list := range [...][]string{c.tr.low.Request.Dropped, c.tr.req.Dropped} { // of the answer: it is written for the client's own request
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

// failedEarly is the provider's error in a stream, before any output.
type failedEarly struct{ *llm.Failure }

func (failedEarly) Error() string { return "the provider failed at the beginning of its stream" }

// earlyError makes the client's error of it: the HTTP status that it stands for.
// A failure of which nobody knows what it stands for is told as one of the provider's
// own: without its text.
func (c *call) earlyError(p core.Provider, f *llm.Failure) *core.Error {
	c.x.Outcome.Kind, c.attempts.result = core.UpstreamErr, route.Result{Status: f.Status, Broken: true}
	return providerErrorOf(p, f.Status, f.Code, f.Message)
}

// translatedBody is a streamed answer in the client's shape, made from the
// provider's while it is read.
type translatedBody struct {
	upstream.Body
	call    *call
	next    func() (upstream.Body, error)
	more    int // prompts that are still to be asked
	dec     core.StreamDecoder
	enc     core.StreamEncoder
	raise   func(*llm.Event, func(*llm.Event) error) error
	in, out []byte
	at      int
	began   bool // something was said that a client can see
	closed  bool // the provider's answer has finished, or failed
	started []byte
	ended   error // how the provider's answer ended, while what it said waits to be read
	err     error
}

func (c *call) translatedStream(ctx context.Context, plan []core.TargetRef, body upstream.Body) upstream.Body {
	b := &translatedBody{Body: body, call: c, in: make([]byte, readSize), more: c.prompts() - 1}
	b.next = func() (upstream.Body, error) { return c.nextStream(ctx, plan) }
	if d, ok := c.tr.client.(core.Batcher); ok {
		b.enc = d.EncodeStreams(c.tr.req, b.more+1)
	} else {
		b.enc = c.tr.client.EncodeStream(c.tr.req)
	}
	b.dec, b.raise = c.tr.wire.DecodeStream(), c.tr.low.Stream()
	return b
}

// Read gives whole events in the client's shape.
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

// endAnswer ends the provider's answer, and goes on with that to the next prompt.
func (b *translatedBody) endAnswer(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	if e := b.dec.Close(b.emit); e != nil {
		return e
	}
	if len(b.started) > 0 && !b.closed { // an end of the connection that ends nothing
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

// write encodes an event. What only opens the answer waits for the first output,
// so that a failure before it can still be an HTTP status.
func (b *translatedBody) write(ev *llm.Event) error {
	switch ev.Kind {
	case llm.Started:
		if ev.Usage.Reported { // all that the provider may get to tell, if the client leaves
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

// addUsage takes over what the provider has counted so far.
func (b *translatedBody) addUsage(ev *llm.Event) {
	tr := b.call.tr
	tr.usage = tr.before.Add(ev.Usage)
	b.call.sample.reset()
}

// Buffered is what the next Read gives without waiting.
func (b *translatedBody) Buffered() int { return len(b.out) - b.at + b.Body.Buffered() }

// streamError makes the client's error of a stream that could not be read.
func (c *call) streamError(ctx context.Context, p core.Provider, err error) *core.Error {
	var f failedEarly
	var u *upstream.Error
	var own *core.Error
	switch {
	case errors.As(err, &own): // of a later prompt, or of an answer without an end
		return own
	case errors.As(err, &f):
		return c.earlyError(p, f.Failure)
	case c.tr != nil && ctx.Err() == nil && !errors.As(err, &u):
		e := c.invalidAnswer("its stream is not what its API answers")
		e.Err = err
		return e
	}
	return c.callError(ctx, p, err)
}
