package proxy

import (
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Limits of streams without end.
const (
	maxListenersOfKey    = 16
	maxListenersOfTenant = 128
	maxListeners         = 1024
)

// listeners are the open streams without end of servers of tools. The zero value is ready; it is safe for concurrent use.
type listeners struct {
	mu       sync.Mutex
	all      int
	keys     map[string]int
	tenants  map[string]int
	draining chan struct{} // closed at the shutdown; nil before the first stream
	ended    bool
}

// listener is one open stream.
type listener struct {
	of          *listeners
	key, tenant string
	drains      <-chan struct{} // closed when the stream must end
}

// open counts a stream of a caller. The stream must be closed.
func (l *listeners) open(p *core.Principal) (*listener, *core.Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys == nil {
		l.keys, l.tenants, l.draining = map[string]int{}, map[string]int{}, make(chan struct{})
	}
	switch {
	case l.ended:
		return nil, &core.Error{
			Kind: core.Unavailable, Code: core.CodeOverloaded, RetryAfter: time.Second, Public: "the gateway is shutting down; listen again",
		}
	case l.keys[p.KeyID] >= maxListenersOfKey, l.tenants[p.Tenant] >= maxListenersOfTenant, l.all >= maxListeners:
		return nil, &core.Error{
			Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: time.Second,
			Public: "too many streams of notifications are open; close some, or name several resources in one subscription",
		}
	}
	l.all++
	l.keys[p.KeyID]++
	l.tenants[p.Tenant]++
	return &listener{of: l, key: p.KeyID, tenant: p.Tenant, drains: l.draining}, nil
}

// close stops counting the stream.
func (s *listener) close() {
	l := s.of
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	dropCount(l.keys, s.key)
	dropCount(l.tenants, s.tenant)
}

func dropCount(counts map[string]int, name string) {
	if counts[name]--; counts[name] <= 0 {
		delete(counts, name)
	}
}

// drain ends all streams, and refuses others.
func (l *listeners) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended && l.draining != nil {
		close(l.draining)
	}
	l.ended = true
}
