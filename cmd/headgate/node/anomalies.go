package node

import (
	"context"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// anomaliesEvery is the interval between checks of spending rates. anomalyRest is how long a reported anomaly is not
// reported again.
const (
	anomaliesEvery = 15 * time.Minute
	anomalyRest    = 24 * time.Hour
)

// watchCosts gives notice of anomalous spending rates until ctx ends. A gateway of a fleet leaves that to its control
// plane, which knows all costs: the share of one gateway rises when another stops, and each would repeat the notice.
func (g *gateway) watchCosts(ctx context.Context) {
	g.mu.Lock()
	administers := g.cfg.Role.Administers() // fixed until a restart
	g.mu.Unlock()
	if !administers {
		return
	}
	told := map[[2]string]time.Time{}
	tick := time.NewTicker(anomaliesEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if err := g.reportAnomalies(ctx, now, told); err != nil && ctx.Err() == nil {
				g.tel.Log.Error().Err(err).Msg("costs could not be looked at for anomalies; they are looked at again")
			}
		}
	}
}

// reportAnomalies gives notice of anomalies that were not reported recently.
func (g *gateway) reportAnomalies(ctx context.Context, now time.Time, told map[[2]string]time.Time) error {
	costs := meter.Costs{DB: g.rec.DB, Now: func() time.Time { return now }}
	list, err := costs.FindAnomalies(ctx, "", ledger{g}.AnomalyThreshold())
	if err != nil {
		return err
	}
	for k, at := range told {
		if now.Sub(at) >= anomalyRest {
			delete(told, k)
		}
	}
	for i := range list {
		a := &list[i]
		k := [2]string{a.Tenant, a.Model}
		if _, ok := told[k]; ok {
			continue
		}
		told[k] = now
		g.notify(ctx, spending.Notice{Type: spending.NoticeCostAnomaly, Tenant: a.Tenant, Facts: []spending.Fact{
			{Name: "model", Value: a.Model},
			{Name: "current_daily_rate", Value: a.Current.String()},
			{Name: "baseline_daily_rate", Value: a.Baseline.String()},
			{Name: "deviation_pct", Value: strconv.FormatFloat(a.DeviationPct, 'f', -1, 64)},
			{Name: "threshold_pct", Value: strconv.FormatInt(a.ThresholdPct, 10)},
		}})
	}
	return nil
}
