package meter

import (
	"context"
	"math/bits"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CostFilter selects cost records.
type CostFilter = store.CostFilter

// Costs answers queries about spending from the sums and records of the store. It is safe for concurrent use.
type Costs struct {
	DB  *store.DB
	Now func() time.Time
}

// Summary is the total cost of the records that match a filter. Unset fields of the filter are null.
type Summary struct {
	Tenant       *string      `json:"tenantId" doc:"The tenant filter; null means all tenants."`
	Model        *string      `json:"model" doc:"The model filter; null means all models."`
	Provider     *string      `json:"provider" doc:"The provider filter; null means all providers."`
	InputCost    money.Amount `json:"totalInputCost" doc:"USD, exact." example:"0.1875"`
	OutputCost   money.Amount `json:"totalOutputCost" doc:"USD, exact." example:"1.25"`
	Cost         money.Amount `json:"totalCost" doc:"USD, exact: the sum of both." example:"1.4375"`
	Requests     int64        `json:"requestCount" doc:"Exchanges that used tokens." example:"1250"`
	InputTokens  int64        `json:"totalInputTokens" example:"75000"`
	OutputTokens int64        `json:"totalOutputTokens" example:"125000"`
	Unpriced     int64        `json:"unpricedCount" doc:"Exchanges among them whose price was not known; they count with a cost of 0."`
	Currency     string       `json:"currency" enum:"USD"`
}

// Summarize returns the total cost of the records that match f.
func (c *Costs) Summarize(ctx context.Context, f CostFilter) (Summary, error) {
	rows, err := c.DB.Usage().SumCosts(ctx, f, 0)
	if err != nil {
		return Summary{}, err
	}
	var s store.UsageSums
	for i := range rows {
		s.Add(&rows[i].UsageSums)
	}
	return Summary{
		Tenant: nilIfEmpty(f.Tenant), Model: nilIfEmpty(f.Model), Provider: nilIfEmpty(f.Provider),
		InputCost: money.Amount(s.InputCost), OutputCost: money.Amount(s.OutputCost), Cost: money.Amount(s.Cost()),
		Requests: s.Requests, InputTokens: s.Input, OutputTokens: s.Output, Unpriced: s.Unpriced, Currency: Currency,
	}, nil
}

// Currency is the currency of all amounts.
const Currency = "USD"

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

const day = 24 * time.Hour

// findMidnight returns the start of t's UTC day.
func findMidnight(t time.Time) time.Time { return t.UTC().Truncate(day) }

// findMonth returns the UTC month that contains t.
func findMonth(t time.Time) (from, to time.Time) {
	y, m, _ := t.UTC().Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
}

// computeShare returns amount * part / whole, rounded half up. No argument may be negative.
func computeShare(amount, part, whole int64) int64 {
	if whole <= 0 || amount <= 0 || part <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(amount), uint64(part))
	if hi >= uint64(whole) {
		return int64(money.Most)
	}
	n, rest := bits.Div64(hi, lo, uint64(whole))
	if rest >= uint64(whole)-rest {
		n++
	}
	return int64(min(n, uint64(1)<<62))
}

// ComputePercent returns amount as a percentage of whole, to two decimal places. If whole is 0, it returns 0 for an amount of
// 0 and 100 otherwise.
func ComputePercent(amount, whole int64) float64 {
	if whole <= 0 {
		if amount > 0 {
			return 100
		}
		return 0
	}
	return float64(computeShare(amount, 10_000, whole)) / 100
}

// ComputePart returns pct per cent of an amount, rounded half up.
func ComputePart(amount money.Amount, pct int64) money.Amount {
	return money.Amount(computeShare(int64(amount), pct, 100))
}
