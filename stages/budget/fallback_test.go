package budget

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
)

// An answer was lost, and a fallback of another model has served: each model's budget pays for its own call.
func TestAFallbackIsPaidByTheBudgetOfItsModel(t *testing.T) {
	runOnEach(t, func(t *testing.T, s core.State) {
		const limit = 1 << 40
		of := func(id, model string) spending.Budget {
			return spending.Budget{ID: id, Name: id, Model: model, Period: spending.Monthly, Limit: limit, Tokens: limit}
		}
		b := newBench(t, s, "{}", of("first", "model-a"), of("second", "model-b"))
		x := b.passRequest(who{"acme", "alice", "alias"}, "")
		try := func(provider, model string) chain.Decision {
			x.Target = core.TargetRef{Provider: provider, Model: model, Wire: x.Dialect}
			return b.chain.RunTarget(context.Background(), x)
		}
		require.Equal(t, core.Pass, try("dear", "model-a").Action)
		lost := llm.Usage{Estimated: true, Input: 20}
		x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Lost: true, Usage: lost})
		x.Usage, x.Cost = lost, 20*10*inPrice
		require.Equal(t, core.Pass, try("cheap", "model-b").Action)
		b.answer(x, 9, 7)
		b.end(x)
		var spent []int64
		for i := range b.budgets {
			counters := b.budgets[i].NewLimits(b.now).ListCounters()
			_, err := s.Take(context.Background(), counters)
			require.NoError(t, err)
			spent = append(spent, counters[0].Spent, counters[1].Spent)
		}
		assert.Equal(t, []int64{200 * inPrice, 20, 9*inPrice + 7*outPrice, 16}, spent, "money and tokens of either budget")
	})
}

func TestTheSoftLimitOfASmallBudgetIsExact(t *testing.T) {
	budget := spending.Budget{ID: "b", Name: "b", Period: spending.Monthly, Limit: -1, Tokens: 190, Soft: 80} // 152 tokens
	b := newBench(t, state.NewMemory(state.Options{}), "{least_output_tokens: 0}", budget)
	spend := func(tokens int64) {
		x, d := b.begin(alice, `,"max_tokens":1`)
		require.NotEqual(t, core.Block, d.Action, "%v", d.Err)
		b.answer(x, tokens, 0)
		b.end(x)
	}
	spend(100)
	assert.Empty(t, b.notices, "not at 80 tokens")
	spend(51)
	assert.Empty(t, b.notices)
	spend(1)
	require.Len(t, b.notices, 1)
	assert.Equal(t, spending.NoticeSoftLimit, b.notices[0].Type)
}
