package node

import (
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

// traffic holds what the gateway has measured of its providers and the running exchanges. It outlives configurations: a
// reload discards only what was learnt under changed settings.
type traffic struct {
	breaker   route.BreakerSettings
	health    *route.Health
	latency   route.LatencySettings
	latencies *route.Latencies
	tiers     *route.Tiers
	// changed is called when a circuit changes.
	changed func(provider, model string, s route.State)
}

// attach connects the runtime to it.
func (t *traffic) attach(rt *snapshot.Runtime, cfg *config.Config, prices route.Prices) {
	r := &cfg.Routing
	if b := route.BreakerSettings(r.Breaker); t.health == nil || t.breaker != b {
		t.breaker, t.health = b, route.NewHealth(b, nil)
		t.health.Changed = t.changed
	}
	if l := route.LatencySettings(r.Latency); t.latencies == nil || t.latency != l {
		t.latency, t.latencies = l, route.NewLatencies(l, nil)
	}
	tiers := route.TierSettings{Max: r.Priority.MaxConcurrent, Wait: r.Priority.Wait}
	tiers.Threshold[route.Premium] = r.Priority.ThresholdPercent.Premium
	tiers.Threshold[route.Standard] = r.Priority.ThresholdPercent.Standard
	tiers.Threshold[route.Bulk] = r.Priority.ThresholdPercent.Bulk
	if t.tiers == nil {
		t.tiers = route.NewTiers(tiers)
	} else {
		t.tiers.Configure(tiers)
	}
	rt.Tiers = t.tiers
	rt.Traffic = route.Traffic{Health: t.health, Latencies: t.latencies, Retry: route.RetrySettings(r.Retry), Prices: prices}
}

// readCondition returns a provider's health for the status document.
func (t *traffic) readCondition(provider string) string {
	return string(t.health.ReadCondition(provider))
}
