// Package budgettest holds the cases that every budget stage passes: the compiled-in one, and plugins in its place.
package budgettest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

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

// Deps is what a gateway gives a budget stage.
type Deps struct {
	State      core.State
	Prices     price.Lookup
	Windows    Windows
	Routes     Planner
	Spending   *spending.Budgets
	DefaultCap int64
	Now        func() time.Time
	Notify     func(context.Context, spending.Notice)
}

// Windows knows the context windows of models, in tokens.
type Windows interface {
	FindContextWindow(provider, model string) int64
}

// Planner knows the targets of a model.
type Planner interface {
	Plan(model string) []core.TargetRef
}

// Subject is a budget stage under test.
type Subject struct {
	// Build returns its link with a block of settings in YAML. An error means that it refuses the settings; it says why.
	Build func(t testing.TB, config string, d Deps) (chain.Link, error)
	// Counters returns the counters of a budget in the period that contains a time, and the state that has them.
	Counters func(s core.State, b *spending.Budget, at time.Time) (core.Counters, []core.Limit)
	// Reason returns why the stage failed, for the log.
	Reason func(d chain.Decision) string
	// Soft and Exceeded are the types of its notices, and Share the fact with the share of a limit.
	Soft, Exceeded, Share string
}

// Case is one case.
type Case struct {
	Name string
	run  func(t *testing.T, on *Subject)
}

// Run runs the case.
func (c *Case) Run(t *testing.T, on *Subject) { c.run(t, on) }

// runEach runs a test with every kind of state.
func runEach(t *testing.T, test func(t *testing.T, s core.State)) {
	t.Run("memory", func(t *testing.T) { test(t, state.NewMemory(state.Options{})) })
	t.Run("redis", func(t *testing.T) { test(t, newRedis(t, statetest.StartRedis(t))) })
}

func newRedis(t testing.TB, srv *statetest.Server) core.State {
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

// newSpending returns budgets that are in force.
func newSpending(list ...spending.Budget) *spending.Budgets {
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
	on       *Subject
	chain    *chain.Chain
	state    core.State
	budgets  []spending.Budget
	spending *spending.Budgets
	now      time.Time
	mu       sync.Mutex
	notices  []spending.Notice
}

// newUSDBudget returns a budget of money for all.
func newUSDBudget(limit int64) spending.Budget {
	return spending.Budget{ID: "all", Name: "all", Period: spending.Monthly, Limit: limit, Tokens: -1}
}

func newBench(t testing.TB, on *Subject, s core.State, config string, budgets ...spending.Budget) *bench {
	t.Helper()
	b := &bench{t: t, on: on, state: s, budgets: budgets, spending: newSpending(budgets...), now: time.Now()}
	b.spending.Counters, b.spending.Now = s, func() time.Time { return b.now }
	b.addLink(config, Deps{
		State: s, Prices: prices{}, Windows: prices{}, Routes: cheapFirst{}, Spending: b.spending, DefaultCap: 100, Now: b.spending.Now,
		Notify: func(_ context.Context, n spending.Notice) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.notices = append(b.notices, n)
		},
	})
	return b
}

// addLink makes the chain.
func (b *bench) addLink(config string, d Deps) {
	b.t.Helper()
	l, err := b.on.Build(b.t, config, d)
	require.NoError(b.t, err)
	b.chain, err = chain.New([]chain.Link{l}, nil)
	require.NoError(b.t, err)
	c := b.chain
	b.t.Cleanup(func() { require.NoError(b.t, c.Close(context.Background())) })
}

// requestOrigin is the sender of a request and its model.
type requestOrigin struct{ tenant, key, model string }

var (
	alice = requestOrigin{"acme", "alice", "gpt-a"}
	bob   = requestOrigin{"acme", "bob", "gpt-b"}
	carol = requestOrigin{"other", "carol", "gpt-a"}
)

// sendRequest returns an exchange whose request passed.
func (b *bench) sendRequest(w requestOrigin, more string) *core.Exchange {
	b.t.Helper()
	x := &core.Exchange{Principal: &core.Principal{Tenant: w.tenant, KeyID: w.key + "-id", KeyName: w.key}}
	x.Request.Raw = []byte(`{"model":"` + w.model + `"` + more + `,"messages":[{"role":"user","content":"hello"}]}`)
	require.Nil(b.t, openai.Chat{}.Scan(x))
	x.Dialect = openai.ChatName
	require.Equal(b.t, core.Pass, b.chain.RunRequest(context.Background(), x).Action)
	return x
}

// runTarget checks one target.
func (b *bench) runTarget(x *core.Exchange, provider string) chain.Decision {
	x.Target = core.TargetRef{Provider: provider, Model: x.Model(), Wire: x.Dialect}
	return b.chain.RunTarget(context.Background(), x)
}

// startCall checks a call of the cheap target.
func (b *bench) startCall(w requestOrigin, more string) (*core.Exchange, chain.Decision) {
	b.t.Helper()
	x := b.sendRequest(w, more)
	return x, b.runTarget(x, "cheap")
}

// recordAnswer records that the target has answered.
func (b *bench) recordAnswer(x *core.Exchange, input, output int64) {
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
	return b.readLeftAt(b.now)
}

// readLeftAt returns what is left of the first budget in the period that contains a time.
func (b *bench) readLeftAt(at time.Time) []core.Limit {
	b.t.Helper()
	counters, l := b.on.Counters(b.state, &b.budgets[0], at)
	_, err := counters.Take(context.Background(), l)
	require.NoError(b.t, err)
	return l
}

func findHeader(x *core.Exchange, name string) (value string) {
	for _, f := range x.Header {
		if strings.EqualFold(f.Name, name) {
			value = f.Value
		}
	}
	return value
}

// cheapFirst plans the cheap target for every model.
type cheapFirst struct{}

func (cheapFirst) Plan(model string) []core.TargetRef {
	return []core.TargetRef{{Provider: "cheap", Model: model}}
}
