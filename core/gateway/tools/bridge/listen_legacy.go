package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

var _ tools.Listener = (*ToLegacy)(nil)

// CanListen reports whether the legacy server can be listened to.
func (b *ToLegacy) CanListen() bool { return tools.CanListen(b.server.Upstream) }

// Listen answers subscriptions/listen with the notifications of a session that is opened for it alone: those of a session that
// calls share would reach the clients of all these calls.
func (b *ToLegacy) Listen(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	wanted, err := readSubscription(m.Body)
	if err != nil {
		return nil, err
	}
	c := readClient(findMember(m.Body, "params"))
	c.capabilities = []byte(`{}`) // the server must not ask anything
	a := &legacyListening{up: b.server.Upstream, id: bytes.Clone(m.Call.ID), session: &session{}}
	if err := a.session.open(ctx, a.up, c); err != nil {
		return nil, err
	}
	a.agree(wanted)
	if !a.agreed.IsEmpty() {
		call := &mcp.Call{Era: mcp.Legacy, Version: a.session.version}
		if a.inner, err = tools.Listen(ctx, a.up, &tools.Message{Call: call, Session: a.session.id, Header: m.Header}); err == nil {
			err = a.sendSubscriptions(ctx)
		}
	}
	if err != nil && !errors.Is(err, tools.ErrCannotListen) {
		_ = a.Close()
		return nil, err
	}
	if a.inner == nil { // what the server promises, it cannot deliver
		a.agreed = mcp.Subscription{}
	}
	a.ready = append(a.ready, formatAcknowledgement(a.id, a.agreed))
	return a, nil
}

// legacyListening is a stream of a legacy server as a modern client gets it.
type legacyListening struct {
	up      tools.Upstream
	session *session
	agreed  mcp.Subscription
	id      []byte       // of the client's request
	inner   tools.Answer // nil if the server has nothing to say
	ready   [][]byte     // messages for the client
	x       core.Exchange
	call    mcp.Call
	done    bool
}

// agree keeps what the server promises of what the client wants.
func (a *legacyListening) agree(wanted mcp.Subscription) {
	promises := func(kind, what string) bool {
		return string(findMember(a.session.result, "capabilities", kind, what)) == "true"
	}
	a.agreed.Tools = wanted.Tools && promises("tools", "listChanged")
	a.agreed.Prompts = wanted.Prompts && promises("prompts", "listChanged")
	a.agreed.Resources = wanted.Resources && promises("resources", "listChanged")
	if promises("resources", "subscribe") {
		a.agreed.URIs = wanted.URIs
	}
}

// sendSubscriptions subscribes to the resources. Those that the server refuses are not agreed upon.
func (a *legacyListening) sendSubscriptions(ctx context.Context) error {
	asked := a.agreed.URIs
	a.agreed.URIs = nil
	for _, uri := range asked {
		ok, err := a.send(ctx, mcp.MethodSubscribe, uri)
		if err != nil {
			return err
		}
		if ok {
			a.agreed.URIs = append(a.agreed.URIs, uri)
		}
	}
	return nil
}

// send sends a request about a resource, and reports whether the server has accepted it.
func (a *legacyListening) send(ctx context.Context, method, uri string) (bool, error) {
	params := append(appendMember([]byte{'{'}, "uri", splice.AppendString(nil, uri)), '}')
	body := formatRequest(newID(), method, params)
	call, x, err := scanMessage(body, mcp.Legacy, a.session.version)
	if err != nil {
		return false, err
	}
	_, _, err = sendRequest(ctx, a.up, &tools.Message{Call: call, Body: body, Session: a.session.id}, x)
	return err == nil && !call.Answer.Failed, err
}

// Head returns what is known before the messages.
func (*legacyListening) Head() tools.Head { return tools.Head{Status: http.StatusOK, Streamed: true} }

// Next returns the next message for the client.
func (a *legacyListening) Next(ctx context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	for !a.done {
		if len(a.ready) > 0 {
			out := a.ready[0]
			a.ready = a.ready[1:]
			_, err := isResponse(out)
			return out, err
		}
		data, err := []byte(nil), io.EOF
		if a.inner != nil {
			data, err = a.inner.Next(ctx, func(data []byte) (bool, error) {
				form, err := a.call.ReadForm(&a.x, data)
				return form.IsResponse(), err
			})
		}
		switch {
		case errors.Is(err, io.EOF):
			a.done = true
			out := formatListenEnd(a.id)
			_, err := isResponse(out)
			return out, err
		case err != nil:
			return nil, err
		}
		if err := a.translate(ctx, data); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// translate takes over a message of the server if the client has subscribed to it, and answers what the server asks.
func (a *legacyListening) translate(ctx context.Context, data []byte) error {
	method := readText(findMember(data, "method"))
	if id := findMember(data, "id"); id != nil {
		answer := formatFailure(id, -32601, "the client does not support this")
		if method == mcp.MethodPing {
			answer = formatResponse(string(id), "result", []byte(`{}`))
		}
		return sendNotification(ctx, a.up, a.session, answer)
	}
	if a.agreed.Wants(method) {
		a.ready = append(a.ready, formatNotice(method, findMember(data, "params"), formatTag(a.id)))
	}
	return nil
}

// Close ends the subscriptions and their session, without waiting for the server. Servers need not support the end of a session,
// and would keep its subscriptions.
func (a *legacyListening) Close() error {
	var err error
	if a.inner != nil {
		err = a.inner.Close()
	}
	if a.session.id != "" {
		go func() {
			ctx, cancel := context.WithTimeout(a.session.user, openTime)
			defer cancel()
			for _, uri := range a.agreed.URIs {
				if _, err := a.send(ctx, mcp.MethodUnsubscribe, uri); err != nil {
					break
				}
			}
			a.session.end(a.up)
		}()
	}
	return err
}
