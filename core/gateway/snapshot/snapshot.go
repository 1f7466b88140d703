// Package snapshot holds the immutable view that the data plane reads: keys, routes, providers and the chain, behind
// one atomic pointer. A change builds a new view and swaps it in; the old one is closed when the last exchange that
// uses it has ended.
package snapshot

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// Runtime is what a configuration builds. All snapshots of that configuration share it. It owns the resources that must be closed.
type Runtime struct {
	Chain       *chain.Chain
	Redacting   *chain.Chain // the links of Chain that always see the lines of batch files
	Guarding    *chain.Chain // the links of Chain that judge the lines of batch files too; optional
	Router      *route.Router
	Traffic     route.Traffic
	Tiers       *route.Tiers      // optional: without it, there is no limit
	Prices      price.Lookup      // optional: without it, prices are unknown
	Spending    *spending.Budgets // optional: without it, there is no budget
	Providers   map[string]route.Provider
	Servers     *tools.Set                 // of agents' tools
	Questions   *bridge.Memory             // that those servers have asked clients
	Agents      *agents.Set                // that other agents can reach
	PublicURL   string                     // where clients reach the gateway; by default the address in their request
	PeerClient  upstream.Client            // calls stored agents and servers of tools; nil if none are stored. It is one of Clients
	Batches     map[string]backend.Backend // the providers' batch services, by name
	Clients     []upstream.Client          // closed with the runtime
	Processes   []io.Closer                // servers of tools that are processes, and what plugins call; closed with the runtime
	MaxBody     int64                      // bytes of a request
	Answers     AnswerLimits
	DefaultCap  int64 // limit of an answer in tokens if the client sets none; 0: none
	Unrecorded  bool  // exchanges leave no audit events and no usage
	JudgedFiles bool  // files that no link can judge are refused
	// HostedTools is the rule for tools that run at the provider, unless the route or the tenant has a rule.
	HostedTools hosted.Rule
	AuditSync   bool // a record is durable before the exchange continues
	// Memory remembers what scans of requests have found. Optional.
	Memory recall.Memory

	refs atomic.Int64
	once sync.Once
	done chan struct{}
	err  error
}

// AnswerLimits limit the bytes of large answers that wait in memory for their clients, for the process and for each
// tenant; 0: no limit.
type AnswerLimits struct{ Process, Tenant int64 }

// Start adds the runtime's first owner. Call it once, before use.
func (r *Runtime) Start() *Runtime {
	r.refs.Store(1)
	r.done = make(chan struct{})
	return r
}

// Release drops one ownership. The last one closes the chain and the clients.
func (r *Runtime) Release() {
	if r.refs.Add(-1) > 0 {
		return
	}
	r.once.Do(func() {
		go func() {
			defer close(r.done)
			ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
			defer cancel()
			errs := []error{r.Chain.Close(ctx)}
			for _, c := range r.Clients {
				errs = append(errs, c.Close())
			}
			for _, p := range r.Processes {
				errs = append(errs, p.Close())
			}
			r.err = errors.Join(errs...)
		}()
	})
}

// drainTimeout limits the closing of unused stages.
const drainTimeout = 30 * time.Second

// WaitUntilClosed waits until the runtime is closed.
func (r *Runtime) WaitUntilClosed(ctx context.Context) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Snapshot is one view. It is immutable.
type Snapshot struct {
	*Runtime
	Keys    *auth.Keys
	Version int64 // of the configuration

	refs atomic.Int64
	once sync.Once
}

// New returns a snapshot that owns a share of the runtime.
func New(r *Runtime, keys *auth.Keys, version int64) *Snapshot {
	r.refs.Add(1)
	s := &Snapshot{Runtime: r, Keys: keys, Version: version}
	s.refs.Store(1)
	return s
}

// Release releases the snapshot. Call it once per Acquire.
func (s *Snapshot) Release() {
	if s.refs.Add(-1) == 0 {
		s.once.Do(s.Runtime.Release)
	}
}

// Holder holds the current snapshot.
type Holder struct{ current atomic.Pointer[Snapshot] }

// Acquire returns the current snapshot, which the caller must release, or nil before the first Swap.
func (h *Holder) Acquire() *Snapshot {
	for {
		s := h.current.Load()
		if s == nil {
			return nil
		}
		s.refs.Add(1)
		if h.current.Load() == s {
			return s
		}
		// It was replaced in the meantime and may be closed: drop the claim.
		s.Release()
	}
}

// Swap puts a snapshot into force and releases the previous one.
func (h *Holder) Swap(s *Snapshot) {
	if old := h.current.Swap(s); old != nil {
		old.Release()
	}
}
