// Package agents holds the agents that the data plane serves over the A2A protocol: how each is called, who may use it, and
// what a message costs. It makes no calls itself; an [Upstream] does, which package providers/a2a implements.
//
// An agent is named a2a/{agent} in policies, limits, budgets and records; see [Name]. Globs of models do not match such names.
package agents

import (
	"context"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Agent is one agent and the rules for its use. It is immutable while it serves.
// Its own type: a call reads it, with the means to reach the agent and nothing that is only shown.
type Agent struct {
	Name     string
	Upstream Upstream
	// Notifier delivers notifications about tasks to clients. If nil, the agent must not notify them.
	Notifier Notifier
	// Restores replaces placeholders with their values for the agent, if the caller may read them.
	Restores bool
	Access   []Access // who may use it; empty: everyone
	Price    int64    // of a message, in units of 1e-10 USD
	Version  int64    // of the record; 0: defined in the file
	// CreatedAt distinguishes the record from a later one of the same name, whose versions start at 1 again.
	CreatedAt time.Time

	marks   Marker
	pushes  Sealer
	history *history
}

// Access lets callers use an agent. An empty list matches everything.
type Access struct {
	Tenants, Keys []string // globs; keys are known by their ids
}

// Upstream calls one agent. Its methods may be called from many goroutines.
type Upstream interface {
	// Send sends a message and returns when the head of its answer has arrived. The caller must close the answer. The
	// error is a tools.StatusError, an error of package upstream, that of ctx, or says that the answer is invalid.
	Send(ctx context.Context, m *Message) (tools.Answer, error)
	// FetchCard returns the agent's card as it is published, or an error as Send does.
	FetchCard(ctx context.Context) ([]byte, error)
}

// Message is what is sent to an agent.
type Message struct {
	ID   []byte // as it is spelled in Body
	Body []byte
	// Header is added: the version, extensions and the trace.
	Header []upstream.Field
	// Reserve is called before the answer takes memory for n bytes in all. Its error ends the call. Optional.
	Reserve func(n int64) error
}

// prefix is the prefix of agents' names in records and rules.
const prefix = "a2a/"

// FormatName names an agent in policies, limits, prices and records.
func FormatName(agent string) string { return prefix + agent }

// Allows reports whether the caller may see and use the agent.
func (a *Agent) Allows(p *core.Principal) bool {
	for i := range a.Access {
		if who := &a.Access[i]; matches(who.Tenants, p.Tenant, "") && matches(who.Keys, p.KeyID, p.Lineage) {
			return true
		}
	}
	return len(a.Access) == 0
}

// matches reports whether a glob of the list matches the name, or the older name of the same key.
func matches(globs []string, name, older string) bool {
	for _, g := range globs {
		if match.MatchesGlob(g, name) || older != "" && match.MatchesGlob(g, older) {
			return true
		}
	}
	return len(globs) == 0
}

// Agents are the agents by name.
type Agents map[string]*Agent

// PriceCall returns the price of a message, in units of 1e-10 USD, by the names of provider and model in records. It is 0 for
// other requests than messages, and for an unknown agent.
func (a Agents) PriceCall(provider, model string) int64 {
	agent := a[strings.TrimPrefix(provider, prefix)]
	if agent == nil || model != provider {
		return 0
	}
	return agent.Price
}
