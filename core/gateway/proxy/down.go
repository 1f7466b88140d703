package proxy

import (
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// Providers returns the names of the configured providers, sorted. A grant may treat one of them as down.
func (p *Proxy) Providers() []string {
	s := p.Snapshots.Acquire()
	defer s.Release()
	return slices.Sorted(maps.Keys(s.Providers))
}

// checkDown returns an error if the provider that the grant treats as down does not exist.
func (c *call) checkDown() *core.Error {
	if name := c.grant.Down; name != "" && c.snap.Providers[name] == nil {
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue,
			Public: "there is no provider of this name, so it cannot be treated as down",
		}
	}
	return nil
}

// skipDown skips a target whose provider the grant treats as down. The provider is not called and no circuit breaker hears of
// it, so that its health stays what real calls have made it.
func (a *attempts) skipDown(t *core.TargetRef) bool {
	g := a.call.grant
	if g == nil || g.Down == "" || g.Down != t.Provider {
		return false
	}
	a.call.x.Skipped = append(a.call.x.Skipped, core.Attempt{Target: *t, Began: a.call.readTime()})
	if a.skipped == nil {
		a.skipped = &core.Error{
			Kind: core.Unavailable, Code: core.CodeUpstream,
			Public: a.call.snap.Providers[t.Provider].Label() + " is treated as down for this request, and no other provider could serve it",
		}
	}
	return true
}
