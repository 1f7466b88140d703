package proxy

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/route"
	"github.com/headgate-dev/headgate/core/scratch"
	"github.com/headgate-dev/headgate/core/splice"
	"github.com/headgate-dev/headgate/core/upstream"
)

type cuts = []splice.Cut

// send tries the targets of the plan in order and gives the first answer that
// is no failure of the target itself. How often one is called, and whether the
// next may be, is package route's decision.
func (c *call) send(ctx context.Context, plan []core.TargetRef) (*upstream.Response, *core.Error) {
	var first core.Decision       // the first target that a stage objected to
	var skipped, last *core.Error // why the first target was left out, and how the last call ended
	needs, tries := route.NeedsOf(&c.x.Head), route.Tries{}
	for i := range plan {
		c.x.Target = plan[i]
		p := c.snap.Providers[plan[i].Provider]
		if d := c.snap.Chain.Target(ctx, &c.x); d.Action == core.Block {
			if first.Err == nil {
				first = d
			}
			continue
		}
		if e := c.fits(p, needs); e != nil {
			skipped = cmp.Or(skipped, e)
			continue
		}
		action := route.SameTarget
		for tries.Calls = 0; action == route.SameTarget; {
			permit, ok := c.snap.Traffic.Allow(p.Name())
			if !ok {
				skipped = cmp.Or(skipped, c.snap.Traffic.Resting(p))
				break
			}
			tries.Calls++
			res, result, e := c.attempt(ctx, p)
			permit.Report(result.Blame())
			if e == nil {
				return res, nil
			}
			last = e
			var wait time.Duration
			if wait, action = c.snap.Traffic.Next(tries, result); wait > 0 {
				if e := c.pause(ctx, wait); e != nil {
					return nil, e
				}
				tries.Waited += wait
			}
		}
		if action == route.GiveUp {
			break
		}
	}
	switch {
	case last != nil:
		if c.x.Outcome.Kind == 0 {
			c.x.Outcome.Kind = core.UpstreamErr
		}
		return nil, last
	case skipped != nil:
		return nil, skipped
	}
	return nil, c.denied(first)
}

// fits gives the reason against a target: what the request needs and it lacks.
func (c *call) fits(p core.Provider, needs route.Needs) *core.Error {
	if c.x.Target.Wire = p.Wire(&c.x); c.x.Target.Wire == "" {
		return unserved(p, c.d)
	}
	return needs.Missing(p.Label(), p.Capabilities(c.x.Target.Model))
}

// pause waits before another call, unless the client leaves.
func (c *call) pause(ctx context.Context, wait time.Duration) *core.Error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		c.x.Outcome.Kind = core.ClientGone
		return &core.Error{Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client closed the request", Err: ctx.Err()}
	}
}

// attempt calls one provider. The error is nil for an answer that can be
// delivered.
func (c *call) attempt(ctx context.Context, p core.Provider) (res *upstream.Response, r route.Result, e *core.Error) {
	if e = c.prepare(p); e != nil {
		return nil, route.Result{Ours: true}, e
	}
	began := time.Now()
	c.req.Room = &c.room
	res, err := p.Client().Do(ctx, &c.req)
	a := core.Attempt{Target: c.x.Target, Began: began, Duration: time.Since(began)}
	r = route.ResultOf(res, err)
	if err != nil {
		c.x.Attempts = append(c.x.Attempts, a)
		return nil, r, c.failed(ctx, p, err)
	}
	a.Status = res.Status
	c.x.Attempts = append(c.x.Attempts, a)
	if res.Status >= http.StatusOK && res.Status < 300 {
		c.snap.Traffic.Observe(&c.x.Target, a.Duration)
		return res, r, nil
	}
	return nil, r, c.refusal(p, res)
}

// cutRoom is room for what a dialect cuts in: a model's name, a limit.
const cutRoom = 512

// prepare makes the request for the provider: the client's bytes, with what the
// target needs cut in.
func (c *call) prepare(p core.Provider) *core.Error {
	t := p.Traits(c.x.Target.Model)
	t.Model, t.Label, t.DefaultCap, t.Cap = c.x.Target.Model, p.Label(), c.snap.DefaultCap, c.x.TokenCap()
	c.tr, c.relaxed = nil, c.x.Head.Strict && !t.Strict
	// A chat provider that knows no custom tools is sent functions, which takes a translation.
	if c.x.Target.Wire != c.d.Name() || c.x.Head.Custom && !t.CustomTools {
		body, e := c.translate(p, t)
		if e != nil {
			return e
		}
		c.sent, c.req.Body = body, body
	} else if e := c.forward(t); e != nil {
		return e
	}
	if err := p.NewRequest(&c.x, &c.req); err != nil {
		return core.AsError(err)
	}
	return nil
}

// forward makes the provider's request of the client's own bytes.
func (c *call) forward(t core.Traits) (e *core.Error) {
	if c.cuts, e = c.d.Forward(&c.x, t, c.cuts[:0]); e != nil {
		return e
	}
	c.req.Body = c.x.Request.Raw
	if len(c.cuts) > 0 {
		c.sent = scratch.Grow(c.sent, len(c.x.Request.Raw)+cutRoom) // which may have given the old one away
		out, err := splice.Append(c.sent, c.x.Request.Raw, c.cuts)
		if err != nil {
			return core.AsError(err)
		}
		c.sent, c.req.Body = out, out
	}
	if d, ok := c.d.(core.Omitter); ok {
		if gone := d.Omits(nil, &c.x, t); len(gone) > 0 {
			c.proxy.Telemetry.Dropped(&c.x, gone)
		}
	}
	return nil
}

// failed makes the client's error of a call that brought no answer.
func (c *call) failed(ctx context.Context, p core.Provider, err error) *core.Error {
	if ctx.Err() != nil {
		c.x.Outcome.Kind = core.ClientGone
		return &core.Error{Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client closed the request", Err: err}
	}
	c.x.Outcome.Kind = core.UpstreamErr
	var u *upstream.Error
	if errors.As(err, &u) && u.Timeout {
		return &core.Error{
			Kind: core.GatewayTimeout, Code: core.CodeUpstreamTimeout, Err: err,
			Public: p.Label() + " did not answer in time (" + u.Phase.String() + ")",
		}
	}
	public := p.Label() + " could not be reached"
	switch {
	case errors.Is(err, upstream.ErrMalformed):
		public = p.Label() + " gave an answer that cannot be used: it breaks the rules of HTTP"
	case u != nil && u.Phase > upstream.PhaseWrite:
		return brokeOff(p, err)
	}
	return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: public}
}

// brokeOff is the error of an answer that ends before its end.
func brokeOff(p core.Provider, err error) *core.Error {
	return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: p.Label() + " broke off its answer"}
}

// maxErrorBody is how much of a provider's error is read.
const maxErrorBody = 64 << 10

// refusal makes the client's error of a provider's. Refusals that concern the
// gateway's own credentials, and failures, keep their reason to themselves.
func (c *call) refusal(p core.Provider, res *upstream.Response) *core.Error {
	body, _ := readAll(c.answer, io.LimitReader(res.Body, maxErrorBody)) // a cut error still has its status
	c.answer = body
	_ = res.Body.Close()
	e := &core.Error{Code: core.CodeUpstream, Status: res.Status, RetryAfter: retryAfter(res)}
	code, message := c.readError(body)
	switch s := res.Status; {
	case s == http.StatusUnauthorized || s == http.StatusForbidden || s < 400:
		e.Kind, e.Status = core.BadGateway, http.StatusBadGateway
	case s >= 500:
		e.Kind = core.BadGateway
	default:
		e.Kind = core.InvalidRequest
		if s == http.StatusTooManyRequests {
			e.Kind = core.RateLimited
		}
		e.Public = reason(p.Label(), s, code, message)
		e.Code = stable(code)
		return e
	}
	e.Public = p.Label() + " API error " + strconv.Itoa(res.Status)
	return e
}

// readError finds code and message in the error body of the provider's shape.
func (c *call) readError(body []byte) (code, message string) {
	if c.tr != nil {
		return c.tr.wire.ReadError(body)
	}
	return c.d.ReadError(body)
}

// stable gives a provider's code, which goes into records, if it is one: a name
// and not a text.
func stable(code string) string {
	if code == "" || len(code) > 64 {
		return core.CodeUpstream
	}
	for i := range len(code) {
		if !traceByte(code[i]) {
			return core.CodeUpstream
		}
	}
	return code
}

// reasonRunes is the longest line that tells a provider's reason.
const reasonRunes = 300

// reason is the line of the specification: <Provider> API error <status>:
// <code>: <message>.
func reason(label string, status int, code, message string) string {
	line := label + " API error " + strconv.Itoa(status)
	if code != "" {
		line += ": " + code
	}
	if message != "" {
		line += ": " + message
	}
	return oneLine(line, reasonRunes)
}

// oneLine cuts a text to n runes on one line.
func oneLine(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n])
}

func retryAfter(res *upstream.Response) time.Duration {
	v := res.Get("Retry-After")
	if v == "" {
		return 0
	}
	if n, err := strconv.Atoi(v); err == nil && n >= 0 && n < 1<<20 {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t).Round(time.Second))
	}
	return 0
}
