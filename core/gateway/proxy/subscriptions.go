package proxy

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

const (
	// maxSubscribedOfTenant limits the resources to which all legacy sessions of a tenant are subscribed, maxSubscribedAll those
	// of all tenants.
	maxSubscribedOfTenant = 1024
	maxSubscribedAll      = 16384
	// idleSubscription is how long the subscriptions of a session are kept without an open stream.
	idleSubscription = time.Hour
	// confirmTime is how long the answer to a subscription waits until the server sends notifications.
	confirmTime = 5 * time.Second
)

// subscriptions are the resources to which sessions of the legacy era are subscribed. Servers of that era keep them too; for
// others, the gateway does. The zero value is ready; it is safe for concurrent use.
type subscriptions struct {
	mu       sync.Mutex
	sessions map[string]*subscriber
	tenants  map[string]int
	all      int
}

// subscriber is one session. The lock of subscriptions guards it.
type subscriber struct {
	tenant    string
	uris      []string
	confirmed map[string]bool
	streams   int           // open ones
	follows   bool          // a stream reads the list, so that the gateway itself subscribes
	changed   chan struct{} // closed at each change
	used      time.Time
}

// find returns a session, which it creates if necessary. The caller holds the lock.
func (s *subscriptions) find(session, tenant string) *subscriber {
	if s.sessions == nil {
		s.sessions, s.tenants = map[string]*subscriber{}, map[string]int{}
	}
	of := s.sessions[session]
	if of == nil {
		of = &subscriber{tenant: tenant, confirmed: map[string]bool{}, changed: make(chan struct{})}
		s.sessions[session] = of
	}
	of.used = time.Now()
	return of
}

// notify tells streams that a session has changed. The caller holds the lock.
func (of *subscriber) notify() {
	close(of.changed)
	of.changed = make(chan struct{})
}

// add subscribes a session to a resource, unless there are too many. It reports whether the subscription is new.
func (s *subscriptions) add(session, tenant, uri string) (isNew bool, e *core.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[session]; of != nil && slices.Contains(of.uris, uri) {
		return false, nil
	}
	if s.tenants[tenant] >= maxSubscribedOfTenant || s.all >= maxSubscribedAll {
		s.dropIdle()
	}
	of := s.find(session, tenant)
	if len(of.uris) >= mcp.MaxSubscribed || s.tenants[tenant] >= maxSubscribedOfTenant || s.all >= maxSubscribedAll {
		s.dropEmpty(session, of)
		return false, &core.Error{
			Kind: core.RateLimited, Code: core.CodeRateLimit, Public: "too many resources are subscribed to; unsubscribe from some first",
		}
	}
	of.uris = append(slices.Clone(of.uris), uri) // streams read the old list
	s.all++
	s.tenants[tenant]++
	of.notify()
	return true, nil
}

// remove ends a subscription.
func (s *subscriptions) remove(session, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.sessions[session]
	if of == nil {
		return
	}
	if i := slices.Index(of.uris, uri); i >= 0 {
		of.uris = slices.Delete(slices.Clone(of.uris), i, i+1)
		delete(of.confirmed, uri)
		s.dropSubscriptions(of, 1)
		of.notify()
	}
	s.dropEmpty(session, of)
}

// dropSubscriptions stops counting subscriptions of a session. The caller holds the lock.
func (s *subscriptions) dropSubscriptions(of *subscriber, n int) {
	s.all -= n
	if s.tenants[of.tenant] -= n; s.tenants[of.tenant] <= 0 {
		delete(s.tenants, of.tenant)
	}
}

// end ends all subscriptions of a session.
func (s *subscriptions) end(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[session]; of != nil {
		s.dropSubscriptions(of, len(of.uris))
		of.uris = nil
		of.notify()
		delete(s.sessions, session)
	}
}

// dropIdle forgets sessions that have had no stream for a long time. The caller holds the lock.
func (s *subscriptions) dropIdle() {
	for session, of := range s.sessions {
		if of.streams == 0 && time.Since(of.used) > idleSubscription {
			s.dropSubscriptions(of, len(of.uris))
			delete(s.sessions, session)
		}
	}
}

// dropEmpty forgets a session without subscriptions and streams. The caller holds the lock.
func (s *subscriptions) dropEmpty(session string, of *subscriber) {
	if of.streams == 0 && len(of.uris) == 0 {
		delete(s.sessions, session)
	}
}

// wait waits until the server sends notifications about a resource, if an open stream of the gateway has to ask for them.
func (s *subscriptions) wait(ctx context.Context, session, uri string) {
	ctx, cancel := context.WithTimeout(ctx, confirmTime)
	defer cancel()
	for {
		s.mu.Lock()
		of := s.sessions[session]
		if of == nil || of.streams == 0 || !of.follows || of.confirmed[uri] {
			s.mu.Unlock()
			return
		}
		changed := of.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// feed is what an open stream reads.
type feed struct {
	all     *subscriptions
	session string
	of      *subscriber
}

// follow opens a stream of a session. The feed must be closed.
func (s *subscriptions) follow(session, tenant string) *feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.find(session, tenant)
	of.streams++
	return &feed{all: s, session: session, of: of}
}

// List returns the resources, and a channel that is closed at the next change.
func (f *feed) List() ([]string, <-chan struct{}) {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	f.of.follows = true
	return f.of.uris, f.of.changed
}

// Confirm says that the server sends notifications about a resource.
func (f *feed) Confirm(uri string) {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	if !f.of.confirmed[uri] {
		f.of.confirmed[uri] = true
		f.of.notify()
	}
}

func (f *feed) close() {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	f.of.streams--
	f.of.used = time.Now()
	if f.of.streams == 0 {
		f.of.follows, f.of.confirmed = false, map[string]bool{}
	}
	if f.all.sessions[f.session] == f.of {
		f.all.dropEmpty(f.session, f.of)
	}
}
