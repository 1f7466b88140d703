package proxy

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// send sends the message to the server and delivers its answer.
func (t *toolCall) send(ctx context.Context) *core.Error {
	c := t.call
	t.message.Call, t.message.Body, t.message.Header = &t.Call, t.sent.Raw, t.appendMirrors(t.message.Header)
	t.message.Principal = c.x.Principal
	t.message.Reserve = t.reserve
	began := c.readTime()
	t.message.Header = t.appendTrace(t.message.Header, began)
	a, err := t.up.Send(ctx, &t.message)
	if err != nil {
		t.addAttempt(began, 0, err)
		return t.convertCallError(ctx, err)
	}
	defer func() { _ = a.Close() }()
	head := a.Head()
	t.addAttempt(began, head.Status, nil)
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
	defer t.closeEvents(ctx)
	streams := strings.Contains(strings.ToLower(strings.Join(c.r.Header["Accept"], ",")), eventStream) && c.chain.CanStream(&c.x)
	for {
		var form mcp.Form
		last := !head.Streamed
		data, err := a.Next(ctx, func(data []byte) (_ bool, err error) {
			form, err = t.ReadForm(&c.x, data)
			last = form.IsResponse()
			return last, err
		})
		if err != nil {
			return t.convertCallError(ctx, err)
		}
		if e := c.answer.reserveMemory(int64(len(data) + len(c.out))); e != nil {
			return e
		}
		if last {
			return t.deliverResponse(ctx, head, data)
		}
		c.x.Reuse = nil // a later caller would not get the messages before the result
		switch {
		case streams && form == mcp.Request:
			c.releaseSlot() // the call waits for the client, whose answer needs a slot itself
		case streams:
		case form == mcp.Request: // the server would wait for an answer until a timeout
			return t.newServerRequestError()
		default:
			continue // the client cannot read the notification, or no guard can judge it
		}
		if form == mcp.Notification && !t.mayHear(data) {
			continue
		}
		if e := t.deliverEvent(ctx, &t.Call, data); e != nil {
			return e
		}
	}
}

// newServerRequestError returns the error of a call in which the server asks the client a question that cannot be
// delivered: the client does not accept events, or a guard judges only whole answers.
func (t *toolCall) newServerRequestError() *core.Error {
	t.call.x.Outcome.Kind = core.UpstreamErr
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstreamInvalid,
		Public: t.formatLabel() + " asks the client a question before it answers, which this client or a guard does not allow",
	}
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
	if !t.canListen() {
		data = t.HideSubscriptions(data)
	}
	c.x.Response.Status, c.x.Response.Raw = head.Status, data
	if err := t.ScanResponse(&c.x); err != nil {
		return t.newInvalidAnswerError(err)
	}
	if t.subscribes != nil && !t.Answer.Failed {
		t.subscribes()
	}
	t.recordCalledTool()
	t.checkReuse()
	if e := t.filterList(); e != nil {
		return e
	}
	if kind := t.Answer.Opaque; kind != "" && c.snap.JudgedFiles {
		return &core.Error{
			Kind: core.ContentFiltered, Code: core.CodeContentFilter,
			Public: "the server returned content of the type " + kind + ", which no guard can judge; `files: pass` lets it through",
		}
	}
	c.kept.AddBody(c.x.Response.Raw)
	if e := t.govern(ctx); e != nil {
		return e
	}
	c.x.Outcome.Kind = core.Served
	status := head.Status
	if t.Answer.Failed {
		c.x.Outcome.Kind = core.UpstreamErr
	}
	switch {
	case t.Era == mcp.Modern && t.Answer.Failed && t.Answer.Code == mcp.NumberMissingCapability:
		status = http.StatusBadRequest // also for a legacy server, which sends errors with status 200
	case status < http.StatusMultipleChoices:
		status = http.StatusOK
	case status < http.StatusBadRequest:
		status = http.StatusBadGateway // a redirect is not for the client
	}
	if !c.state.headOut && len(c.out) == 0 {
		c.writeAnswer(status, "application/json", c.x.Response.Raw)
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

// filterList removes from a list what the caller must not use, and tools whose definitions are not trusted.
func (t *toolCall) filterList() *core.Error {
	c, kind := t.call, t.Subject()
	if kind == mcp.NoSubject || t.Target != "" || t.Answer.Failed {
		return nil
	}
	var withheld map[string]bool
	if kind == mcp.ToolSubject {
		t.recordListedTools()
		withheld = t.server.ReviewTools(c.x.Response.Raw, t.Answer.Definitions) // members of a virtual server were reviewed before
	}
	cuts := t.HideDefinitions(nil, c.x.Response.Raw, func(name string) bool {
		return t.server.AllowsListed(c.x.Principal, kind, name) && !withheld[name] // as at the call
	})
	if len(cuts) == 0 {
		return nil
	}
	body, err := splice.Append(make([]byte, 0, len(c.x.Response.Raw)), c.x.Response.Raw, cuts)
	if err != nil {
		return core.ConvertError(err)
	}
	c.x.Response.Reset()
	c.x.Response.Status, c.x.Response.Raw = c.x.Attempts[len(c.x.Attempts)-1].Status, body
	if err := t.ScanResponse(&c.x); err != nil {
		return core.ConvertError(err)
	}
	return nil
}

// recordListedTools notes which tools the servers have listed.
func (t *toolCall) recordListedTools() {
	learned := map[*tools.Server][]string{}
	for _, d := range t.Answer.Definitions {
		if holder, name := t.server.FindHolder(d.Name); holder != nil {
			learned[holder] = append(learned[holder], name)
		}
	}
	for holder, names := range learned {
		holder.RecordTools(names...)
	}
}

// convertCallError returns the error of a message without a usable answer. A server that does not know the session has
// ended it.
func (t *toolCall) convertCallError(ctx context.Context, err error) *core.Error {
	var status *tools.StatusError
	if ctx.Err() == nil && errors.As(err, &status) && status.Status == http.StatusNotFound && t.message.Session != "" {
		t.call.x.Outcome.Kind = core.UpstreamErr
		t.call.proxy.subscribed.end(t.formatSession())
		return newEndedSessionError()
	}
	return t.rpcCall.convertCallError(ctx, err)
}
