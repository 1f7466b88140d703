package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // budgets name time zones, and small images have none

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/audit"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/snapshot"
	"github.com/headgate-dev/headgate/core/store"
)

// windows are the context windows of the models of a runtime's providers. What was
// looked up is kept.
type windows struct {
	rt    *snapshot.Runtime
	mu    sync.RWMutex
	known map[modelRef]int64
}

// ContextWindow gives the size in tokens; 0: not known.
func (w *windows) ContextWindow(provider, model string) int64 {
	ref := modelRef{provider, model}
	w.mu.RLock()
	n, there := w.known[ref]
	w.mu.RUnlock()
	if there {
		return n
	}
	if p := w.rt.Providers[provider]; p != nil {
		n = int64(p.Capabilities(model).MaxContextTokens)
	}
	ref.provider, ref.model = strings.Clone(provider), strings.Clone(model) // which may be an exchange's own
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.known) >= mostPrices {
		clear(w.known)
	}
	w.known[ref] = n
	return n
}

// dependencies are what the stages of a configuration are given: what outlives it,
// and what it says itself.
func dependencies(cfg *config.Config, rt *snapshot.Runtime, given core.Deps) core.Deps {
	if given.Now == nil {
		given.Now = time.Now
	}
	rt.Prices = pricesOf(cfg)
	given.Prices, given.Windows = rt.Prices, &windows{rt: rt, known: map[modelRef]int64{}}
	given.DefaultCap = cfg.Guardrail.DefaultMaxResponseTokens
	given.Spending = budgets(cfg)
	rt.Spending = &core.Spending{List: given.Spending, Counters: given.State, Now: given.Now, Bare: rt.Router.Bare}
	given.Budgets = rt.Spending
	return given
}

var periods = map[config.Period]core.BudgetPeriod{config.Daily: core.Daily, config.Weekly: core.Weekly, config.Monthly: core.Monthly}

// budgets are those of the configuration that are in force.
func budgets(cfg *config.Config) []core.Budget {
	var all []core.Budget
	for i := range cfg.Budgets {
		c := &cfg.Budgets[i]
		if !c.Enabled {
			continue
		}
		zone, err := time.LoadLocation(c.TimeZone)
		if err != nil {
			zone = time.UTC // the configuration was checked when it was read
		}
		b := core.Budget{
			ID: c.ID, Name: c.Name, Tenant: c.TenantID, Key: c.APIKeyID, Model: c.Model, Period: periods[c.Period], Zone: zone,
			Limit: -1, Tokens: c.LimitTokens, Soft: c.SoftLimitPct,
		}
		if c.LimitUSD >= 0 {
			b.Limit = int64(math.Round(c.LimitUSD * core.UnitsPerUSD))
		}
		all = append(all, b)
	}
	return all
}

// seed tells the counters of budgets what the records say was spent in the running
// periods: counters in memory begin at nothing.
func (g *gateway) seed(ctx context.Context, list []core.Budget) error {
	now := time.Now()
	for i := range list {
		b := &list[i]
		l := b.Limits(now)
		keys, err := g.keyIDs(ctx, b)
		if err != nil {
			return err
		}
		var sum store.UsageTotals
		for _, key := range keys {
			t, err := g.rec.db.UsageTotals(ctx, store.UsageFilter{Tenant: b.Tenant, KeyID: key, Model: b.Model, From: l.Start, To: l.End})
			if err != nil {
				return fmt.Errorf("budget %q: %w", b.ID, err)
			}
			sum.Cost += t.Cost
			sum.Input += t.Input
			sum.Output += t.Output
		}
		for k, c := range l.All() {
			spent := sum.Input + sum.Output
			if k == 0 && b.Limit >= 0 {
				spent = sum.Cost
			}
			if err := g.state.Seed(ctx, c.Key, spent, c.Ends); err != nil {
				return fmt.Errorf("budget %q: %w", b.ID, err)
			}
		}
	}
	return nil
}

// keyIDs are the ids of the keys that a budget means by an id or a name; one empty
// id for a budget of all keys.
func (g *gateway) keyIDs(ctx context.Context, b *core.Budget) ([]string, error) {
	if b.Key == "" {
		return []string{""}, nil
	}
	list, err := g.rec.db.Keys(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, k := range list {
		if (b.Tenant == "" || k.TenantID == b.Tenant) && (k.ID == b.Key || k.Name == b.Key || k.Lineage == b.Key) {
			ids = append(ids, k.ID)
		}
	}
	return ids, nil
}

// chargeBatch finds what the requests of a batch that has ended have cost, and takes
// it from the budgets of whoever sent them. Nothing was held for it: a batch is not
// refused for want of money, but what comes after it is.
func (g *gateway) chargeBatch(ctx context.Context, r *store.UsageRecord) {
	s := g.snaps.Acquire()
	if s == nil {
		return
	}
	defer s.Release()
	var in, out int64
	if in, out, r.Priced = s.Prices.PerToken(r.Provider, r.Model); r.Priced {
		r.Cost = in*r.Input + out*r.Output
	}
	p := core.Principal{Tenant: r.Tenant, KeyID: r.KeyID, Lineage: r.KeyID}
	keys, err := g.rec.db.KeysByTenant(ctx, r.Tenant) // a budget may name the key, or the one that it took the place of
	if err != nil {
		g.tel.Lost("budget", r.ExchangeID, err)
	}
	for _, k := range keys {
		if k.ID == r.KeyID {
			p.KeyName, p.Lineage = k.Name, cmp.Or(k.Lineage, k.ID)
		}
	}
	x := core.Exchange{Principal: &p, Head: core.Head{Model: r.ModelRequested}, Target: core.TargetRef{Provider: r.Provider, Model: r.Model}}
	if err := s.Spending.Charge(ctx, &x, r.Cost, r.Input+r.Output); err != nil {
		g.tel.Lost("budget", r.ExchangeID, err)
	}
}

// notify writes a notice to the log, and into the audit log where it is an event of
// that.
func (g *gateway) notify(ctx context.Context, n core.Notice) {
	line := g.tel.Log.Warn()
	if n.Type == core.NoticeBudgetExceeded { // the exchange's own line tells it too
		line = g.tel.Log.Debug()
	}
	line.Str("notice", n.Type).Str("tenant_id", n.Tenant)
	var p audit.Payload
	p.Reset()
	for _, f := range n.Facts {
		line.Str(f.Name, f.Value)
		p.Str(f.Name, f.Value)
	}
	line.Msg("a stage gives notice")
	g.hooks.notice(n)
	if n.Type != core.NoticeBudgetExceeded {
		return
	}
	if err := g.rec.audit.Append(ctx, audit.Event{Tenant: n.Tenant, Type: n.Type, Payload: p.Bytes()}); err != nil {
		g.tel.Lost("audit", n.Type, err)
		return
	}
	g.tel.AuditRecord()
}
