package meter

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// The directions of a cost trend.
const (
	Increasing = "increasing"
	Decreasing = "decreasing"
	Stable     = "stable"
)

// trendPct is the minimum difference between the halves of the window, in per cent, that counts as a trend.
const trendPct = 10

// TrailingDays is the default number of days that a forecast looks back, and MaxTrailingDays the maximum.
const (
	TrailingDays    = 7
	MaxTrailingDays = 366
)

// Forecast predicts the cost of the rest of the month.
type Forecast struct {
	Tenant       string       `json:"tenantId"`
	Model        string       `json:"model" example:"gpt-4o-mini"`
	TrailingDays int          `json:"trailingDays" doc:"The number of whole days (UTC) before today that the forecast is based on." example:"7"`
	DailyAverage money.Amount `json:"dailyAverage" doc:"USD: the mean of those days; if nothing was spent on them, the cost of today so far." example:"12.5"`
	MonthEnd     money.Amount `json:"projectedMonthEnd" doc:"USD: the cost of the month so far, plus the average for the rest of it." example:"380.25"`
	Trend        string       `json:"trend" enum:"increasing,decreasing,stable" doc:"The later half of those days against the earlier: more than 10 % apart, or stable."`
	Computed     time.Time    `json:"computedAt"`
}

// Forecast predicts the cost of each tenant and model with costs in the trailing days or in this month. An empty tenant
// selects all tenants. The trailing days are whole UTC days before today.
func (c *Costs) Forecast(ctx context.Context, tenant string, trailing int) ([]Forecast, error) {
	return c.forecast(ctx, tenant, trailing, c.Now())
}

func (c *Costs) forecast(ctx context.Context, tenant string, trailing int, now time.Time) ([]Forecast, error) {
	today := findMidnight(now)
	began, ends := findMonth(now)
	first := today.Add(-time.Duration(trailing) * day)
	from := first
	if began.Before(from) {
		from = began
	}
	rows, err := c.DB.Usage().SumCosts(
		ctx,
		store.CostFilter{Tenant: tenant, From: from, To: now.Add(time.Microsecond)},
		store.ByTenant|store.ByModel|store.ByDay,
	)
	if err != nil {
		return nil, err
	}
	left := ends.Sub(now).Microseconds()
	list := []Forecast{}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Tenant == rows[0].Tenant && rows[n].Model == rows[0].Model {
			n++
		}
		days, window, soFar, latest := make([]int64, trailing), int64(0), int64(0), int64(0)
		for i := range rows[:n] {
			at := time.Unix(rows[i].Day*int64(day/time.Second), 0)
			if !at.Before(began) {
				soFar += rows[i].Cost()
			}
			if k := int(at.Sub(first) / day); k >= 0 && k < trailing && at.Before(today) {
				days[k] += rows[i].Cost()
				window += rows[i].Cost()
			}
			if !at.Before(today) {
				latest += rows[i].Cost()
			}
		}
		average, rest := computeShare(window, 1, int64(trailing)), computeShare(window, left, int64(trailing)*day.Microseconds())
		if window == 0 { // of the first day there is nothing but its own hours
			average, rest = latest, computeShare(latest, ends.Sub(today.Add(day)).Microseconds(), day.Microseconds())
		}
		if window > 0 || soFar > 0 {
			list = append(list, Forecast{
				Tenant: rows[0].Tenant, Model: rows[0].Model, TrailingDays: trailing, Trend: nameTrend(days), Computed: now.UTC(),
				DailyAverage: money.Amount(average), MonthEnd: money.Amount(soFar + rest),
			})
		}
		rows = rows[n:]
	}
	return list, nil
}

// nameTrend compares the later half of the days with the earlier half. If their number is odd, it ignores the middle one.
func nameTrend(days []int64) string {
	half := len(days) / 2
	var early, late int64
	for i := range half {
		early += days[i]
		late += days[len(days)-1-i]
	}
	switch {
	case late > early && late-early > computeShare(early, trendPct, 100):
		return Increasing
	case late < early && early-late > computeShare(early, trendPct, 100):
		return Decreasing
	}
	return Stable
}
