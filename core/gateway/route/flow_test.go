package route_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// gateway makes calls as the data plane does: a worked example of how the parts of the package fit together.
type gateway struct {
	router    *route.Router
	health    *route.Health
	latencies *route.Latencies
	tiers     *route.Tiers
	retry     route.RetrySettings
	caps      map[string]route.Capabilities
	script    map[string][]route.Result // what each provider answers, in order; then 200
	called    []string
}

func (g *gateway) call(target *core.TargetRef) route.Result {
	g.called = append(g.called, target.Provider)
	left := g.script[target.Provider]
	if len(left) == 0 {
		return route.Result{Status: 200}
	}
	g.script[target.Provider] = left[1:]
	return left[0]
}

func (g *gateway) serve(ctx context.Context, q route.Query, tier string, needs route.Needs) error {
	release, err := g.tiers.Acquire(ctx, route.FindTier(tier))
	if err != nil {
		return err
	}
	defer release()
	plan, known := g.router.PlanFor(nil, q)
	switch {
	case !known:
		return &core.Error{Kind: core.NotFound, Code: core.CodeModelNotFound}
	case len(plan) == 0:
		return route.NewNotInRegionError(q.Region)
	}
	plan, skipped := route.RemoveUnfit(plan, func(t *core.TargetRef) *core.Error { return needs.CheckCapabilities(t.Provider, g.caps[t.Provider]) })
	if len(plan) == 0 {
		return skipped[0].Reason
	}
	var last error
	tries := route.Tries{}
	for i := range plan {
		t := &plan[i]
		action := route.SameTarget
		for tries.Calls = 0; action == route.SameTarget; {
			permit, ok := g.health.Allow(route.Ask{Provider: t.Provider, Model: t.Model, Caller: "dev"})
			if !ok {
				if last == nil {
					_, left := g.health.ReadState(t.Provider, t.Model)
					last = route.NewAllOpenError(t.Provider, left)
				}
				break
			}
			tries.Calls++
			began := time.Now()
			r := g.call(t)
			permit.Report(r.Blame())
			if r.Status == 200 {
				g.latencies.Observe(t.Provider, t.Model, time.Since(began))
				return nil
			}
			last = &core.Error{Kind: core.BadGateway, Status: r.Status}
			var wait time.Duration
			wait, action = g.retry.ChooseNext(tries, r)
			tries.Waited += wait
		}
		if action == route.GiveUp {
			break
		}
	}
	return last
}

func open(t *testing.T) *gateway {
	t.Helper()
	r, err := route.New([]route.Route{
		{Pattern: "m", Targets: []route.Target{{Provider: "a"}, {Provider: "b"}}},
		{Pattern: "eu", Targets: []route.Target{{Provider: "a", Region: "eu"}}},
	}, map[string][]string{"a": nil, "b": nil})
	require.NoError(t, err)
	return &gateway{
		router: r, health: route.NewHealth(route.DefaultBreaker, nil), latencies: route.NewLatencies(route.DefaultLatency, nil),
		tiers: route.NewTiers(route.DefaultTiers), retry: route.DefaultRetry,
		caps:   map[string]route.Capabilities{"a": {}, "b": {ToolCalls: true}},
		script: map[string][]route.Result{},
	}
}

func TestHowTheCallsOfAnExchangeGo(t *testing.T) {
	for _, c := range []struct {
		name   string
		query  route.Query
		needs  route.Needs
		script []route.Result // of a
		called []string
		status int
	}{
		{"the first target serves", route.Query{Model: "m"}, route.Needs{}, nil, []string{"a"}, 0},
		{"a failed call is retried", route.Query{Model: "m"}, route.Needs{}, []route.Result{{Status: 503}}, []string{"a", "a"}, 0},
		{"then the next target is called", route.Query{Model: "m"}, route.Needs{}, []route.Result{{Status: 503}, {Status: 500}}, []string{"a", "a", "b"}, 0},
		{"a refusal of the request is the answer", route.Query{Model: "m"}, route.Needs{}, []route.Result{{Status: 400}}, []string{"a"}, 400},
		{"an unusable answer is requested again", route.Query{Model: "m"}, route.Needs{}, []route.Result{{Broken: true}}, []string{"a", "a"}, 0},
		{"after a timeout the next target is called", route.Query{Model: "m"}, route.Needs{}, []route.Result{{Timeout: true}}, []string{"a", "b"}, 0},
		{"a target that cannot call tools is skipped", route.Query{Model: "m"}, route.Needs{Tools: true}, nil, []string{"b"}, 0},
		{"no target can read images", route.Query{Model: "m"}, route.Needs{Images: true}, nil, nil, 400},
		{"no target in the region", route.Query{Model: "eu", Region: "us"}, route.Needs{}, nil, nil, 404},
		{"no such model", route.Query{Model: "x"}, route.Needs{}, nil, nil, 404},
		{"the end of the plan", route.Query{Model: "eu"}, route.Needs{}, []route.Result{{Status: 503}, {Status: 529}}, []string{"a", "a"}, 529},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := open(t)
			g.script["a"] = c.script
			err := g.serve(t.Context(), c.query, "standard", c.needs)
			assert.Equal(t, c.called, g.called)
			if c.status == 0 {
				require.NoError(t, err)
				assert.Len(t, g.latencies.Records(), 1)
			} else {
				assert.Equal(t, c.status, core.ConvertError(err).HTTPStatus())
			}
			assert.Zero(t, g.tiers.Stats().Current)
		})
	}
}

func TestAProviderThatFailsIsLeftAloneByLaterCalls(t *testing.T) {
	g := open(t)
	down := route.Result{Unsent: true}
	g.script["a"] = []route.Result{down, down, down, down, down, down, down}
	for range 5 {
		require.NoError(t, g.serve(t.Context(), route.Query{Model: "m"}, "", route.Needs{}))
	}
	assert.Equal(t, []string{"a", "a", "b", "a", "a", "b", "a", "b", "b", "b"}, g.called)
	e := core.ConvertError(g.serve(t.Context(), route.Query{Model: "eu"}, "", route.Needs{}))
	assert.Equal(t, 503, e.HTTPStatus())
	assert.Equal(t, 5*time.Second, e.RetryAfter)
}
