package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
)

// listBudgets returns the budgets in force: those of the configuration, and those of the store whose ids the configuration
// does not define.
func listBudgets(cfg *config.Config, stored []store.BudgetRecord) []spending.Budget {
	var all []spending.Budget
	file := make(map[string]bool, len(cfg.Budgets))
	for i := range cfg.Budgets {
		file[cfg.Budgets[i].ID] = true
		if b := convertFileBudget(&cfg.Budgets[i]); cfg.Budgets[i].Enabled {
			all = append(all, b)
		}
	}
	for i := range stored {
		if r := &stored[i]; r.Enabled && !file[r.ID] {
			all = append(all, r.Budget)
		}
	}
	return all
}

func convertFileBudget(c *config.Budget) spending.Budget {
	zone, err := time.LoadLocation(c.TimeZone)
	if err != nil {
		zone = time.UTC // validated when the configuration was loaded
	}
	return spending.Budget{
		ID: c.ID, Name: c.Name, Tenant: c.TenantID, Key: c.APIKeyID, Model: c.Model, Period: spending.ParsePeriod(string(c.Period)), Zone: zone,
		Limit: max(int64(c.LimitUSD), -1), Tokens: c.LimitTokens, Soft: c.SoftLimitPct,
	}
}

// refreshMoney puts the prices and budgets of the database in force. It first seeds the counters of new budgets with
// what was already spent in the current period; the counters of the others continue. The caller holds g.mu.
func (g *gateway) refreshMoney(ctx context.Context) error {
	if g.rt == nil {
		return nil
	}
	return errors.Join(g.refreshPrices(ctx), g.refreshBudgets(ctx))
}

func (g *gateway) refreshPrices(ctx context.Context) error {
	stored, err := g.rec.DB.Prices().List(ctx)
	if err == nil {
		if p, ok := g.rt.Prices.(*Prices); ok {
			p.adopt(stored)
		}
	}
	return err
}

func (g *gateway) refreshBudgets(ctx context.Context) error {
	stored, err := g.rec.DB.Budgets().List(ctx)
	if err != nil {
		return err
	}
	list := listBudgets(g.cfg, stored)
	counted := map[string]bool{}
	now := time.Now()
	for _, b := range g.rt.Spending.List() {
		for _, l := range b.NewLimits(now).ListCounters() {
			counted[l.Key] = true
		}
	}
	var fresh []spending.Budget
	for _, b := range list {
		for _, l := range b.NewLimits(now).ListCounters() {
			if !counted[l.Key] {
				fresh = append(fresh, b)
				break
			}
		}
	}
	if len(fresh) > 0 {
		if err := g.rec.writer.Sync(ctx); err != nil { // include the most recent spending
			return err
		}
		if err := g.seedBudgets(ctx, fresh); err != nil {
			return err
		}
	}
	if len(list) > 0 || len(g.rt.Spending.List()) > 0 {
		g.rt.Spending.Set(list)
	}
	return nil
}

// seedBudgets initializes the counters of budgets from the records of the current periods, because counters in memory start at
// zero.
func (g *gateway) seedBudgets(ctx context.Context, list []spending.Budget) error {
	now := time.Now()
	for i := range list {
		b := &list[i]
		l := b.NewLimits(now)
		sum, err := meter.SumSpent(ctx, g.rec.DB, b, l.Start, l.End)
		if err != nil {
			return fmt.Errorf("budget %q: %w", b.ID, err)
		}
		for k, c := range l.ListCounters() {
			spent := sum.Input + sum.Output
			if k == 0 && b.Limit >= 0 {
				spent = sum.Cost()
			}
			if err := g.state.Seed(ctx, c.Key, spent, c.Ends); err != nil {
				return fmt.Errorf("budget %q: %w", b.ID, err)
			}
		}
	}
	return nil
}
