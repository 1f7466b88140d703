package admin

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Cost is the cost of one exchange, or of one model in a batch.
type Cost struct {
	ID           string       `json:"id" example:"4711"`
	Tenant       string       `json:"tenantId"`
	Key          string       `json:"apiKey" doc:"The id of the key."`
	Model        string       `json:"model" doc:"The provider's name of the model." example:"gpt-4o-mini"`
	Provider     string       `json:"provider" example:"openai"`
	InputTokens  int64        `json:"inputTokens" example:"300"`
	OutputTokens int64        `json:"outputTokens" example:"45"`
	InputCost    money.Amount `json:"inputCost" doc:"USD, exact." example:"0.000045"`
	OutputCost   money.Amount `json:"outputCost" doc:"USD, exact." example:"0.000027"`
	Cost         money.Amount `json:"totalCost" doc:"USD, exact: the sum of both." example:"0.000072"`
	Currency     string       `json:"currency" enum:"USD"`
	Price        *string      `json:"pricingId" doc:"The entry of the price list that was applied: an id of GET /admin/v1/pricing, or list:… for the gateway's own list. null: no price was known, and the cost counts as 0."`
	At           time.Time    `json:"timestamp"`

	cursor store.CostCursor
}

// CostQuery filters cost records. Empty fields match all.
type CostQuery struct {
	Tenant, Key, Model, Provider string
	From, To                     string // ISO 8601
}

// buildFilter translates a query into a filter that is limited to what the actor may see.
func (s Costs) buildFilter(ctx context.Context, who *auth.Actor, q CostQuery) (f store.CostFilter, err error) {
	tenant, err := s.svc.authorize(ctx, who, auth.CostsRead, q.Tenant)
	if err != nil {
		return f, err
	}
	f = store.CostFilter{Tenant: tenant, Key: q.Key, Model: q.Model, Provider: q.Provider}
	if f.Provider != "" {
		f.Provider = s.svc.Ledger.FindProviderName(f.Provider)
	}
	f.From, f.To, err = readSpan(q.From, q.To)
	return f, err
}

// List lists cost records, newest first.
func (s Costs) List(ctx context.Context, who *auth.Actor, q CostQuery, page Page) (List[Cost], error) {
	f, err := s.buildFilter(ctx, who, q)
	if err != nil {
		return List[Cost]{}, err
	}
	var after *store.CostCursor
	if page.After != "" {
		after = new(store.CostCursor)
		if _, err := fmt.Sscanf(page.After, "%d.%d.%d", &after.At, &after.Series, &after.ID); err != nil {
			return List[Cost]{}, newInvalidValueError("cursor", "send next_cursor of the previous page unchanged")
		}
	}
	return List[Cost]{
		Cursor: func(c Cost) string { return fmt.Sprintf("%d.%d.%d", c.cursor.At, c.cursor.Series, c.cursor.ID) },
		All:    viewRecords(s.svc.Store.Usage().ListCosts(ctx, f, after, page.Limit), viewCost),
	}, nil
}

func viewCost(r *store.CostRecord) Cost {
	c := Cost{
		ID: strconv.FormatInt(
			r.ID,
			10,
		),
		Tenant:       r.Tenant,
		Key:          r.Key,
		Model:        r.Model,
		Provider:     r.Provider,
		InputTokens:  r.Input,
		OutputTokens: r.Output,
		InputCost:    money.Amount(r.InputCost),
		OutputCost:   money.Amount(r.OutputCost),
		Cost:         money.Amount(r.InputCost + r.OutputCost),
		Currency:     meter.Currency,
		At:           r.At,
		cursor:       r.Cursor(),
	}
	if r.Priced && r.PriceID != "" {
		c.Price = &r.PriceID
	}
	return c
}

// Summarize sums up cost records.
func (s Costs) Summarize(ctx context.Context, who *auth.Actor, q CostQuery) (meter.Summary, error) {
	f, err := s.buildFilter(ctx, who, q)
	if err != nil {
		return meter.Summary{}, err
	}
	return s.svc.newMeterCosts().Summarize(ctx, f)
}

// Forecast returns the expected costs of the month. trailing is the number of days to average; 0 selects the default.
func (s Costs) Forecast(ctx context.Context, who *auth.Actor, tenant string, trailing int, page Page) (List[meter.Forecast], error) {
	tenant, err := s.svc.authorize(ctx, who, auth.CostsRead, tenant)
	if err != nil {
		return List[meter.Forecast]{}, err
	}
	if trailing == 0 {
		trailing = meter.TrailingDays
	}
	if trailing < 1 || trailing > meter.MaxTrailingDays {
		return List[meter.Forecast]{}, newInvalidValueError("trailing_days", "write 1 to %d", meter.MaxTrailingDays)
	}
	all, err := s.svc.newMeterCosts().Forecast(ctx, tenant, trailing)
	if err != nil {
		return List[meter.Forecast]{}, err
	}
	return newList(all, page, func(f meter.Forecast) string { return f.Tenant + "\x00" + f.Model })
}

// ListAnomalies returns spending rates that are far above their baseline.
func (s Costs) ListAnomalies(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[meter.Anomaly], error) {
	tenant, err := s.svc.authorize(ctx, who, auth.CostsRead, tenant)
	if err != nil {
		return List[meter.Anomaly]{}, err
	}
	all, err := s.svc.newMeterCosts().FindAnomalies(ctx, tenant, s.svc.Ledger.AnomalyThreshold())
	if err != nil {
		return List[meter.Anomaly]{}, err
	}
	return newList(all, page, func(a meter.Anomaly) string { return a.Tenant + "\x00" + a.Model })
}

// ReadMonthlyUsage returns the usage of a month such as 2026-11, or of the current month if month is "".
func (s Costs) ReadMonthlyUsage(ctx context.Context, who *auth.Actor, tenant, month string) (meter.MonthlyUsage, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.UsageRead, tenant)
	if err != nil {
		return meter.MonthlyUsage{}, err
	}
	at := s.svc.Now()
	if month != "" {
		if at, err = time.Parse("2006-01", month); err != nil || at.Year() < 1970 {
			return meter.MonthlyUsage{}, newInvalidValueError("month", "write a month as in 2026-11")
		}
	}
	return s.svc.newMeterCosts().ReadMonthlyUsage(ctx, tenant, at)
}
