package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

const (
	// listenAge limits a stream: a client that still listens opens another one, which is authenticated again.
	listenAge = time.Hour
	// listenMessages limits the messages of a stream. Their findings are kept until it ends.
	listenMessages = 10_000
	// listenCheck is how often a stream checks that its caller may still listen.
	listenCheck = time.Second
)

// errListenEnds ends a stream in good order: the client opens another one if it still listens.
var errListenEnds = errors.New("the stream ends")

// canListen reports whether the client can be sent what the server says outside of calls: the server has such a stream, and the
// guards can judge messages one by one.
func (t *toolCall) canListen() bool {
	return tools.CanListen(t.up) && t.call.chain.CanStream(&t.call.x)
}

// listen opens a stream of the server's notifications and passes it on. It holds no place of a call: it costs nothing, and it
// may last for an hour.
func (t *toolCall) listen(ctx context.Context) *core.Error {
	c := t.call
	counted, e := c.proxy.listeners.open(c.x.Principal)
	if e != nil {
		return e
	}
	defer counted.close()
	c.releaseSlot()
	inner, end := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		t.watch(inner, end, counted.drains)
	}()
	defer func() { // the watcher reads the exchange, which is reused
		end(nil)
		<-watched
	}()
	t.message.Call, t.message.Body, t.message.Principal = &t.Call, t.sent.Raw, c.x.Principal
	began := c.readTime()
	t.message.Header = t.appendTrace(t.message.Header, began)
	if t.listens {
		feed := c.proxy.subscribed.follow(t.formatSession(), c.x.Principal.Tenant)
		defer feed.close()
		t.message.Feed = feed
	}
	a, err := tools.Listen(inner, t.up, &t.message)
	switch {
	case errors.Is(err, tools.ErrCannotListen):
		return t.newCannotListenError()
	case err != nil:
		t.addAttempt(began, 0, err)
		return t.convertCallError(ctx, err)
	}
	defer func() { _ = a.Close() }()
	t.addAttempt(began, a.Head().Status, nil)
	return t.passOn(ctx, inner, a)
}

// passOn delivers the messages of a stream until the server, the client or the gateway ends it.
func (t *toolCall) passOn(ctx, inner context.Context, a tools.Answer) *core.Error {
	c, head := t.call, a.Head()
	defer t.closeEvents(ctx)
	if head.Streamed {
		t.alive = &keepAlive{}
		t.alive.attachWriter(c.w, c.proxy.keepAlive)
		defer t.alive.close()
		c.out = append(c.out[:0], ": listening\n\n"...) // the client waits for the head
		if e := t.flush(); e != nil {
			return e
		}
	}
	for range listenMessages {
		if t.alive != nil {
			t.alive.startWait()
		}
		var form mcp.Form
		data, err := a.Next(inner, func(data []byte) (_ bool, err error) {
			form, err = t.ReadForm(&c.x, data)
			return form.IsResponse(), err
		})
		switch {
		case ctx.Err() != nil && t.alive != nil: // a client ends a stream by hanging up
			c.x.Outcome.Kind, c.x.Outcome.Status, c.x.Outcome.Complete = core.Served, http.StatusOK, true
			return nil
		case errors.Is(context.Cause(inner), errListenEnds), errors.Is(err, io.EOF):
			return t.endListening(ctx, head)
		case err != nil:
			return t.convertCallError(ctx, err)
		case form.IsResponse() || !head.Streamed:
			return t.deliverResponse(ctx, head, data)
		case form == mcp.Notification && !t.mayHear(data):
			continue
		}
		if e := c.answer.reserveMemory(int64(len(data) + len(c.out))); e != nil {
			return e
		}
		if e := t.deliverEvent(ctx, &t.Call, data); e != nil {
			return e
		}
	}
	return t.endListening(ctx, head)
}

// endListening ends a stream in good order. In the modern era its last message is the response to the request.
func (t *toolCall) endListening(ctx context.Context, head tools.Head) *core.Error {
	c := t.call
	if t.Era == mcp.Modern {
		return t.deliverResponse(ctx, head, t.FormatListenEnd())
	}
	if t.events != nil {
		out, e := t.events.End(ctx, c.out)
		if c.out = out; e != nil {
			return t.noteBlocked(e)
		}
	}
	c.x.Outcome.Kind = core.Served
	if e := c.recordBeforeEnd(ctx); e != nil {
		return e
	}
	if e := t.flush(); e != nil {
		return e
	}
	c.x.Outcome.Complete = true
	return nil
}

// mayHear reports whether the client may get a notification: one about a resource only if it may read that now.
func (t *toolCall) mayHear(data []byte) bool {
	method, uri := mcp.ReadNotice(&t.call.x.Scanner, data)
	if method != mcp.NoticeResourceUpdated {
		return true
	}
	server := t.server
	if t.member != nil {
		server = t.call.snap.Servers.Find(t.path)
	}
	return server != nil && server.AllowsListed(t.call.x.Principal, mcp.ResourceSubject, uri)
}

// watch ends a stream when it is old, when the gateway shuts down, and when its caller might no longer be allowed to listen: at
// each change of the configuration, of the server or of the key, and when the key expires.
func (t *toolCall) watch(ctx context.Context, end context.CancelCauseFunc, drains <-chan struct{}) {
	c := t.call
	ticker := time.NewTicker(c.proxy.listenCheck)
	defer ticker.Stop()
	keys, expires, old := c.snap.Keys, c.x.Principal.ExpiresAt, time.NewTimer(listenAge)
	defer old.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-old.C:
			end(errListenEnds)
			return
		case <-drains:
			end(errListenEnds)
			return
		case <-ticker.C:
		}
		now := c.proxy.Snapshots.Acquire()
		isSame := now.Runtime == c.snap.Runtime && now.Servers.Find(t.path) == c.snap.Servers.Find(t.path)
		if isSame && (now.Keys != keys || !expires.IsZero() && !time.Now().Before(expires)) {
			keys = now.Keys
			expires, isSame = t.checkAdmission(keys)
		}
		now.Release()
		if !isSame {
			end(errListenEnds)
			return
		}
	}
}

// checkAdmission reports whether the caller would be admitted now, as the same key with the same rights, and until when.
func (t *toolCall) checkAdmission(keys *auth.Keys) (expires time.Time, ok bool) {
	before := t.call.x.Principal
	p, e := t.call.proxy.Auth.Authenticate(keys, t.call.r, time.Now())
	if e != nil {
		return time.Time{}, false
	}
	return p.ExpiresAt, checkActive(p) == nil && p.Tenant == before.Tenant && p.KeyID == before.KeyID &&
		p.Allows(auth.ScopeToolsList) == before.Allows(auth.ScopeToolsList) &&
		p.Allows(auth.ScopeToolsCall) == before.Allows(auth.ScopeToolsCall)
}

// newCannotListenError returns the error of a stream or a subscription that the server or a guard does not allow.
func (t *toolCall) newCannotListenError() *core.Error {
	if t.listens {
		return &core.Error{
			Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Public: "the server sends no messages outside of requests, or a guard judges only whole answers",
		}
	}
	return &core.Error{
		Kind: core.NotFound, Code: mcp.CodeMethodNotFound, Param: "method",
		Public: "the server has no subscriptions, or a guard judges only whole answers; list or read again instead",
	}
}
