package meter

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// MonthlyUsage is the usage of one month by tenant.
type MonthlyUsage struct {
	Month   string        `json:"month" doc:"In UTC." example:"2026-11"`
	From    time.Time     `json:"from"`
	To      time.Time     `json:"to"`
	Calls   int64         `json:"governed_calls" doc:"Exchanges that the gateway governed, including those that it refused."`
	Tenants []TenantUsage `json:"tenants" nullable:"false"`
	UsageFigures
}

// TenantUsage is the usage of one tenant in a month.
type TenantUsage struct {
	Tenant string `json:"tenant_id"`
	Calls  int64  `json:"governed_calls"`
	UsageFigures
}

// UsageFigures are amounts of usage and their cost.
type UsageFigures struct {
	Requests     int64        `json:"request_count" doc:"Exchanges that used tokens."`
	InputTokens  int64        `json:"input_tokens"`
	OutputTokens int64        `json:"output_tokens"`
	Cost         money.Amount `json:"total_cost" doc:"USD, exact."`
}

// ReadMonthlyUsage returns the usage of the UTC month that contains at. An empty tenant selects all tenants.
func (c *Costs) ReadMonthlyUsage(ctx context.Context, tenant string, at time.Time) (MonthlyUsage, error) {
	from, to := findMonth(at)
	rows, err := c.DB.Usage().SumCosts(ctx, store.CostFilter{Tenant: tenant, From: from, To: to}, store.ByTenant)
	if err != nil {
		return MonthlyUsage{}, err
	}
	m := MonthlyUsage{Month: from.Format("2006-01"), From: from, To: to, Tenants: make([]TenantUsage, len(rows))}
	var sum store.UsageSums
	for i := range rows {
		m.Tenants[i] = TenantUsage{Tenant: rows[i].Tenant, Calls: rows[i].Calls, UsageFigures: computeFigures(&rows[i].UsageSums)}
		sum.Add(&rows[i].UsageSums)
	}
	m.Calls, m.UsageFigures = sum.Calls, computeFigures(&sum)
	return m, nil
}

func computeFigures(s *store.UsageSums) UsageFigures {
	return UsageFigures{Requests: s.Requests, InputTokens: s.Input, OutputTokens: s.Output, Cost: money.Amount(s.Cost())}
}
