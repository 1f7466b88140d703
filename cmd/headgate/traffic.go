package main

import (
	"math"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/route"
	"github.com/headgate-dev/headgate/core/snapshot"
	"github.com/headgate-dev/headgate/providers"
)

// traffic is what the gateway has learnt of its providers, and who is running. It
// outlives the configurations: a reload forgets nothing, unless the settings that
// it was learnt by have changed.
type traffic struct {
	breaker   route.BreakerSettings
	health    *route.Health
	latency   route.LatencySettings
	latencies *route.Latencies
	tiers     *route.Tiers
}

// attach gives the runtime its part in it.
func (t *traffic) attach(rt *snapshot.Runtime, cfg *config.Config) {
	r := &cfg.Routing
	if b := route.BreakerSettings(r.Breaker); t.health == nil || t.breaker != b {
		t.breaker, t.health = b, route.NewHealth(b, nil)
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
	p := pricesOf(cfg)
	rt.Prices, rt.Tiers = p, t.tiers
	rt.Traffic = route.Traffic{Health: t.health, Latencies: t.latencies, Retry: route.RetrySettings(r.Retry), Prices: p}
}

// condition is a provider's health, for the status document: it is not known
// before the provider was called.
func (t *traffic) condition(provider string) string {
	switch state, _ := t.health.State(provider); state {
	case route.Open:
		return "unhealthy"
	case route.HalfOpen:
		return "recovering"
	}
	if calls, failed, _ := t.health.Counts(provider); calls == failed {
		return "unknown"
	}
	return "healthy"
}

// prices are those of the configuration, and else those of the data file by the type
// of each provider.
type prices struct {
	types map[string]string
	own   []config.Price
}

func pricesOf(cfg *config.Config) prices {
	p := prices{types: make(map[string]string, len(cfg.Providers)), own: cfg.Pricing}
	for name, c := range cfg.Providers {
		p.types[name] = c.Type
	}
	return p
}

var (
	_ core.Prices  = prices{}
	_ route.Prices = prices{}
)

// PerToken gives the price of a token in units of 1e-10 USD. The mock costs nothing.
func (p prices) PerToken(provider, model string) (input, output int64, ok bool) {
	for i := range p.own {
		if o := &p.own[i]; o.Provider == provider && core.Glob(o.Model, model) {
			return int64(math.Round(o.InputPricePerMillion * 1e4)), int64(math.Round(o.OutputPricePerMillion * 1e4)), true
		}
	}
	typ := p.types[provider]
	if typ == "" {
		typ = provider
	}
	if typ == "mock" {
		return 0, 0, true
	}
	f, err := providers.Known(typ, model)
	if err != nil || f.Price.Input == "" {
		return 0, 0, false
	}
	if f.Price.Output == "" { // of a model that writes nothing
		return units(f.Price.Input), 0, true
	}
	return units(f.Price.Input), units(f.Price.Output), true
}

// Cost is that of one token read and one written.
func (p prices) Cost(provider, model string) (int64, bool) {
	in, out, ok := p.PerToken(provider, model)
	return in + out, ok
}

// units turns USD for a million tokens into 1e-10 USD for one.
func units(perMillion string) int64 {
	usd, err := strconv.ParseFloat(perMillion, 64)
	if err != nil {
		return 0 // the data file was checked when it was read
	}
	return int64(usd*1e4 + 0.5)
}
