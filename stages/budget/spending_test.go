package budget

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestWhatIsLeftIsToldForTheTightestBudgetOfACaller(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, s core.State) {
		spending := &core.Spending{Counters: s, Now: time.Now}
		spending.Set([]core.Budget{
			{ID: "all", Period: core.Monthly, Limit: 1000, Tokens: -1},
			{ID: "acme", Tenant: "acme", Period: core.Daily, Limit: 500, Tokens: 40},
		})
		acme, other := &core.Principal{Tenant: "acme"}, &core.Principal{Tenant: "other"}
		require.NoError(t, spending.Charge(ctx, &core.Exchange{Principal: acme}, 300, 10))

		left, ok, err := spending.Left(ctx, acme, "m")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, core.BudgetLeft{USD: 200, Money: true, Tokens: 30, Counts: true, Pct: 40}, left)
		left, ok, err = spending.Left(ctx, other, "m")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, core.BudgetLeft{USD: 700, Money: true, Pct: 70}, left)

		pct, exceeded, ok, err := spending.Remaining(ctx, acme, "m")
		require.NoError(t, err)
		assert.Equal(t, []any{40.0, false, true}, []any{pct, exceeded, ok})
		require.NoError(t, spending.Charge(ctx, &core.Exchange{Principal: acme}, 0, 31))
		_, exceeded, _, err = spending.Remaining(ctx, acme, "m")
		require.NoError(t, err)
		assert.True(t, exceeded)
		_, _, ok, err = (&core.Spending{Counters: s, Now: time.Now}).Remaining(ctx, acme, "m")
		require.NoError(t, err)
		assert.False(t, ok)
	})
}

// One Take holds for 64 limits at most; how many budgets there are is the operator's.
func TestManyBudgetsAreChargedAndRead(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, s core.State) {
		spending := &core.Spending{Counters: s, Now: time.Now}
		var list []core.Budget
		for i := range 80 {
			list = append(list, core.Budget{ID: fmt.Sprint(i), Period: core.Monthly, Limit: int64(1000 - i), Tokens: 500})
		}
		spending.Set(list)
		x := &core.Exchange{Principal: &core.Principal{Tenant: "acme"}}
		require.NoError(t, spending.Charge(ctx, x, 300, 10))
		left, ok, err := spending.Left(ctx, x.Principal, "m")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, [2]int64{621, 490}, [2]int64{left.USD, left.Tokens})
	})
}
