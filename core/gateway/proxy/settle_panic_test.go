package proxy_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/price"
)

// finisher is a stage that is notified of the end of an exchange.
type finisher func()

func (finisher) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}

func (f finisher) Finish(context.Context, *core.Exchange, any) { f() }

type brokenPrices struct{ price.Lookup }

func (brokenPrices) FindPrice(string, string) *price.Price { panic("canary") }

func (g *gate) metrics() string {
	w := httptest.NewRecorder()
	g.tel.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func TestAPanicWhileSettlingIsCountedAndKeepsNothing(t *testing.T) {
	var settled int
	var r *snapshot.Runtime
	g := open(t, setup{
		links: []chain.Link{
			{Name: "broken", Stage: finisher(func() { panic("canary") }), Phases: core.NewPhaseSet(core.Request)},
			{Name: "holds", Stage: finisher(func() { settled++ }), Phases: core.NewPhaseSet(core.Request)},
		},
		runtime: func(of *snapshot.Runtime) { r, of.Prices = of, brokenPrices{} },
	})
	g.proxy.Ended = func(*core.Exchange) { panic("canary") }
	a := g.post("dev", `{"model":"mock-echo","messages":[{"role":"user","content":"hello"}]}`)
	assert.Equal(t, 200, a.status, a.body)
	require.Eventually(t, func() bool { return len(g.records()) == 2 }, generous, 5*time.Millisecond)
	last := g.records()[1]
	assert.Equal(t, "served", last.payload["outcome"])
	assert.Equal(t, []any{map[string]any{"link": "broken", "phase": "response", "fault": "panic"}}, last.payload["faults"])
	assert.Equal(t, 1, settled, "the next Finisher was called despite the panic")
	assert.Contains(t, g.metrics(), "headgate_panics_total 3\n")
	assert.Contains(t, g.metrics(), `headgate_verdicts_total{action="undecided",fault="panic",link="broken"`)
	g.proxy.Snapshots.Swap(snapshot.New((&snapshot.Runtime{Chain: r.Chain}).Start(), nil, 2))
	r.Release() // as a reload does
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	defer cancel()
	assert.NoError(t, r.WaitUntilClosed(ctx), "the exchange has released its snapshot")
	g.end()
	assert.Contains(t, g.lines.String(), "the gateway panicked")
	assert.NotContains(t, g.lines.String(), "canary")
}
