package budget

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
	"github.com/headgate-dev/headgate/stages/ratelimit"
)

// addRateLimit puts a link with limits on requests, tokens and concurrency in front of the budget.
func (b *bench) addRateLimit(limits string) {
	b.t.Helper()
	first, err := ratelimit.New(block(limits), ratelimit.Deps{Name: ratelimit.Name, State: b.state, DefaultCap: 100})
	require.NoError(b.t, err)
	second, err := New(nil, Deps{State: b.state, Prices: prices{}, Spending: b.spending, DefaultCap: 100})
	require.NoError(b.t, err)
	b.chain, err = chain.New([]chain.Link{
		{Name: ratelimit.Name, Stage: first, Phases: ratelimit.Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks},
		{Name: Name, Stage: second, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks},
	}, nil)
	require.NoError(b.t, err)
}

// Both links settle in one round trip. They take at different times: the rate limit before other links have judged the
// request, the budget when the target of the call is known.
func TestARateLimitAndABudgetCostThreeRoundTripsAnExchange(t *testing.T) {
	url, trips := statetest.StartCountingProxy(t, statetest.StartRedis(t))
	r, err := state.OpenRedis(context.Background(), url, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	tokens := usd(1e12)
	tokens.Tokens = 1e9
	b := newBench(t, r, "{}", tokens)
	b.addRateLimit("limits: [{requests: 1000, tokens: 1000000, concurrent: 10, period: 1h}]")
	exchange := func() (trip [3]int64) {
		before := trips()
		x := b.passRequest(alice, "")
		trip[0], before = trips()-before, trips()
		require.Equal(t, core.Pass, b.target(x, "cheap").Action)
		trip[1], before = trips()-before, trips()
		b.answer(x, 8, 10)
		b.end(x)
		trip[2] = trips() - before
		return trip
	}
	exchange() // opens a connection, loads the scripts and learns how the budget stands
	for range 3 {
		assert.Equal(t, [3]int64{1, 1, 1}, exchange(), "the rate limit, the budget, the end")
	}
	l := b.readLeft()
	assert.Equal(t, int64(4*(8*inPrice+10*outPrice)), l[0].Spent)
	assert.Equal(t, int64(4*18), l[1].Spent)
	assert.Equal(t, l[0].Max, l[0].Left+l[0].Spent, "nothing is held")
}
