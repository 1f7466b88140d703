package node

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

var (
	_ policy.CallApprovals = (*approvals)(nil)
	_ tools.Spender        = (*approvals)(nil)
)

// approvalKinds are the kinds of consents on which rules rely.
var approvalKinds = []string{admin.ApprovalPolicy, admin.ApprovalToolCall}

// askTime limits asking for an approval of a call. The call is refused either way.
const askTime = 5 * time.Second

// buildConsent returns the key of a consent to one exact call.
func buildConsent(c *dsl.Call) consent {
	return consent{
		tenant: c.Tenant, lineage: c.Lineage, rule: c.Rule, model: tools.FormatName(c.Server, c.Tool), call: c.Revision + " " + c.Digest,
	}
}

// FindApprovedCall returns the id of the consent to a call, if one is in force.
func (a *approvals) FindApprovedCall(c *dsl.Call) (string, bool) {
	g, ok := (*a.given.Load())[buildConsent(c)]
	return g.id, ok && a.now().Before(g.end)
}

// RequestApproval requests approval of a call and returns the new request, or the pending request for the same call.
// Calls that are served do not reach it.
func (a *approvals) RequestApproval(ctx context.Context, c *dsl.Call) (id, page string, err error) {
	about := buildConsent(c)
	if a.page != nil {
		page = a.page()
	}
	if id, ok := a.calls.find(about, a.now()); ok {
		return id, page, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, err := admin.NewRequest(admin.ApprovalToolCall, c.Tenant, c.Rule, c.Lineage, map[string]any{
		"rule": c.Rule, "model": tools.FormatName(c.Server, c.Tool), "server": c.Server, "tool": c.Tool,
		"arguments_sha256": c.Digest, "policy_revision": c.Revision,
	})
	if err != nil {
		return "", "", err
	}
	r.ID, r.ExpiresAt = NewID(), a.now().Add(policyAskedFor)
	kept, err := a.db.Approvals().AddRequest(ctx, r)
	if err != nil {
		a.tel.Log.Warn().Err(err).Str("tenant", c.Tenant).Str("rule", c.Rule).Msg("an approval of a call of a tool could not be requested")
		return "", "", err
	}
	a.calls.add(about, kept.ID, a.now())
	return kept.ID, page, nil
}

// spentFor is how long the shared state remembers that a consent was used up: as long as one can be in force.
const spentFor = 31 * 24 * time.Hour

// ConsumeApproval uses up a consent to one call, on all gateways that share the database, and on all nodes that share
// the state: the databases of a fleet's nodes hold copies of consents.
func (a *approvals) ConsumeApproval(ctx context.Context, id, exchange string) error {
	if a.shared != nil {
		ok, err := a.shared.Take(ctx, []core.Limit{{Kind: core.Rate, Key: "approval:" + id, Cost: 1, Max: 1, Period: spentFor}})
		if err != nil {
			return err
		}
		if !ok {
			return tools.ErrSpent
		}
	}
	err := a.db.Approvals().Spend(ctx, id, "used by the exchange "+exchange)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	a.calls.removeMatching(func(asked string) bool { return asked == id })
	for { // it is used up here at once, and elsewhere with the next version
		old := a.given.Load()
		all := maps.Clone(*old)
		maps.DeleteFunc(all, func(_ consent, g activeConsent) bool { return g.id == id })
		if a.given.CompareAndSwap(old, &all) {
			break
		}
	}
	if err != nil {
		return tools.ErrSpent
	}
	return nil
}

// findApprovalPage returns the page of the console on which people decide about approvals, or "" if no console is served here.
func findApprovalPage(g *gateway) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	site := strings.TrimSuffix(cmp.Or(g.cfg.Console.URL, g.site), "/")
	if site == "" {
		return ""
	}
	return site + "/approvals"
}
