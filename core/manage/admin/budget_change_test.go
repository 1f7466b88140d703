package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestABudgetChangesToKnownPeriodsOnly(t *testing.T) {
	b := store.BudgetRecord{Budget: spending.Budget{Period: spending.Monthly}}
	period := "WEEKLY"
	c := BudgetChange{Period: &period}
	require.NoError(t, c.apply(&b))
	assert.Equal(t, spending.Weekly, b.Period)
	period = "YEARLY"
	require.ErrorContains(t, c.apply(&b), "write DAILY, WEEKLY or MONTHLY")
}
