package budget

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/stages/internal/settingstest"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// block is a stage's part of a configuration.
type block = settingstest.YAML

// runOnEach runs a test with every kind of state.
func runOnEach(t *testing.T, test func(t *testing.T, s core.State)) {
	t.Run("memory", func(t *testing.T) { test(t, state.NewMemory(state.Options{})) })
	t.Run("redis", func(t *testing.T) { test(t, redis(t, statetest.StartRedis(t))) })
}

func redis(t testing.TB, srv *statetest.Server) core.State {
	t.Helper()
	r, err := state.OpenRedis(context.Background(), srv.URL, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close(context.Background()) }) // the server may be down by then, which does not concern the test
	return r
}

// Prices of the test's targets, in units of 1e-10 USD.
const (
	inPrice  = 1_500 // 0.15 USD for a million tokens
	outPrice = 6_000
)

type prices struct{}

func (prices) FindPerToken(provider, _ string) (input, output int64, ok bool) {
	switch provider {
	case "cheap":
		return inPrice, outPrice, true
	case "dear":
		return 10 * inPrice, 10 * outPrice, true
	case "free":
		return 0, 0, true
	}
	return 0, 0, false
}

// FindPrice returns what FindPerToken returns, per million.
func (p prices) FindPrice(provider, model string) *price.Price {
	in, out, ok := p.FindPerToken(provider, model)
	if !ok {
		return nil
	}
	return &price.Price{Input: 1e6 * in, Output: 1e6 * out, Cached: -1, Written: -1, Reasoning: -1}
}

// spendingOf returns budgets that are in force.
func spendingOf(list ...spending.Budget) *spending.Budgets {
	s := new(spending.Budgets)
	s.Set(list)
	return s
}

func (prices) FindContextWindow(provider, _ string) int64 {
	if provider == "cheap" {
		return 200
	}
	return 0
}

// bench passes exchanges through a chain of this stage only.
type bench struct {
	t        testing.TB
	chain    *chain.Chain
	state    core.State
	budgets  []spending.Budget
	spending *spending.Budgets
	now      time.Time
	mu       sync.Mutex
	notices  []spending.Notice
}

// usd returns a budget of money for all.
func usd(limit int64) spending.Budget {
	return spending.Budget{ID: "all", Name: "all", Period: spending.Monthly, Limit: limit, Tokens: -1}
}

func newBench(t testing.TB, s core.State, config string, budgets ...spending.Budget) *bench {
	t.Helper()
	b := &bench{t: t, state: s, budgets: budgets, spending: spendingOf(budgets...), now: time.Now()}
	st, err := New(block(config), Deps{
		State: s, Prices: prices{}, Windows: prices{}, Routes: cheapFirst{}, Spending: b.spending, DefaultCap: 100,
		Now: func() time.Time { return b.now },
		Notify: func(_ context.Context, n spending.Notice) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.notices = append(b.notices, n)
		},
	})
	require.NoError(t, err)
	b.chain, err = chain.New([]chain.Link{{Name: Name, Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}}, nil)
	require.NoError(t, err)
	return b
}

// who is the sender of a request and its model.
type who struct{ tenant, key, model string }

var alice = who{"acme", "alice", "gpt-a"}

// passRequest returns an exchange whose request passed.
func (b *bench) passRequest(w who, more string) *core.Exchange {
	b.t.Helper()
	x := &core.Exchange{Principal: &core.Principal{Tenant: w.tenant, KeyID: w.key + "-id", KeyName: w.key}}
	x.Request.Raw = []byte(`{"model":"` + w.model + `"` + more + `,"messages":[{"role":"user","content":"hello"}]}`)
	require.Nil(b.t, openai.Chat{}.Scan(x))
	x.Dialect = openai.ChatName
	require.Equal(b.t, core.Pass, b.chain.RunRequest(context.Background(), x).Action)
	return x
}

// target checks one target.
func (b *bench) target(x *core.Exchange, provider string) chain.Decision {
	x.Target = core.TargetRef{Provider: provider, Model: x.Model(), Wire: x.Dialect}
	return b.chain.RunTarget(context.Background(), x)
}

// begin checks a call of the cheap target.
func (b *bench) begin(w who, more string) (*core.Exchange, chain.Decision) {
	b.t.Helper()
	x := b.passRequest(w, more)
	return x, b.target(x, "cheap")
}

// answer records that the target has answered.
func (b *bench) answer(x *core.Exchange, input, output int64) {
	x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Status: 200})
	in, out, ok := prices{}.FindPerToken(x.Target.Provider, x.Target.Model)
	x.Usage = x.Usage.Add(llm.Usage{Reported: true, Input: input, Output: output})
	x.Cost, x.Priced = x.Cost+in*input+out*output, ok
}

func (b *bench) end(x *core.Exchange) { b.chain.Finish(context.Background(), x) }

// refuse ends an exchange as the proxy does if no target is left.
func (b *bench) refuse(x *core.Exchange, d chain.Decision) {
	x.Outcome = core.Outcome{Kind: core.Blocked, By: d.Link, Status: d.Err.HTTPStatus(), Err: d.Err}
	b.end(x)
}

// readLeft returns what is left of the first budget.
func (b *bench) readLeft() []core.Limit {
	b.t.Helper()
	l := b.budgets[0].NewLimits(b.now).ListCounters()
	_, err := b.state.Take(context.Background(), l)
	require.NoError(b.t, err)
	return l
}
