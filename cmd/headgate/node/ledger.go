package node

import (
	"slices"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// ledger gives administrative operations on money access to the running gateway.
type ledger struct{ g *gateway }

var _ admin.Ledger = ledger{}

// FilePrices returns the prices of the configuration file.
func (l ledger) FilePrices() []admin.Price {
	l.g.mu.Lock()
	defer l.g.mu.Unlock()
	out := make([]admin.Price, len(l.g.cfg.Pricing))
	for i := range out {
		out[i] = viewFilePrice(&l.g.cfg.Pricing[i], l.findProvider(l.g.cfg.Pricing[i].Provider))
	}
	// Of two entries with the same id the first applies, and the second must not appear.
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(p admin.Price) bool {
		twice := seen[p.ID]
		seen[p.ID] = true
		return twice
	})
}

func viewFilePrice(c *config.Price, provider string) admin.Price {
	some := func(a money.Amount) *money.Amount {
		if a < 0 {
			return nil
		}
		return &a
	}
	v := admin.Price{
		ID: formatFilePriceID(c, provider), Model: c.Model, Provider: provider, Input: c.InputPricePerMillion, Output: c.OutputPricePerMillion,
		Cached: some(c.CachedInputPricePerMillion), CacheWrite: some(c.CacheWritePricePerMillion), Reasoning: some(c.ReasoningPricePerMillion),
		Effective: c.EffectiveDate.UTC(), Source: store.SourceFile,
	}
	if c.BatchPercent != 100 {
		v.Batch = c.BatchPercent
	}
	return v
}

// FileBudgets returns the budgets of the configuration file.
func (l ledger) FileBudgets() []store.BudgetRecord {
	l.g.mu.Lock()
	defer l.g.mu.Unlock()
	out := make([]store.BudgetRecord, len(l.g.cfg.Budgets))
	for i := range out {
		out[i] = store.BudgetRecord{Budget: convertFileBudget(&l.g.cfg.Budgets[i]), Enabled: l.g.cfg.Budgets[i].Enabled}
	}
	return out
}

// FindProviderName returns a provider's name in records.
func (l ledger) FindProviderName(name string) string {
	l.g.mu.Lock()
	defer l.g.mu.Unlock()
	return l.findProvider(name)
}

func (l ledger) findProvider(name string) string {
	if p, ok := l.g.rt.Prices.(*Prices); ok {
		return p.normalizeProvider(name)
	}
	return name
}

// AnomalyThreshold returns how far a rate may exceed its baseline, in per cent.
func (l ledger) AnomalyThreshold() int64 {
	l.g.mu.Lock()
	defer l.g.mu.Unlock()
	return l.g.cfg.Costs.AnomalyThresholdPct
}
