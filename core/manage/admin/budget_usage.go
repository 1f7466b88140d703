package admin

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// BudgetUsage is the state of a budget in its current period.
// Its own type: a report of spending; of the budget it shows name, period and limit.
type BudgetUsage struct {
	ID        string        `json:"budgetId"`
	Name      string        `json:"name"`
	Period    string        `json:"period" enum:"DAILY,WEEKLY,MONTHLY"`
	Limit     *money.Amount `json:"limitUsd" doc:"USD. null: a budget of the configuration file that limits only tokens."`
	Soft      *money.Amount `json:"softLimitUsd" doc:"USD. null: no limit."`
	Spent     money.Amount  `json:"currentSpend" doc:"USD in the current period, according to the stored records."`
	Remaining *money.Amount `json:"remainingUsd" doc:"USD. Negative if spending exceeds the limit."`
	Pct       *float64      `json:"utilizationPct" doc:"The share of the limit in percent, with two decimal places." example:"42.17"`
	From      time.Time     `json:"periodStart"`
	To        time.Time     `json:"periodEnd"`
}

// ReadUsage returns the state of a budget according to the stored records. Calls in progress are not included.
func (s Budgets) ReadUsage(ctx context.Context, who *auth.Actor, id string) (BudgetUsage, error) {
	b, err := s.find(ctx, who, id)
	if err != nil {
		return BudgetUsage{}, err
	}
	v := viewBudget(&b)
	from, to := b.FindWindow(s.svc.Now())
	sum, err := meter.SumSpent(ctx, s.svc.Store, &b.Budget, from, to)
	if err != nil {
		return BudgetUsage{}, err
	}
	u := BudgetUsage{ID: v.ID, Name: v.Name, Period: v.Period, Limit: v.Limit, Spent: money.Amount(sum.Cost()), From: from.UTC(), To: to.UTC()}
	if v.Limit != nil {
		left := *v.Limit - u.Spent
		u.Remaining = &left
		pct := meter.ComputePercent(int64(u.Spent), int64(*v.Limit))
		u.Pct = &pct
		if v.SoftPct > 0 {
			soft := meter.ComputePart(*v.Limit, v.SoftPct)
			u.Soft = &soft
		}
	}
	return u, nil
}
