package bridge

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

const (
	// waitFor is how long a call waits for a client's answer, besides the time limit of the server.
	waitFor = 10 * time.Minute
	// maxWaiting limits the waiting calls of a key, maxWaitingTenant those of a tenant, and maxWaitingAll those of all
	// tenants.
	maxWaiting       = 32
	maxWaitingTenant = 256
	maxWaitingAll    = 2048
)

// Memory holds the calls of a node in which a server has asked the client something.
type Memory struct {
	mu      sync.Mutex
	waiting map[string]*entry
	count   map[string]int // by owner
	tenants map[string]int // by tenant
}

// entry is one waiting call.
type entry struct {
	owner string
	call  any
	timer *time.Timer
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{waiting: map[string]*entry{}, count: map[string]int{}, tenants: map[string]int{}}
}

// formatOwner returns the owner of a principal's calls. A rotated key stays the same owner; each user of a key is another one.
func formatOwner(p *core.Principal) string {
	if p == nil {
		return ""
	}
	return p.Tenant + "\x00" + cmp.Or(p.Lineage, p.KeyID) + "\x00" + p.User
}

// cutTenant returns the tenant of an owner.
func cutTenant(owner string) string {
	tenant, _, _ := strings.Cut(owner, "\x00")
	return tenant
}

// put stores a call and returns its id. It reports false if too many calls wait. It calls expire if the call is not
// taken in time.
func (m *Memory) put(owner string, call any, expire func()) (id string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tenant := cutTenant(owner)
	if len(m.waiting) >= maxWaitingAll || m.tenants[tenant] >= maxWaitingTenant || m.count[owner] >= maxWaiting {
		return "", false
	}
	id = "headgate-" + rand.Text()
	e := &entry{owner: owner, call: call}
	m.waiting[id] = e
	m.count[owner]++
	m.tenants[tenant]++
	e.timer = time.AfterFunc(waitFor, func() {
		if m.pop(owner, id) != nil {
			expire()
		}
	})
	return id, true
}

// find returns a call of the owner without removing it, or nil.
func (m *Memory) find(owner, id string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.waiting[id]; e != nil && e.owner == owner {
		return e.call
	}
	return nil
}

// pop removes and returns a call of the owner, or returns nil.
func (m *Memory) pop(owner, id string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.waiting[id]
	if e == nil || e.owner != owner {
		return nil
	}
	delete(m.waiting, id)
	if m.count[owner]--; m.count[owner] == 0 {
		delete(m.count, owner)
	}
	tenant := cutTenant(owner)
	if m.tenants[tenant]--; m.tenants[tenant] == 0 {
		delete(m.tenants, tenant)
	}
	e.timer.Stop()
	return e.call
}

// newTooManyWaitingError returns the error of a call that cannot wait.
func newTooManyWaitingError() *core.Error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, RetryAfter: time.Second,
		Public: "too many calls wait for answers to questions of servers; answer those first",
	}
}

// detachContext returns a context that ends with ctx until keep is called, and with end.
func detachContext(ctx context.Context) (call context.Context, keep func() bool, end func()) {
	call, end = context.WithCancel(context.WithoutCancel(ctx))
	keep = context.AfterFunc(ctx, end)
	return call, keep, end
}
