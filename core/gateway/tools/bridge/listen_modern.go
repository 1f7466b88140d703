package bridge

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

var _ tools.Listener = (*ToModern)(nil)

// CanListen reports whether the modern server can be listened to.
func (b *ToModern) CanListen() bool { return tools.CanListen(b.modern) }

// Listen opens the stream of a legacy session: notifications about lists, and about the resources to which the session is
// subscribed while the stream is open.
func (b *ToModern) Listen(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	c := client{}.normalize()
	if isToken(m.Session) {
		c = parseToken(m.Session)
	}
	first := mcp.Subscription{Tools: true, Prompts: true, Resources: true}
	changed := make(<-chan struct{})
	if m.Feed != nil {
		first.URIs, changed = m.Feed.List()
	}
	a := &modernListening{fan: newFan(ctx), b: b, m: m, client: c, first: map[string]bool{}, later: map[string]func(){}}
	l, err := listen(a.ctx, b.modern, m, c, first)
	if err != nil {
		a.cancel()
		return nil, err
	}
	for _, uri := range first.URIs {
		a.first[uri] = true
	}
	for _, uri := range l.agreed.URIs {
		m.Feed.Confirm(uri)
	}
	a.start(func() { a.fail(a.pass(a.ctx, l)) })
	a.start(func() { a.follow(changed) })
	return a, nil
}

// answerSubscribe answers a subscription to a resource, or its end. The caller keeps the list, which [ToModern.Listen] reads.
func (b *ToModern) answerSubscribe(ctx context.Context, m *tools.Message, c client) (tools.Answer, error) {
	if m.Call.Method == mcp.MethodSubscribe {
		data, err := b.discover(ctx, m, c)
		if err != nil {
			return nil, err
		}
		if string(findMember(data, "result", "capabilities", "resources", "subscribe")) != "true" {
			return newAnswer(formatFailure(m.Call.ID, -32601, "the server offers no subscriptions to resources")), nil
		}
	}
	return newAnswer(formatResponse(string(m.Call.ID), "result", []byte(`{}`))), nil
}

// modernListening is what a legacy client hears of a modern server: one stream for the lists and the resources that were
// subscribed before it, and one for each later resource.
type modernListening struct {
	*fan
	b      *ToModern
	m      *tools.Message
	client client

	mu    sync.Mutex
	first map[string]bool   // whether the session is still subscribed to a resource of the first stream
	later map[string]func() // ends the stream of a later resource
}

// pass passes on what a stream says until it ends.
func (a *modernListening) pass(ctx context.Context, l *listening) error {
	defer func() { _ = l.Close() }()
	for {
		data, method, err := l.readNotice(ctx)
		if err != nil {
			return err
		}
		params := findMember(data, "params")
		if !l.agreed.Wants(method) || method == mcp.NoticeResourceUpdated && a.hasLeft(readText(findMember(params, "uri"))) {
			continue
		}
		if !a.send(formatNotice(method, params, nil)) {
			return a.ctx.Err()
		}
	}
}

// hasLeft reports whether the session has ended its subscription to a resource of the first stream.
func (a *modernListening) hasLeft(uri string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	subscribed, isFirst := a.first[uri]
	return isFirst && !subscribed && a.later[uri] == nil
}

// follow opens and ends streams of resources as the session subscribes.
func (a *modernListening) follow(changed <-chan struct{}) {
	for {
		select {
		case <-changed:
		case <-a.ctx.Done():
			return
		}
		var uris []string
		uris, changed = a.m.Feed.List()
		a.mu.Lock()
		for uri := range a.first {
			a.first[uri] = a.first[uri] && slices.Contains(uris, uri) // a resource that comes back has a stream of its own
		}
		for uri, end := range a.later {
			if !slices.Contains(uris, uri) {
				end()
				delete(a.later, uri)
			}
		}
		for _, uri := range uris {
			if !a.first[uri] && a.later[uri] == nil {
				ctx, cancel := context.WithCancel(a.ctx)
				a.later[uri] = cancel
				a.start(func() { a.listenTo(ctx, uri) })
			}
		}
		a.mu.Unlock()
	}
}

// listenTo runs the stream of one resource. If it ends while the session is subscribed, the client's stream ends too, and the
// client opens another.
func (a *modernListening) listenTo(ctx context.Context, uri string) {
	l, err := listen(ctx, a.b.modern, a.m, a.client, mcp.Subscription{URIs: []string{uri}})
	if err == nil {
		if len(l.agreed.URIs) > 0 {
			a.m.Feed.Confirm(uri)
		}
		err = a.pass(ctx, l)
	}
	if ctx.Err() == nil && !errors.Is(err, tools.ErrCannotListen) {
		a.fail(err)
	}
}
