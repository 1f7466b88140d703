package budget

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
)

func TestWhatIsLeftIsToldForTheTightestBudgetOfACaller(t *testing.T) {
	ctx := context.Background()
	runOnEach(t, func(t *testing.T, s core.State) {
		money := &spending.Budgets{Counters: s, Now: time.Now}
		money.Set([]spending.Budget{
			{ID: "all", Period: spending.Monthly, Limit: 1000, Tokens: -1},
			{ID: "acme", Tenant: "acme", Period: spending.Daily, Limit: 500, Tokens: 40},
		})
		acme, other := &core.Principal{Tenant: "acme"}, &core.Principal{Tenant: "other"}
		require.NoError(t, money.Charge(ctx, &core.Exchange{Principal: acme}, 300, 10))

		left, ok, err := money.ComputeRemaining(ctx, acme, "m")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, spending.Left{USD: 200, Money: true, Tokens: 30, Counts: true, Pct: 40}, left)
		left, ok, err = money.ComputeRemaining(ctx, other, "m")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, spending.Left{USD: 700, Money: true, Pct: 70}, left)

		pct, exceeded, ok, err := money.FindRemaining(ctx, acme, "m")
		require.NoError(t, err)
		assert.Equal(t, []any{40.0, false, true}, []any{pct, exceeded, ok})
		require.NoError(t, money.Charge(ctx, &core.Exchange{Principal: acme}, 0, 31))
		_, exceeded, _, err = money.FindRemaining(ctx, acme, "m")
		require.NoError(t, err)
		assert.True(t, exceeded)
		_, _, ok, err = (&spending.Budgets{Counters: s, Now: time.Now}).FindRemaining(ctx, acme, "m")
		require.NoError(t, err)
		assert.False(t, ok)
	})
}

// One Take accepts at most 64 limits, but an operator may define any number of budgets.
func TestManyBudgetsAreChargedAndRead(t *testing.T) {
	ctx := context.Background()
	runOnEach(t, func(t *testing.T, s core.State) {
		money := &spending.Budgets{Counters: s, Now: time.Now}
		var list []spending.Budget
		for i := range 80 {
			list = append(list, spending.Budget{ID: fmt.Sprint(i), Period: spending.Monthly, Limit: int64(1000 - i), Tokens: 500})
		}
		money.Set(list)
		x := &core.Exchange{Principal: &core.Principal{Tenant: "acme"}}
		require.NoError(t, money.Charge(ctx, x, 300, 10))
		left, ok, err := money.ComputeRemaining(ctx, x.Principal, "m")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, [2]int64{621, 490}, [2]int64{left.USD, left.Tokens})
	})
}

// Changed budgets apply from the next exchange on, and spending under an id is kept.
func TestBudgetsChangeUnderALivingStage(t *testing.T) {
	runOnEach(t, func(t *testing.T, s core.State) {
		b := newBench(t, s, "least_output_tokens: 0")
		ask := func() core.Action {
			x, d := b.begin(alice, `,"max_tokens":10`)
			if d.Action == core.Block {
				b.refuse(x, d)
				return d.Action
			}
			b.answer(x, 10, 10)
			b.end(x)
			return core.Pass
		}
		require.Equal(t, core.Pass, ask())
		b.budgets = []spending.Budget{usd(1 << 50)}
		b.spending.Set(b.budgets)
		require.Equal(t, core.Pass, ask())
		spent := int64(1<<50) - b.readLeft()[0].Left
		assert.EqualValues(t, 10*inPrice+10*outPrice, spent, "the exchange before had no budget")
		b.budgets = []spending.Budget{usd(spent)}
		b.spending.Set(b.budgets)
		assert.Equal(t, core.Block, ask(), "a lower limit keeps the count")
		b.spending.Set([]spending.Budget{usd(1 << 50)})
		assert.Equal(t, core.Pass, ask())
		b.spending.Set(nil)
		assert.Equal(t, core.Pass, ask())
	})
}
