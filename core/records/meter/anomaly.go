package meter

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// An anomaly compares the last day with the baseline before it. If a tenant began to use a model within that time, the
// baseline starts on the first day of use; a baseline shorter than minBaseline yields no anomaly.
const (
	baselineDays = 30
	minBaseline  = 7
)

// AnomalyThresholdPct is the default for how far a rate may exceed its baseline, in per cent.
const AnomalyThresholdPct = 50

// Anomaly is a rate of spending far above its baseline.
type Anomaly struct {
	Tenant       string       `json:"tenantId"`
	Model        string       `json:"model" example:"gpt-4o-mini"`
	Current      money.Amount `json:"currentDailyRate" doc:"USD in the last 24 hours." example:"42"`
	Baseline     money.Amount `json:"baselineDailyRate" doc:"USD for a day: the mean of the 30 days before." example:"12.5"`
	DeviationPct float64      `json:"deviationPct" doc:"How far the current rate is above the baseline, in per cent." example:"236"`
	ThresholdPct int64        `json:"thresholdPct" doc:"The threshold of an anomaly, in per cent." example:"50"`
	Detected     time.Time    `json:"detectedAt"`
}

// FindAnomalies returns each tenant's models whose cost in the last 24 hours exceeds the daily mean of the 30 days before
// by more than thresholdPct per cent. An empty tenant selects all tenants.
func (c *Costs) FindAnomalies(ctx context.Context, tenant string, thresholdPct int64) ([]Anomaly, error) {
	return c.findAnomalies(ctx, tenant, thresholdPct, c.Now())
}

func (c *Costs) findAnomalies(ctx context.Context, tenant string, thresholdPct int64, now time.Time) ([]Anomaly, error) {
	since := now.Add(-day)
	recent, err := c.DB.Usage().SumCosts(
		ctx,
		store.CostFilter{Tenant: tenant, From: since, To: now.Add(time.Microsecond)},
		store.ByTenant|store.ByModel,
	)
	if err != nil {
		return nil, err
	}
	before, err := c.DB.Usage().SumCosts(
		ctx,
		store.CostFilter{Tenant: tenant, From: since.Add(-baselineDays * day), To: since},
		store.ByTenant|store.ByModel|store.ByDay,
	)
	if err != nil {
		return nil, err
	}
	type usual struct{ cost, days int64 }
	baseline := map[[2]string]usual{}
	for i := range before { // rows are ordered by day, so a model's first row is its first use
		r := &before[i]
		k := [2]string{r.Tenant, r.Model}
		u, ok := baseline[k]
		if !ok {
			first := time.Unix(r.Day*int64(day/time.Second), 0)
			u.days = min(int64((since.Sub(first)+day-1)/day), baselineDays)
		}
		u.cost += r.Cost()
		baseline[k] = u
	}
	list := []Anomaly{}
	for i := range recent {
		r := &recent[i]
		u := baseline[[2]string{r.Tenant, r.Model}]
		rate := computeShare(u.cost, 1, u.days)
		if u.days < minBaseline || rate == 0 || r.Cost()-rate <= computeShare(rate, thresholdPct, 100) {
			continue
		}
		list = append(list, Anomaly{
			Tenant: r.Tenant, Model: r.Model, Current: money.Amount(r.Cost()), Baseline: money.Amount(rate),
			DeviationPct: float64(computeShare(r.Cost()-rate, 10_000, rate)) / 100, ThresholdPct: thresholdPct, Detected: now.UTC(),
		})
	}
	return list, nil
}
