package proxy

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// maxAnswer limits a whole answer, which is held in memory while the chain checks it.
const maxAnswer = 64 << 20

// deliver sends the provider's answer to the client, and asks again where a link wants that.
func (c *call) deliver(ctx context.Context, plan []core.TargetRef, res *upstream.Response) *core.Error {
	for {
		d, e := c.deliverOnce(ctx, plan, res)
		if d == nil {
			return e
		}
		if res, e = c.repeat(ctx, plan, d); e != nil {
			return e
		}
	}
}

// deliverOnce delivers one answer. It returns a decision if a link wants another answer; the client has then seen
// nothing of this one.
func (c *call) deliverOnce(ctx context.Context, plan []core.TargetRef, res *upstream.Response) (*chain.Decision, *core.Error) {
	defer func() { _ = res.Body.Close() }() // the rest of the answer is not needed
	if e := c.checkReadable(res); e != nil {
		return nil, e
	}
	if c.x.Head.Stream {
		return c.stream(ctx, plan, res)
	}
	return c.deliverWhole(ctx, res)
}

// checkReadable refuses an answer that the gateway cannot read, by its head.
func (c *call) checkReadable(res *upstream.Response) *core.Error {
	c.x.Response.Status = res.Status
	kind := res.Get("Content-Type")
	whole, streamed := "application/json", eventStream
	if c.tr != nil {
		whole, streamed = c.tr.wire.Whole, c.tr.wire.Stream
	}
	e := res.Get("Content-Encoding")
	switch {
	case e != "" && e != "identity":
		return c.invalidAnswer("it is compressed, which was not requested")
	case c.x.Head.Stream && !mediaType(kind, streamed):
		return c.invalidAnswer("it is not an event stream")
	case !c.x.Head.Stream && !mediaType(kind, whole):
		return c.invalidAnswer("it is not JSON")
	}
	return nil
}

const eventStream = "text/event-stream"

// mediaType compares a content type, ignoring its parameters.
func mediaType(value, want string) bool {
	if len(value) < len(want) || !strings.EqualFold(value[:len(want)], want) {
		return false
	}
	return len(value) == len(want) || value[len(want)] == ';' || value[len(want)] == ' '
}

// invalidAnswer returns the error of an answer that cannot be read, and so cannot be governed.
func (c *call) invalidAnswer(why string) *core.Error {
	c.x.Outcome.Kind, c.attempts.result = core.UpstreamErr, route.Result{Broken: true}
	label := c.x.Target.Provider
	if p := c.snap.Providers[label]; p != nil {
		label = p.Label()
	}
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstreamInvalid,
		Public: label + " returned an invalid answer: " + why,
	}
}

func (c *call) deliverWhole(ctx context.Context, res *upstream.Response) (*chain.Decision, *core.Error) {
	body, e := c.readWhole(ctx, res)
	if e != nil {
		return nil, e
	}
	if c.tr != nil {
		answer, err := c.translateWhole(body)
		if err != nil {
			return nil, c.unusableAnswer(body, err)
		}
		body = answer
	}
	return c.sendWhole(ctx, res, body)
}

// readWhole reads a whole answer into the call's buffer.
func (c *call) readWhole(ctx context.Context, res *upstream.Response) ([]byte, *core.Error) {
	if res.ContentLength > maxAnswer {
		return nil, c.invalidAnswer("it is too large")
	}
	if n := res.ContentLength; n > 0 {
		c.answer = scratch.Grow(c.answer, int(n)+1) // one more, to see the end without growing
	}
	if n := len(c.x.Attempts); n > 0 { // it began with its head
		a := &c.x.Attempts[n-1]
		c.x.FirstByte = a.Began.Add(a.Duration)
	}
	body, err := readLimited(c.answer, res.Body)
	c.answer = body
	if err != nil {
		return nil, c.callError(ctx, c.snap.Providers[c.x.Target.Provider], err)
	}
	if len(body) > maxAnswer {
		return nil, c.invalidAnswer("it is too large")
	}
	return body, nil
}

// sendWhole governs a whole answer in the client's dialect and sends it.
func (c *call) sendWhole(ctx context.Context, res *upstream.Response, body []byte) (*chain.Decision, *core.Error) {
	c.x.Response.Raw = body
	if err := c.d.ScanResponse(&c.x); err != nil {
		e := c.invalidAnswer("it does not match this API")
		e.Err = err
		return nil, e
	}
	if e := c.errorInside(body); e != nil {
		return nil, e
	}
	c.kept.Body(body)
	c.acceptAnswer()
	if d, e := c.govern(ctx); d != nil || e != nil {
		if d != nil {
			c.rejected.last = body
		}
		return d, e
	}
	c.x.Outcome.Kind = core.Served
	c.copyHeader(res)
	kind := res.Get("Content-Type")
	if c.tr != nil {
		kind = "application/json"
	}
	c.write(res.Status, kind, c.x.Response.Raw)
	return nil, nil
}

func readLimited(b []byte, body upstream.Body) ([]byte, error) {
	b = b[:0]
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case err != nil:
			return b, hideEOF(err)
		case len(b) > maxAnswer:
			return b, nil
		}
	}
}

// govern runs the chain over a whole, scanned answer. It returns a decision if a link wants another answer.
func (c *call) govern(ctx context.Context) (*chain.Decision, *core.Error) {
	c.x.Relaxed = c.relaxed
	if !c.chain.Governs(&c.x) {
		return nil, nil
	}
	d := c.chain.Response(ctx, &c.x)
	switch d.Action {
	case core.Block:
		return nil, c.blockedError(d)
	case core.Retry:
		again := d // keeps all other decisions off the heap
		return &again, nil
	}
	return nil, nil
}

// passedHeaders are the prefixes of provider headers that clients get. Those that name the gateway's own account, such
// as openai-organization, are not among them.
var passedHeaders = []string{"x-request-id", "x-ratelimit-", "openai-model", "openai-processing-ms", "openai-version", "retry-after"}

// mayPass holds the first letters of passedHeaders.
var mayPass = func() (t [256]bool) {
	for _, p := range passedHeaders {
		t[p[0]] = true
	}
	return t
}()

func (c *call) copyHeader(res *upstream.Response) {
	h := c.w.Header()
	for i := range res.Header {
		f := &res.Header[i]
		if !mayPass[f.Name[0]|0x20] {
			continue
		}
		for _, p := range passedHeaders {
			if len(f.Name) >= len(p) && strings.EqualFold(f.Name[:len(p)], p) {
				h[http.CanonicalHeaderKey(f.Name)] = c.headerValue(f.Value)
				break
			}
		}
	}
}

// headerValue returns a header value in the call's own memory. net/http copies the header when it sends it.
func (c *call) headerValue(s string) []string {
	n := len(c.values)
	c.values = append(c.values, s)
	return c.values[n : n+1 : n+1]
}

// write sends a whole answer.
func (c *call) write(status int, contentType string, body []byte) {
	h := c.w.Header()
	h["Content-Type"] = c.headerValue(contentType)
	h["Content-Length"] = c.headerValue(strconv.Itoa(len(body)))
	c.addHeader(h)
	c.x.Outcome.Status = status
	c.state.headOut = true
	c.w.WriteHeader(status)
	n, err := c.w.Write(body)
	if err != nil && c.x.Outcome.Kind == core.Served {
		c.x.Outcome.Kind = core.ClientGone
	}
	c.x.Outcome.Complete = err == nil && n == len(body)
}

func (c *call) addHeader(h http.Header) {
	for i := range c.x.Header {
		h.Set(c.x.Header[i].Name, c.x.Header[i].Value)
	}
	if c.relaxed {
		h["X-Gateway-Strict-Downgraded"] = []string{"true"}
	}
	if v := c.r.Header["X-Server-Timing"]; len(v) > 0 {
		h["Server-Timing"] = []string{serverTiming(&c.x)}
	}
}

// refuse answers with an error in the client's dialect.
func (c *call) refuse(e *core.Error) {
	if c.x.Outcome.Kind == 0 {
		c.x.Outcome.Kind = core.Refused
	}
	c.x.Outcome.Err = e
	if c.state.headOut {
		return
	}
	if e.Kind == core.Canceled {
		c.x.Outcome.Kind, c.x.Outcome.Status = core.ClientGone, e.HTTPStatus()
		c.w.WriteHeader(e.HTTPStatus()) // a client that closed only its half still reads
		c.w.WriteHeaderNow()            // while the header still belongs to this exchange
		return
	}
	c.relaxed = false // it describes an answer
	h := c.w.Header()
	if e.RetryAfter > 0 {
		h["Retry-After"] = []string{strconv.FormatInt(int64((e.RetryAfter+time.Second-1)/time.Second), 10)}
	}
	if e.NoRetry {
		h["X-Should-Retry"] = []string{"false"}
	}
	if e.Kind == core.Unauthenticated {
		h["Www-Authenticate"] = []string{"Bearer"}
	}
	c.out = c.d.AppendError(c.out[:0], e)
	c.write(e.HTTPStatus(), "application/json", c.out)
}

// serverTiming returns what each link did, for the page /try.
func serverTiming(x *core.Exchange) string {
	b := make([]byte, 0, 32*len(x.Visits))
	for i := range x.Visits {
		v := &x.Visits[i]
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, headerToken(v.Link)...)
		b = append(b, ";desc=\""...)
		b = append(b, v.Phase.String()...)
		b = append(b, ' ')
		b = append(b, v.Action.String()...)
		if v.Fault != 0 {
			b = append(append(b, " fault "...), v.Fault.String()...)
		}
		if v.Shadow {
			b = append(b, " shadow"...)
		}
		b = append(b, "\";dur="...)
		b = strconv.AppendFloat(b, float64(v.Duration.Microseconds())/1000, 'f', 3, 64)
	}
	return string(b)
}

// headerToken replaces the characters of a link's name that a header token must not contain.
func headerToken(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (traceByte(byte(r)) && r != ':') {
			return r
		}
		return '_'
	}, s)
}
