// Package stages lists the compiled-in stages. Each has its own folder.
package stages

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/shadow"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/stages/budget"
	"github.com/headgate-dev/headgate/stages/cache"
	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/pii"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/ratelimit"
	"github.com/headgate-dev/headgate/stages/schema"
)

// FindPhases returns the default phases of a compiled-in stage.
func FindPhases(name string) core.Phases { return builtin[name].phases }

// Redacts reports whether a compiled-in stage redacts text, so that it always checks the lines of batch files.
func Redacts(name string) bool { return redacts[name] }

var redacts = map[string]bool{pii.Name: true}

// Guards reports whether a compiled-in stage judges content, so that it checks the lines of batch files under
// `batch.guards: enforce`. Limits on rates and money, the cache and output schemas are for live calls.
func Guards(name string) bool { return guards[name] }

var guards = map[string]bool{pii.Name: true, policy.Name: true, guardrail.Name: true}

// Host is what the gateway offers to the stages of one chain. Each stage declares in its package what it needs, and
// builtin passes only that.
type Host struct {
	Name   string // of the link
	Tokens core.Tokens
	State  core.State
	Now    func() time.Time

	// Chain, Links and Place are the position of the link; see policy.Deps.
	Chain []string
	Links []string
	Place int

	// Each of these is optional.
	Policies  policy.Source
	Approvals policy.Approvals
	Tools     policy.ToolDefinitions
	Offered   policy.ToolOffers
	Routes    policy.Routes
	Prices    price.Lookup
	Windows   policy.Windows
	Calls     budget.Calls
	Budgets   policy.Budgets
	Spending  *spending.Budgets
	Schemas   schema.Source
	Guards    core.Stage    // calls the guardrail plugins that are records
	Memory    recall.Memory // of what stages found in texts
	Shadow    *shadow.Log   // keeps what links in shadow mode would have done
	// Chat asks a model of the gateway on behalf of a link, without guards and within the budgets of the caller.
	Chat func(ctx context.Context, by *core.Principal, link string, body []byte) (status int, reply []byte, err error)
	// Ask asks a model at a path of the client API, in the same way.
	Ask func(ctx context.Context, by *core.Principal, link, path string, body []byte) (status int, reply []byte, err error)
	// Called records that a plugin has called an upstream. The status is 0 if there was no answer.
	Called func(ctx context.Context, c *foreign.Call, status, bytes int)
	// Offers are what plugins may use besides the exchange.
	Offers foreign.Services
	// Book books a cost that an exchange of the caller has caused outside of the gateway.
	Book func(ctx context.Context, by *core.Principal, u *store.UsageRecord)
	// DefaultCap limits an answer, in tokens, if the client sets no limit; 0 for no limit.
	DefaultCap int64
	// Notify sends a notice. It must not block.
	Notify func(ctx context.Context, n spending.Notice)
}

var builtin = map[string]struct {
	make   func(s core.Settings, h *Host) (core.Stage, error)
	phases core.Phases
}{
	budget.Name: {func(s core.Settings, h *Host) (core.Stage, error) {
		return budget.New(s, budget.Deps{
			State: h.State, Now: h.Now, Spending: h.Spending, Prices: h.Prices, Windows: h.Windows, Calls: h.Calls, Routes: h.Routes,
			DefaultCap: h.DefaultCap, Notify: h.Notify,
		})
	}, budget.Phases},
	cache.Name: {func(s core.Settings, h *Host) (core.Stage, error) {
		d := cache.Deps{State: h.State, Now: h.Now}
		if h.Memory != nil {
			d.Memory = h.Memory
		}
		return cache.New(s, d)
	}, cache.Phases},
	guardrail.Name: {func(s core.Settings, _ *Host) (core.Stage, error) { return guardrail.New(s) }, guardrail.Phases},
	pii.Name:       {func(s core.Settings, h *Host) (core.Stage, error) { return pii.New(s, h.Tokens) }, pii.Phases},
	policy.Name: {func(s core.Settings, h *Host) (core.Stage, error) {
		return policy.New(s, policy.Deps{
			Now: h.Now, Policies: h.Policies, Routes: h.Routes, Prices: h.Prices, Windows: h.Windows, Budgets: h.Budgets, Approvals: h.Approvals,
			Tools: h.Tools, Offers: h.Offered,
			Chain: h.Chain, Links: h.Links, Place: h.Place,
		})
	}, policy.Phases},
	ratelimit.Name: {func(s core.Settings, h *Host) (core.Stage, error) {
		return ratelimit.New(s, ratelimit.Deps{Name: h.Name, State: h.State, Routes: h.Routes, DefaultCap: h.DefaultCap})
	}, ratelimit.Phases},
	schema.Name: {func(s core.Settings, h *Host) (core.Stage, error) { return schema.New(s, h.Schemas) }, schema.Phases},
}

// New returns the stage with a name for its link's block of the configuration.
func New(name string, s core.Settings, h Host) (core.Stage, error) {
	b, ok := builtin[name]
	if !ok {
		return nil, fmt.Errorf("unknown stage %q; known are %q", name, ListNames())
	}
	st, err := b.make(s, &h)
	if r, ok := st.(recall.Stage); ok && err == nil && h.Memory != nil {
		r.SetMemory(h.Memory)
	}
	return st, err
}

// ListNames lists the stages, sorted.
func ListNames() []string { return slices.Sorted(maps.Keys(builtin)) }
