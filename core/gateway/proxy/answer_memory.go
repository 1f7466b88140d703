package proxy

import (
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

const (
	// smallAnswer is the size in bytes up to which an answer is not counted: nearly all are smaller, and pay nothing.
	smallAnswer = 256 << 10
	// answerStep is how many bytes an answer of unknown length reserves at once.
	answerStep = 1 << 20
)

// AnswerMemory counts the bytes of large answers that wait for their clients. All exchanges of the process share it. It
// is safe for concurrent use.
type AnswerMemory struct {
	mu      sync.Mutex
	use     AnswerMemoryUse
	tenants map[string]int64 // tenants that hold memory
}

// AnswerMemoryUse is how much memory large answers hold now, and how many answers were refused because of each limit.
type AnswerMemoryUse struct {
	Bytes                    int64
	PastProcess, PastTenants int64
}

// Use returns the present use.
func (m *AnswerMemory) Use() AnswerMemoryUse {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.use
}

// reserve takes n bytes for a tenant, unless a limit would be exceeded.
func (m *AnswerMemory) reserve(tenant string, n int64, most snapshot.AnswerLimits) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.tenants[tenant]
	switch {
	case most.Tenant > 0 && of+n > most.Tenant: // checked first: a tenant over its share does not mean that the process is short of memory
		m.use.PastTenants++
		return false
	case most.Process > 0 && m.use.Bytes+n > most.Process:
		m.use.PastProcess++
		return false
	}
	if m.tenants == nil {
		m.tenants = map[string]int64{}
	}
	m.use.Bytes += n
	m.tenants[tenant] = of + n
	return true
}

// release gives back what a tenant has reserved.
func (m *AnswerMemory) release(tenant string, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.use.Bytes -= n
	if m.tenants[tenant] -= n; m.tenants[tenant] <= 0 {
		delete(m.tenants, tenant)
	}
}

// reserveMemory ensures that the exchange may hold n bytes of answers, including those to earlier prompts. If it may
// not, the call is not retried: it was already charged, and the missing memory is the gateway's.
func (a *answer) reserveMemory(n int64) *core.Error {
	n += a.earlier
	if n <= max(smallAnswer, a.reserved) {
		return nil
	}
	c := a.call
	more := (n - a.reserved + answerStep - 1) / answerStep * answerStep
	if !c.proxy.Answers.reserve(c.x.Principal.Tenant, more, c.snap.Answers) {
		c.bill.addDropped() // the provider has charged for it
		c.x.Outcome.Kind, c.attempts.result = core.Refused, route.Result{Ours: true}
		return &core.Error{
			Kind: core.Unavailable, Code: core.CodeOverloaded, RetryAfter: time.Second,
			Public: "too many large answers wait for their clients to take them; try again, or ask for less at once",
		}
	}
	a.reserved += more
	return nil
}

// releaseMemory gives back what the exchange has reserved.
func (a *answer) releaseMemory() {
	if a.reserved > 0 {
		a.call.proxy.Answers.release(a.call.x.Principal.Tenant, a.reserved)
	}
	a.reserved, a.earlier = 0, 0
}
