package node

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"
	_ "time/tzdata"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/stages"
)

// budgets name time zones, and small images have none

type modelRef struct{ provider, model string }

// maxModels bounds the cache, because clients choose model names.
const maxModels = 4096

// windows caches the context windows of the models of a runtime's providers.
type windows struct {
	rt    *snapshot.Runtime
	mu    sync.RWMutex
	known map[modelRef]int64
}

// FindContextWindow returns the size in tokens, or 0 if it is unknown.
func (w *windows) FindContextWindow(provider, model string) int64 {
	ref := modelRef{provider, model}
	w.mu.RLock()
	n, there := w.known[ref]
	w.mu.RUnlock()
	if there {
		return n
	}
	if p := w.rt.Providers[provider]; p != nil {
		n = int64(p.FindCapabilities(model).MaxContextTokens)
	}
	ref.provider, ref.model = strings.Clone(provider), strings.Clone(model) // clone: the strings may alias the exchange's memory
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.known) >= maxModels {
		clear(w.known)
	}
	w.known[ref] = n
	return n
}

// buildHost returns what the stages of a configuration share, including what outlives it.
func buildHost(cfg *config.Config, rt *snapshot.Runtime, given stages.Host) stages.Host {
	if given.Now == nil {
		given.Now = time.Now
	}
	rt.Prices = newPrices(cfg, given.Now)
	given.Prices, given.Windows = rt.Prices, &windows{rt: rt, known: map[modelRef]int64{}}
	given.DefaultCap = cfg.Guardrail.DefaultMaxResponseTokens
	rt.Spending = &spending.Budgets{Counters: given.State, Now: given.Now, Bare: rt.Router.StripPrefix}
	rt.Spending.Set(listBudgets(cfg, nil))
	given.Spending, given.Budgets = rt.Spending, rt.Spending
	offers := &given.Offers // Calls are set already
	offers.Prices, offers.Windows, offers.Budgets, offers.Reply = rt.Prices, given.Windows, rt.Spending, dialect.ParseReply
	offers.Notify, offers.Tokens = given.Notify, given.Tokens
	offers.Bare, offers.DefaultCap, offers.PerCall = rt.Router.StripPrefix, given.DefaultCap, callPrices{rt}.PriceCall
	return given
}

// chargeBatch charges the requests of an ended batch to the budgets of its sender. Nothing was reserved for them: a
// batch is not refused for lack of budget, but later requests are.
func (g *gateway) chargeBatch(ctx context.Context, r *store.UsageRecord) {
	s := g.snaps.Acquire()
	if s == nil {
		return
	}
	defer s.Release()
	if price := s.Prices.FindPrice(r.Provider, r.Model); price != nil {
		cost := price.ComputeBatchCost(llm.Usage{Reported: true, Input: r.Input, Output: r.Output, Cached: r.Cached, Reasoning: r.Reasoning})
		r.Cost, r.InputCost, r.PriceID, r.Priced = cost.Total(), cost.Input, price.ID, true
	}
	p := core.Principal{Tenant: r.Tenant, KeyID: r.KeyID, Lineage: r.KeyID}
	keys, err := g.rec.DB.Keys().ListByTenant(ctx, r.Tenant) // a budget may name the key or one that it replaced
	if err != nil {
		g.tel.ReportLoss("budget", r.ExchangeID, err)
	}
	for _, k := range keys {
		if k.ID == r.KeyID {
			p.KeyName, p.Lineage = k.Name, cmp.Or(k.Lineage, k.ID)
		}
	}
	x := core.Exchange{Principal: &p, Head: core.Head{Model: r.ModelRequested}, Target: core.TargetRef{Provider: r.Provider, Model: r.Model}}
	if err := s.Spending.Charge(ctx, &x, r.Cost, r.Input+r.Output); err != nil {
		g.tel.ReportLoss("budget", r.ExchangeID, err)
	}
}

// notify writes a notice to the log, and to the audit log if it is an audit event.
func (g *gateway) notify(ctx context.Context, n spending.Notice) {
	line := g.tel.Log.Warn()
	if n.Type == spending.NoticeBudgetExceeded { // the exchange's log line already reports it
		line = g.tel.Log.Debug()
	}
	line.Str("notice", n.Type).Str("tenant_id", n.Tenant)
	var p audit.Payload
	p.Reset()
	for _, f := range n.Facts {
		line.Str(f.Name, f.Value)
		p.AddStr(f.Name, f.Value)
	}
	line.Msg("a stage gives notice")
	g.hooks.sendNotice(n)
	if n.Type != spending.NoticeBudgetExceeded {
		return
	}
	if err := g.rec.audit.AppendAdmitted(nil, nil, audit.Event{Tenant: n.Tenant, Type: n.Type, Payload: p.Bytes()}); err != nil {
		g.tel.ReportLoss("audit", n.Type, err)
		return
	}
	g.tel.RecordAudit(n.Type)
}
