package bridge

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

const (
	// firstListenPause is the time before a member whose stream has ended is listened to again; it doubles up to
	// maxListenPause.
	firstListenPause = time.Second
	maxListenPause   = time.Minute
)

var _ tools.Listener = (*Join)(nil)

// CanListen reports that a virtual server can be listened to, whichever of its members can.
func (*Join) CanListen() bool { return true }

// Listen joins the notifications of all members that the caller may use. A member that is away, or whose stream ends, is
// listened to again later; then its lists count as changed.
func (j *Join) Listen(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	wanted, err := readSubscription(m.Body)
	if err != nil {
		return nil, err
	}
	a := &joinedListening{
		fan: newFan(ctx), m: m, client: readClient(findMember(m.Body, "params")), id: bytes.Clone(m.Call.ID),
		refused: map[string]bool{}, acked: make(chan struct{}),
	}
	var first sync.WaitGroup
	for i := range j.server.Members {
		v := &j.server.Members[i]
		part := wanted
		part.URIs = cutMemberURIs(wanted.URIs, tools.FormatURIPrefix(v.Server.Name))
		switch {
		case part.IsEmpty():
			continue
		case m.Principal != nil && !v.Server.Admits(m.Principal), !tools.CanListen(v.Modern):
			a.noteRefused(v, part, mcp.Subscription{})
			continue
		}
		first.Add(1)
		a.start(func() { a.follow(v, part, sync.OnceFunc(first.Done)) })
	}
	a.start(func() { a.sendAcknowledgement(wanted, &first, j.timeout) })
	return a, nil
}

// cutMemberURIs returns the addresses of one member, as the member spells them.
func cutMemberURIs(uris []string, prefix string) (own []string) {
	for _, uri := range uris {
		if rest, ok := strings.CutPrefix(uri, prefix); ok {
			own = append(own, rest)
		}
	}
	return own
}

// joinedListening is a stream of a virtual server. A client learns only at the beginning what it will hear about, and not
// which members are away.
type joinedListening struct {
	*fan
	m      *tools.Message
	client client
	id     []byte // of the client's request

	mu      sync.Mutex
	refused map[string]bool // addresses that a member does not let the client subscribe to
	acked   chan struct{}
}

// sendAcknowledgement tells the client what it will hear about, once each member has answered or the time is over.
func (a *joinedListening) sendAcknowledgement(wanted mcp.Subscription, first *sync.WaitGroup, timeout time.Duration) {
	answered := make(chan struct{})
	a.start(func() {
		first.Wait()
		close(answered)
	})
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
	case <-a.ctx.Done():
		return
	}
	agreed := wanted
	agreed.URIs = nil
	a.mu.Lock()
	for _, uri := range wanted.URIs {
		if !a.refused[uri] {
			agreed.URIs = append(agreed.URIs, uri)
		}
	}
	a.mu.Unlock()
	if a.send(formatAcknowledgement(a.id, agreed)) {
		close(a.acked)
	}
}

// follow listens to a member as long as the client does. answered is called after the first attempt.
func (a *joinedListening) follow(v *tools.Member, part mcp.Subscription, answered func()) {
	defer answered()
	pause := firstListenPause
	for isFirst := true; ; isFirst = false {
		l, err := listen(a.ctx, v.Modern, a.m, a.client, part)
		switch {
		case err == nil:
			a.noteRefused(v, part, l.agreed)
			answered()
			pause = firstListenPause
			a.pass(l, isFirst)
		case errors.Is(err, tools.ErrCannotListen):
			a.noteRefused(v, part, mcp.Subscription{})
			return
		}
		answered()
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-a.ctx.Done():
			timer.Stop()
			return
		}
		pause = min(2*pause, maxListenPause)
	}
}

// noteRefused notes the resources about which a member will say nothing.
func (a *joinedListening) noteRefused(v *tools.Member, asked, agreed mcp.Subscription) {
	a.mu.Lock()
	defer a.mu.Unlock()
	has := map[string]bool{}
	for _, uri := range agreed.URIs {
		has[uri] = true
	}
	for _, uri := range asked.URIs {
		if !has[uri] {
			a.refused[tools.FormatURIPrefix(v.Server.Name)+uri] = true
		}
	}
}

// pass passes on what a member says until its stream ends, after the acknowledgement. A member that was away may have changed
// its lists.
func (a *joinedListening) pass(l *listening, isFirst bool) {
	defer func() { _ = l.Close() }()
	select {
	case <-a.acked:
	case <-a.ctx.Done():
		return
	}
	if !isFirst {
		for _, notice := range l.agreed.ListNotices() {
			if !a.send(formatNotice(notice, nil, formatTag(a.id))) {
				return
			}
		}
	}
	for {
		data, method, err := l.readNotice(a.ctx)
		if err != nil {
			return
		}
		if l.agreed.Wants(method) && !a.send(formatNotice(method, findMember(data, "params"), formatTag(a.id))) {
			return
		}
	}
}
