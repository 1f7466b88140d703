package a2a

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	dialect "github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// NotifierSettings say where notifications may be delivered.
type NotifierSettings struct {
	// URLs are the registered addresses: notifications go to one of them, or to a path below it.
	URLs         []string
	AllowPrivate bool
	// Client sends the notifications. It must connect through an upstream.PublicDialer.
	Client upstream.Client
}

// Notifier delivers notifications about tasks to registered addresses. Its methods may be called from many goroutines.
type Notifier struct {
	set  NotifierSettings
	urls []*url.URL
}

var _ agents.Notifier = (*Notifier)(nil)

// NewNotifier returns a notifier. It fails for a URL that must not be called.
func NewNotifier(s NotifierSettings) (*Notifier, error) {
	n := &Notifier{set: s}
	for _, text := range s.URLs {
		if _, err := mcp.New(mcp.Settings{URL: text, AllowPrivate: s.AllowPrivate, Client: s.Client}); err != nil {
			return nil, fmt.Errorf("push_to: %w", err)
		}
		u, err := url.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("push_to: %w", err)
		}
		n.urls = append(n.urls, u)
	}
	return n, nil
}

// Allows reports whether a URL is registered: scheme and host are those of a registered one, and the path is its path or lies
// below it.
func (n *Notifier) Allows(text string) bool { return n.parseURL(text) != nil }

func (n *Notifier) parseURL(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || u.Fragment != "" || tools.Climbs(u.EscapedPath()) {
		return nil
	}
	for _, of := range n.urls {
		if !strings.EqualFold(u.Scheme, of.Scheme) || !strings.EqualFold(u.Host, of.Host) {
			continue
		}
		below := strings.TrimSuffix(of.Path, "/") + "/"
		if u.Path == of.Path || strings.HasPrefix(u.Path, below) || u.Path == "" && below == "/" {
			return u
		}
	}
	return nil
}

// noticeTimeouts limit a notification. An agent that waits for the end of one does nothing else for the task.
var noticeTimeouts = upstream.Timeouts{
	Connect: 5 * time.Second, FirstByte: 15 * time.Second, Idle: 5 * time.Second, Total: 20 * time.Second,
}

// ErrNotRegistered says that the address of a notification is not, or no longer, one of the registered ones.
var ErrNotRegistered = errors.New("the address of the notification is not registered")

// maxNoticeAnswer is how much of an answer to a notification is read, so that the connection can be used again.
const maxNoticeAnswer = 4 << 10

// Notify delivers a notification. The configuration in force decides whether its address is still registered.
func (n *Notifier) Notify(ctx context.Context, to *dialect.PushTarget, body []byte) (status int, err error) {
	u := n.parseURL(to.URL)
	if u == nil {
		return 0, ErrNotRegistered
	}
	r := &upstream.Request{
		Method: "POST", URL: u, Body: body, Timeouts: noticeTimeouts,
		Header: []upstream.Field{{Name: "Content-Type", Value: "application/json"}},
	}
	if to.Token != "" {
		r.Header = append(r.Header, upstream.Field{Name: "X-A2A-Notification-Token", Value: to.Token})
	}
	if to.Scheme != "" && to.Credentials != "" {
		r.Header = append(r.Header, upstream.Field{Name: "Authorization", Value: to.Scheme + " " + to.Credentials})
	}
	resp, err := n.set.Client.Do(ctx, r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()                               // it was only read
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxNoticeAnswer)) // the status has arrived, which is all that counts
	return resp.Status, nil
}
