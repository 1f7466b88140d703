package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

type cuts = []splice.Cut

// cutRoom is spare room for what a dialect inserts: a model name, a limit.
const cutRoom = 512

// prepare builds the provider's request: the client's bytes, edited as the target needs.
func (c *call) prepare(p route.Provider) *core.Error {
	t := p.Traits(c.x.Target.Model)
	t.Model, t.Label, t.DefaultCap, t.Cap = c.x.Target.Model, p.Label(), c.snap.DefaultCap, c.x.TokenCap()
	c.tr, c.relaxed = nil, c.x.Head.Strict && !t.Strict
	// A chat provider without custom tools gets functions instead, which takes a translation.
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

// forward builds the provider's request from the client's own bytes.
func (c *call) forward(t core.Traits) (e *core.Error) {
	if c.cuts, e = c.d.Forward(&c.x, t, c.cuts[:0]); e != nil {
		return e
	}
	if len(c.x.Appended) > 0 {
		d, ok := c.d.(core.Appender)
		if !ok { // the answer came by another target, in another dialect
			return &core.Error{
				Kind:   core.BadGateway,
				Code:   core.CodeUpstreamInvalid,
				Public: t.Label + " cannot be asked again in this API (" + c.d.Name() + ")",
			}
		}
		if c.cuts, e = d.Append(&c.x, c.cuts, c.x.Appended); e != nil {
			return e
		}
	}
	c.req.Body = c.x.Request.Raw
	if len(c.cuts) > 0 {
		c.sent = scratch.Grow(c.sent, len(c.x.Request.Raw)+cutRoom) // which may have released the old one
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

// callError returns the client's error for a call without an answer.
func (c *call) callError(ctx context.Context, p route.Provider, err error) *core.Error {
	if ctx.Err() != nil {
		return c.hangupError(err)
	}
	c.x.Outcome.Kind = core.UpstreamErr
	c.attempts.result = route.ResultOf(nil, err)
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
		public = p.Label() + " returned an invalid answer: it breaks the rules of HTTP"
	case u != nil && u.Phase > upstream.PhaseWrite:
		public = p.Label() + brokeOff
	}
	return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: public}
}

// hangupError returns the error of a call that ended because the client hung up.
func (c *call) hangupError(err error) *core.Error {
	c.x.Outcome.Kind, c.attempts.result = core.ClientGone, route.Result{Ours: true}
	return &core.Error{Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client closed the request", Err: err}
}

const brokeOff = " broke off its answer"

// brokenOffError returns the error of an answer whose connection ended in order, but too early.
func (c *call) brokenOffError(p route.Provider) *core.Error {
	c.attempts.result = route.Result{Broken: true}
	return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: io.ErrUnexpectedEOF, Public: p.Label() + brokeOff}
}

// maxErrorBody is how many bytes of a provider's error are read.
const maxErrorBody = 64 << 10

// providerError returns the client's error for a provider's error.
func (c *call) providerError(p route.Provider, res *upstream.Response) *core.Error {
	body, _ := readAll(c.answer, io.LimitReader(res.Body, maxErrorBody)) // a truncated error still has its status
	c.answer = body
	_ = res.Body.Close()
	code, message := c.readError(body)
	e := providerErrorOf(p, res.Status, code, message)
	e.RetryAfter = c.attempts.result.RetryAfter
	return e
}

// providerErrorOf returns the client's error for a provider's error; status 0 means unknown. Server errors, and errors
// about the gateway's own credentials, do not disclose the provider's reason.
func providerErrorOf(p route.Provider, status int, code, message string) *core.Error {
	e := &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Status: status}
	switch {
	case status < 400 || status > 599 || status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Status = http.StatusBadGateway
	case status < 500:
		e.Kind, e.Code = core.InvalidRequest, stableCode(code)
		if status == http.StatusTooManyRequests {
			e.Kind = core.RateLimited
		}
		e.Public = reasonLine(p.Label(), status, code, message)
		return e
	}
	if status < 100 || status > 599 { // no valid status
		status = e.Status
	}
	e.Public = p.Label() + " API error " + strconv.Itoa(status)
	return e
}

// readError reads code and message of an error body in the provider's dialect.
func (c *call) readError(body []byte) (code, message string) {
	if c.tr != nil {
		return c.tr.wire.ReadError(body)
	}
	return c.d.ReadError(body)
}

// stableCode returns a provider's error code for the records, or "" if it is a text and not a name.
func stableCode(code string) string {
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

// reasonRunes is the length limit of a provider's reason, in runes.
const reasonRunes = 300

// reasonLine returns the line of the specification: <Provider> API error <status>: <code>: <message>.
func reasonLine(label string, status int, code, message string) string {
	line := label + " API error " + strconv.Itoa(status)
	if code != "" {
		line += ": " + code
	}
	if message != "" {
		line += ": " + message
	}
	return oneLine(line, reasonRunes)
}

// oneLine truncates a text to n runes on one line.
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
