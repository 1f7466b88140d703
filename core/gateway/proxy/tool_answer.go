package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// send sends the message to the server and delivers its answer.
func (t *toolCall) send(ctx context.Context) *core.Error {
	c := t.call
	t.message.Call, t.message.Body, t.message.Header = &t.Call, t.sent.Raw, t.appendMirrors(t.message.Header)
	t.message.Principal = c.x.Principal
	t.message.Reserve = func(n int64) error {
		if e := c.answer.reserveMemory(n); e != nil { // not the nil of its type
			return e
		}
		return nil
	}
	began := c.now()
	if c.trace != nil {
		parent, state := c.trace.Call(&c.x, began)
		t.message.Header = append(t.message.Header, upstream.Field{Name: "Traceparent", Value: parent})
		if state != "" {
			t.message.Header = append(t.message.Header, upstream.Field{Name: "Tracestate", Value: state})
		}
	}
	a, err := t.up.Send(ctx, &t.message)
	made := core.Attempt{Target: c.x.Target, Began: began, Duration: time.Since(began)}
	if err != nil {
		var status *tools.StatusError
		if errors.As(err, &status) {
			made.Status = status.Status
		} else {
			made.Lost = !isUnsent(err)
		}
		c.state.asked = c.state.asked || !isUnsent(err)
		c.x.Attempts = append(c.x.Attempts, made)
		return t.callError(ctx, err)
	}
	defer func() { _ = a.Close() }()
	head := a.Head()
	made.Status, c.state.asked = head.Status, true
	c.x.Attempts = append(c.x.Attempts, made)
	c.x.FirstByte = made.Began.Add(made.Duration)
	if t.Era == mcp.Legacy && head.Session != "" && head.Session != t.message.Session {
		c.w.Header()[mcp.HeaderSession] = []string{t.server.SealSession(c.x.Principal, head.Session)}
	}
	if head.Accepted {
		c.x.Outcome.Kind = core.Served
		return t.writeEmpty(http.StatusAccepted)
	}
	return t.deliver(ctx, a, head)
}

// deliver delivers the messages of an answer: those before the response as events, if the client takes them.
func (t *toolCall) deliver(ctx context.Context, a tools.Answer, head tools.Head) *core.Error {
	c := t.call
	defer func() {
		if t.events != nil {
			t.events.Close(context.WithoutCancel(ctx))
		}
	}()
	streams := strings.Contains(strings.ToLower(strings.Join(c.r.Header["Accept"], ",")), eventStream) && c.chain.CanStream(&c.x)
	for {
		var form mcp.Form
		last := !head.Streamed
		data, err := a.Next(ctx, func(data []byte) (_ bool, err error) {
			form, err = t.FormOf(&c.x, data)
			last = form.IsResponse()
			return last, err
		})
		if err != nil {
			return t.callError(ctx, err)
		}
		if e := c.answer.reserveMemory(int64(len(data) + len(c.out))); e != nil {
			return e
		}
		if last {
			return t.deliverResponse(ctx, head, data)
		}
		switch {
		case streams && form == mcp.Request:
			c.releaseSlot() // the call waits for the client, whose answer needs a place of the tier itself
		case streams:
		case form == mcp.Request: // the server would wait for an answer until a timeout
			return t.refuseServerRequest()
		default:
			continue // nobody can read the notification, or no guard can judge it
		}
		if e := t.deliverEvent(ctx, data); e != nil {
			return e
		}
	}
}

// refuseServerRequest is the error of a call in which the server asks the client something that cannot reach it: the client
// does not accept events, or a guard judges whole answers alone.
func (t *toolCall) refuseServerRequest() *core.Error {
	t.call.x.Outcome.Kind = core.UpstreamErr
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstreamInvalid,
		Public: t.label() + " asks the client something before it answers, which this client or a guard does not allow",
	}
}

// deliverEvent governs a message that comes before the response, and sends it.
func (t *toolCall) deliverEvent(ctx context.Context, data []byte) *core.Error {
	c, ev := t.call, &t.call.answer.event
	c.answer.received = appendEvent(c.answer.received[:0], data) // without the server's id: the gateway cannot resume
	ev.Reset(c.answer.received)
	if err := t.ScanEvent(&c.x, ev); err != nil {
		return t.invalidAnswer(err)
	}
	if !c.chain.Governs(&c.x) {
		c.out = append(c.out, ev.Raw...)
		return t.flush()
	}
	if t.events == nil {
		links, e := c.chain.Stream(ctx, &c.x, &t.Call)
		t.events = links
		if e != nil {
			c.x.Outcome.Kind, c.x.Outcome.By = core.Faulted, e.Link
			return e
		}
	}
	out, e := t.events.Event(ctx, ev, c.out)
	if c.out = out; e != nil {
		return t.noteBlocked(e)
	}
	if t.events.Withholds() {
		return nil
	}
	return t.flush()
}

// deliverResponse governs the response and sends it: as a whole answer, or as the last event.
func (t *toolCall) deliverResponse(ctx context.Context, head tools.Head, data []byte) *core.Error {
	c := t.call
	if t.events != nil {
		out, e := t.events.End(ctx, c.out)
		if c.out = out; e != nil {
			return t.noteBlocked(e)
		}
	}
	c.x.Response.Status, c.x.Response.Raw = head.Status, t.HideSubscriptions(data)
	if err := t.ScanResponse(&c.x); err != nil {
		return t.invalidAnswer(err)
	}
	t.learnTool()
	if e := t.filterTools(); e != nil {
		return e
	}
	if kind := t.Answer.Opaque; kind != "" && c.snap.JudgedFiles {
		return &core.Error{
			Kind: core.ContentFiltered, Code: core.CodeContentFilter,
			Public: "the server returned content of the type " + kind + ", which no guard can judge; `files: pass` lets it through",
		}
	}
	if d, e := c.answer.govern(ctx); d != nil || e != nil {
		return c.answer.refuseRetry(d, e)
	}
	c.x.Outcome.Kind = core.Served
	status := head.Status
	if t.Answer.Failed {
		c.x.Outcome.Kind = core.UpstreamErr
	}
	switch {
	case t.Era == mcp.Modern && t.Answer.Failed && t.Answer.Code == mcp.NumberMissingCapability:
		status = http.StatusBadRequest // also where a legacy server says so, whose errors come with 200
	case status < http.StatusMultipleChoices:
		status = http.StatusOK
	case status < http.StatusBadRequest:
		status = http.StatusBadGateway // a redirect is not for the client
	}
	if !c.state.headOut && len(c.out) == 0 {
		c.write(status, "application/json", c.x.Response.Raw)
		return nil
	}
	c.x.Outcome.Status = http.StatusOK
	if e := c.recordBeforeEnd(ctx); e != nil {
		return e
	}
	c.out = appendEvent(c.out, c.x.Response.Raw)
	if e := t.flush(); e != nil {
		return e
	}
	c.x.Outcome.Complete = true
	return nil
}

// filterTools takes the tools out of a list that the caller must not call, and those whose definitions are not trusted.
func (t *toolCall) filterTools() *core.Error {
	c := t.call
	if t.Method != mcp.MethodListTools {
		return nil
	}
	learned := map[*tools.Server][]string{}
	for _, d := range t.Answer.Definitions {
		if holder, name := t.server.Holder(d.Name); holder != nil {
			learned[holder] = append(learned[holder], name)
		}
	}
	for holder, names := range learned {
		holder.Learn(names...)
	}
	withheld := t.server.ReviewTools(c.x.Response.Raw, t.Answer.Definitions) // members of a virtual server were reviewed before
	cuts := t.HideDefinitions(nil, c.x.Response.Raw, func(name string) bool {
		return t.server.AllowsTool(c.x.Principal, name) && !withheld[name] // as at the call
	})
	if len(cuts) == 0 {
		return nil
	}
	body, err := splice.Append(make([]byte, 0, len(c.x.Response.Raw)), c.x.Response.Raw, cuts)
	if err != nil {
		return core.AsError(err)
	}
	c.x.Response.Reset()
	c.x.Response.Status, c.x.Response.Raw = c.x.Attempts[len(c.x.Attempts)-1].Status, body
	if err := t.ScanResponse(&c.x); err != nil {
		return core.AsError(err)
	}
	return nil
}

// appendEvent appends an event with a message, in one line.
func appendEvent(dst, data []byte) []byte {
	dst = append(dst, "event: message\ndata: "...)
	if bytes.ContainsAny(data, "\r\n") { // blanks between values: strings have them escaped
		data = bytes.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, data)
	}
	return append(append(dst, data...), "\n\n"...)
}

// flush sends what is ready as events.
func (t *toolCall) flush() *core.Error {
	c := t.call
	if len(c.out) == 0 {
		return nil
	}
	if !c.state.headOut {
		h := c.w.Header()
		h["Content-Type"], h["Cache-Control"], h["X-Accel-Buffering"] = []string{eventStream}, []string{"no-cache"}, []string{"no"}
		c.addHeader(h)
		c.x.Head.Stream, c.state.headOut, c.x.Outcome.Status = true, true, http.StatusOK
		c.w.WriteHeader(http.StatusOK)
	}
	_, err := c.w.Write(c.out)
	c.out = c.out[:0]
	if err != nil {
		return c.attempts.hangupError(err)
	}
	c.w.Flush()
	return nil
}

// writeEmpty answers with a status alone.
func (t *toolCall) writeEmpty(status int) *core.Error {
	c := t.call
	c.releaseSlot()
	c.x.Outcome.Status = status
	if e := c.recordBeforeEnd(c.r.Context()); e != nil {
		return e
	}
	h := c.w.Header()
	c.addHeader(h)
	if status != http.StatusNoContent {
		h["Content-Length"] = []string{"0"}
	}
	c.state.headOut, c.x.Outcome.Complete = true, true
	c.w.WriteHeader(status)
	c.w.WriteHeaderNow()
	return nil
}

// noteBlocked notes that a link has ended the answer.
func (t *toolCall) noteBlocked(e *core.Error) *core.Error {
	t.call.x.Outcome.By, t.call.x.Outcome.Kind = e.Link, core.Blocked
	switch {
	case e.Kind == core.Canceled:
		t.call.x.Outcome.Kind = core.ClientGone
	case e.Code == core.CodeGuardUnavailable:
		t.call.x.Outcome.Kind = core.Faulted
	}
	return e
}

// label is the server's name for error messages.
func (t *toolCall) label() string { return "the MCP server " + t.name }

// invalidAnswer is the error of an answer that cannot be read, and so cannot be governed.
func (t *toolCall) invalidAnswer(err error) *core.Error {
	t.call.x.Outcome.Kind = core.UpstreamErr
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstreamInvalid, Err: err, Public: t.label() + " returned an invalid answer",
	}
}

// callError is the error of a message without a usable answer. What the server has written is not repeated.
func (t *toolCall) callError(ctx context.Context, err error) *core.Error {
	c := t.call
	var own *core.Error
	var status *tools.StatusError
	var u *upstream.Error
	switch {
	case ctx.Err() != nil:
		return c.attempts.hangupError(err)
	case errors.As(err, &own):
		return own
	}
	c.x.Outcome.Kind = core.UpstreamErr
	switch {
	case errors.As(err, &status):
		return t.statusError(status)
	case errors.As(err, &u) && u.Timeout:
		return &core.Error{Kind: core.GatewayTimeout, Code: core.CodeUpstreamTimeout, Err: err, Public: t.label() + " did not answer in time"}
	case u != nil && u.Phase <= upstream.PhaseWrite:
		return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: t.label() + " could not be reached"}
	case u != nil && !errors.Is(err, upstream.ErrMalformed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: t.label() + brokeOff}
	}
	return t.invalidAnswer(err)
}

// statusError is the error of a status without a message. A status about credentials is about the gateway's.
func (t *toolCall) statusError(s *tools.StatusError) *core.Error {
	e := &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstream, Err: s, RetryAfter: s.RetryAfter, Public: t.label() + " answered with an error",
	}
	switch {
	case s.Status == http.StatusNotFound && t.message.Session != "":
		return endedSession()
	case s.Status == http.StatusUnauthorized, s.Status == http.StatusForbidden:
		e.Public = t.label() + " refused the gateway's credentials"
	case s.Status == http.StatusTooManyRequests:
		e.Kind, e.Public = core.RateLimited, t.label()+" limits the rate of calls"
	case s.Status == http.StatusServiceUnavailable:
		e.Kind = core.Unavailable
	case s.Status == http.StatusBadRequest:
		e.Kind, e.Public = core.InvalidRequest, t.label()+" refused the message"
	}
	return e
}
