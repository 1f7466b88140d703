package store

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/spending"
)

func TestABudgetIsReadAsItWasStoredAndLimitsNoTokens(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		rule := spending.Budget{
			ID: "b", Name: "monthly", Tenant: "acme", Key: "k", Period: spending.Weekly, Zone: time.UTC, Limit: 7, Tokens: -1, Soft: 80,
		}
		stored, err := db.Budgets().Insert(ctx, BudgetRecord{Budget: rule, Enabled: true})
		require.NoError(t, err)
		got, err := db.Budgets().Get(ctx, "b")
		require.NoError(t, err)
		assert.Equal(t, stored, got)
		assert.Equal(t, rule, got.Budget)
		assert.Len(t, got.NewLimits(time.Now()).ListCounters(), 1, "of money")
		list, err := db.Budgets().List(ctx)
		require.NoError(t, err)
		assert.Equal(t, []BudgetRecord{got}, list)
		got, err = db.Budgets().Change(ctx, "b", func(b *BudgetRecord) error {
			b.Period = spending.Daily
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, spending.Daily, got.Period)
		assert.EqualValues(t, -1, got.Tokens)
	})
}
