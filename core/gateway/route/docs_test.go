package route_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// page is docs/routing.md.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/routing.md")
	require.NoError(t, err)
	return string(text)
}

func load(t *testing.T, text string) *config.Config {
	t.Helper()
	cfg, warnings, err := config.Load(config.Source{Default: []byte(text), Name: "docs/routing.md"})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	return cfg
}

// tiersOf converts the settings of the file to those of the package. The settings of breaker, retries and latency have
// the same form.
func tiersOf(p config.Priority) route.TierSettings {
	s := route.TierSettings{Max: p.MaxConcurrent, Wait: p.Wait}
	s.Threshold[route.Premium] = p.ThresholdPercent.Premium
	s.Threshold[route.Standard] = p.ThresholdPercent.Standard
	s.Threshold[route.Bulk] = p.ThresholdPercent.Bulk
	return s
}

type prices map[string]int64

func (p prices) FindCallPrice(provider, _ string) (int64, bool) { c, ok := p[provider]; return c, ok }

func TestTheExampleOfTheDocumentationLoadsAndDoesWhatItSays(t *testing.T) {
	_, example, ok := strings.Cut(page(t), "```yaml\n")
	require.True(t, ok)
	example, _, ok = strings.Cut(example, "```\n")
	require.True(t, ok)
	cfg := load(t, example)
	known := map[string][]string{}
	for name := range cfg.Providers {
		known[name] = nil
	}
	var routes []route.Route
	for _, r := range cfg.Routes {
		n := route.Route{
			Pattern: r.ModelPattern, Strategy: string(r.Strategy), Pinned: r.PinnedModelVersion,
			OtherRegions: r.OtherRegions, LatencySLA: time.Duration(r.LatencySLA) * time.Millisecond,
		}
		for _, x := range r.Providers {
			n.Targets = append(n.Targets, route.Target{Provider: x.Provider, Weight: x.Weight, ModelOverride: x.ModelOverride, Region: x.Region})
		}
		routes = append(routes, n)
	}
	router, err := route.New(routes, known)
	require.NoError(t, err)
	latencies := route.NewLatencies(route.LatencySettings(cfg.Routing.Latency), nil)
	first := func(model, region string) core.TargetRef {
		plan, ok := router.PlanFor(
			nil,
			route.Query{Model: model, Region: region, Latencies: latencies, Prices: prices{"openai": 2, "azure-openai": 1}},
		)
		require.True(t, ok)
		require.NotEmpty(t, plan)
		return plan[0]
	}
	assert.Equal(t, "openai", first("gpt-5", "").Provider)
	assert.Equal(t, core.TargetRef{Provider: "azure-openai", Model: "gpt-5", Region: "eu"}, first("gpt-5", cfg.Tenants[0].Region))

	latencies.Observe("openai", "gpt-5-mini", 200*time.Millisecond)
	latencies.Observe("azure-openai", "small", 300*time.Millisecond)
	assert.Equal(t, "small", first("fast", "").Model, "both are fast enough, and this one is cheaper")
	for range 10 {
		latencies.Observe("azure-openai", "small", 2*time.Second)
	}
	assert.Equal(t, "gpt-5-mini", first("fast", "").Model)

	tiers := route.NewTiers(tiersOf(cfg.Routing.Priority))
	stats := tiers.Stats()
	assert.Equal(t, 200, stats.Max)
	assert.Equal(t, map[string]int{"premium": 100, "standard": 80, "bulk": 50}, stats.Threshold)
	assert.Equal(t, 10, route.BreakerSettings(cfg.Routing.Breaker).Failures)
	assert.Equal(t, 3, route.RetrySettings(cfg.Routing.Retry).Attempts)
}

func TestTheDefaultsAreThoseOfTheConfiguration(t *testing.T) {
	r := load(t, "providers: {mock: {}}\n").Routing
	assert.Equal(t, route.DefaultBreaker, route.BreakerSettings(r.Breaker))
	assert.Equal(t, route.DefaultRetry, route.RetrySettings(r.Retry))
	assert.Equal(t, route.DefaultLatency, route.LatencySettings(r.Latency))
	assert.Equal(t, route.DefaultTiers, tiersOf(r.Priority))
}

// The schema is generated from the types, so its defaults are theirs.
func TestTheDocumentationNamesEverySettingWithItsDefault(t *testing.T) {
	text, err := os.ReadFile("../../../configs/gateway.schema.json")
	require.NoError(t, err)
	type node struct {
		Ref        string          `json:"$ref"`
		Default    json.RawMessage `json:"default"`
		Properties map[string]node `json:"properties"`
	}
	var schema struct {
		Defs map[string]node `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	want := map[string]string{}
	var walk func(prefix string, n node)
	walk = func(prefix string, n node) {
		for name, p := range n.Properties {
			if p.Ref != "" {
				walk(prefix+name+".", schema.Defs[strings.TrimPrefix(p.Ref, "#/$defs/")])
				continue
			}
			want[prefix+name] = strings.Trim(string(p.Default), `"`)
		}
	}
	walk("", schema.Defs["Routing"])
	require.Greater(t, len(want), 15)
	got := map[string]string{}
	_, settings, _ := strings.Cut(page(t), "## Settings")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| `([^`]+)` ").FindAllStringSubmatch(settings, -1) {
		got[row[1]] = row[2]
	}
	assert.Equal(t, want, got)
}
