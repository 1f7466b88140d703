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
	a := &modernListening{fan: newFan(ctx), b: b, m: m, client: c, subscribed: map[string]bool{}}
	l, err := listen(a.ctx, b.modern, m, c, first)
	if err != nil {
		a.cancel()
		return nil, err
	}
	for _, uri := range first.URIs {
		a.subscribed[uri] = true
	}
	a.first = l.agreed.URIs
	for _, uri := range a.first {
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
// subscribed before it, and one for all later resources. A client costs the server no more streams, however often it subscribes;
// while the second one is replaced, there are three.
type modernListening struct {
	*fan
	b      *ToModern
	m      *tools.Message
	client client
	first  []string // the resources of the first stream
	later  []string // those that the second stream has asked for
	agreed []string // those of them about which the server sends notifications
	leave  func()   // ends the second stream; nil: there is none

	mu         sync.Mutex
	subscribed map[string]bool // whether the session is still subscribed to a resource
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

// hasLeft reports whether the session has ended its subscription to a resource.
func (a *modernListening) hasLeft(uri string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	subscribed, known := a.subscribed[uri]
	return known && !subscribed
}

// follow keeps the second stream at the resources to which the session has subscribed since the first.
func (a *modernListening) follow(changed <-chan struct{}) {
	for {
		select {
		case <-changed:
		case <-a.ctx.Done():
			return
		}
		var uris []string
		uris, changed = a.m.Feed.List()
		later := a.note(uris)
		if !slices.Equal(later, a.later) {
			a.listenTo(later)
		}
	}
}

// note notes to which resources the session is subscribed, and returns those that the first stream does not have.
func (a *modernListening) note(uris []string) (later []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.subscribed)
	for _, uri := range slices.Concat(a.first, a.later) {
		a.subscribed[uri] = false
	}
	for _, uri := range uris {
		a.subscribed[uri] = true
		inFirst := slices.Contains(a.first, uri)
		if !inFirst {
			later = append(later, uri)
		}
		if inFirst || slices.Contains(a.agreed, uri) {
			a.m.Feed.Confirm(uri) // it may have left and come back
		}
	}
	return later
}

// listenTo replaces the second stream by one for these resources. The one before ends once the server has agreed, so that no
// notification is missed; some may come twice.
func (a *modernListening) listenTo(uris []string) {
	a.later, a.agreed = uris, nil
	before := a.leave
	a.leave = nil
	if before != nil {
		defer before()
	}
	if len(uris) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(a.ctx)
	a.leave = cancel
	l, err := listen(ctx, a.b.modern, a.m, a.client, mcp.Subscription{URIs: uris})
	switch {
	case errors.Is(err, tools.ErrCannotListen):
	case err != nil:
		a.fail(err)
	default:
		a.agreed = l.agreed.URIs
		for _, uri := range a.agreed {
			a.m.Feed.Confirm(uri)
		}
		a.start(func() {
			err := a.pass(ctx, l)
			if ctx.Err() == nil { // the client's stream ends too, and the client opens another
				a.fail(err)
			}
		})
	}
}
