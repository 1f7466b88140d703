package budget

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages/budget/budgettest"
)

func TestConcludingAllocatesNoMoreThanTheTextOfOneHeader(t *testing.T) {
	b := newBench(t, state.NewMemory(state.Options{}), "{}", usd(1<<50))
	x, d := b.begin(alice, "")
	require.Equal(t, core.Pass, d.Action)
	b.answer(x, 10, 5)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { b.chain.Conclude(x) }), 1.0)
	b.end(x)
}

// builtIn is the stage under the cases of budgets.
var builtIn = budgettest.Subject{
	Build: func(_ testing.TB, config string, d budgettest.Deps) (chain.Link, error) {
		deps := Deps{State: d.State, Spending: d.Spending, DefaultCap: d.DefaultCap, Now: d.Now, Notify: d.Notify, Prices: d.Prices}
		if d.Windows != nil {
			deps.Windows = d.Windows
		}
		if d.Routes != nil {
			deps.Routes = d.Routes
		}
		st, err := New(block(config), deps)
		return chain.Link{Name: Name, Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}, err
	},
	Counters: func(s core.State, b *spending.Budget, at time.Time) (core.Counters, []core.Limit) {
		return s, b.NewLimits(at).ListCounters()
	},
	Reason: func(d chain.Decision) string { return d.Err.Err.Error() },
	Soft:   spending.NoticeSoftLimit, Exceeded: spending.NoticeBudgetExceeded, Share: "utilization_pct",
}

func TestTheStagePassesTheCasesOfBudgets(t *testing.T) {
	for i := range budgettest.Cases {
		c := &budgettest.Cases[i]
		t.Run(c.Name, func(t *testing.T) { c.Run(t, &builtIn) })
	}
}

func TestPeriodsBeginAtMidnightOfTheirZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		return v
	}
	for name, c := range map[string]struct {
		period      spending.Period
		zone        *time.Location
		now         string
		start, ends string
	}{
		"a day":                       {spending.Daily, time.UTC, "2026-11-21T20:00:00Z", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"},
		"a day in Berlin":             {spending.Daily, berlin, "2026-11-21T23:30:00Z", "2026-11-21T23:00:00Z", "2026-11-22T23:00:00Z"},
		"the day with 25 hours":       {spending.Daily, berlin, "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		"the day with 23 hours":       {spending.Daily, berlin, "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		"a week on its Sunday":        {spending.Weekly, time.UTC, "2026-11-22T23:59:59Z", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"},
		"a week on its Monday":        {spending.Weekly, time.UTC, "2026-11-23T00:00:00Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"},
		"a week over the year's end":  {spending.Weekly, time.UTC, "2027-01-01T00:00:00Z", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z"},
		"a month":                     {spending.Monthly, time.UTC, "2026-12-31T23:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		"a month in Berlin in summer": {spending.Monthly, berlin, "2026-06-30T22:30:00Z", "2026-06-30T22:00:00Z", "2026-07-31T22:00:00Z"},
		"a month without a zone":      {spending.Monthly, nil, "2024-02-29T10:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
	} {
		b := spending.Budget{Period: c.period, Zone: c.zone}
		start, end := b.FindWindow(at(c.now))
		assert.True(t, start.Equal(at(c.start)), "%s begins %v", name, start)
		assert.True(t, end.Equal(at(c.ends)), "%s ends %v", name, end)
	}
}

// benchRoutes returns a prepared plan, as the gateway's routes do.
type benchRoutes struct{ cheapFirst }

var benchPlan = []core.TargetRef{{Provider: "cheap", Model: "gpt-a"}}

func (benchRoutes) Plan(string) []core.TargetRef { return benchPlan }

func BenchmarkBudgetInMemory(b *testing.B) {
	ctx := context.Background()
	tenant := usd(1 << 58)
	tenant.Tenant = "acme"
	st, err := New(nil, Deps{
		State:      state.NewMemory(state.Options{}),
		Prices:     prices{},
		Windows:    prices{},
		Routes:     benchRoutes{},
		DefaultCap: 100,
		Spending: spendingOf(
			tenant,
			spending.Budget{ID: "k", Name: "k", Tenant: "acme", Key: "alice", Period: spending.Daily, Limit: 1 << 58, Tokens: 1 << 50},
		),
	})
	require.NoError(b, err)
	x := (&bench{t: b, chain: emptyChain(b)}).passRequest(alice, "")
	x.Target = core.TargetRef{Provider: "cheap", Model: "gpt-a"}
	x.Priced = true
	b.ReportAllocs()
	for b.Loop() {
		v, err := st.Check(ctx, x, core.Request, nil)
		if err != nil {
			b.Fatal(err)
		}
		v, err = st.Check(ctx, x, core.Target, v.Keep)
		if err != nil || v.Action != core.Pass {
			b.Fatal(err, v.Action)
		}
		st.(core.Finisher).Finish(ctx, x, v.Keep)
	}
}

func emptyChain(t testing.TB) *chain.Chain {
	c, err := chain.New(nil, nil)
	require.NoError(t, err)
	return c
}

// cheapFirst plans the cheap target for every model.
type cheapFirst struct{}

func (cheapFirst) Plan(model string) []core.TargetRef {
	return []core.TargetRef{{Provider: "cheap", Model: model}}
}
func (cheapFirst) StripPrefix(model string) string { return model }
