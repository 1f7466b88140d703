package meter

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// ChargebackReport divides the costs of an interval among those who bear them.
type ChargebackReport struct {
	ID       string              `json:"id"`
	Tenant   *string             `json:"tenant_id" doc:"null: all tenants."`
	From     time.Time           `json:"from" doc:"Included."`
	To       time.Time           `json:"to" doc:"Not included."`
	At       time.Time           `json:"generated_at"`
	By       string              `json:"generated_by"`
	Currency string              `json:"currency" enum:"USD"`
	Sections *ChargebackSections `json:"sections,omitempty" doc:"Omitted from lists."`
}

// ChargebackSections are the sections of a report. Each of the first five adds up to the total.
type ChargebackSections struct {
	Total     Share         `json:"total"`
	Tenants   []TenantShare `json:"tenantSummary" nullable:"false"`
	Keys      []KeyShare    `json:"apiKeySummary" nullable:"false"`
	Models    []ModelShare  `json:"modelSummary" nullable:"false"`
	Providers []PartShare   `json:"providerSummary" nullable:"false"`
	Days      []DayShare    `json:"dailyBreakdown" nullable:"false"`
	Forecast  Forecasts     `json:"forecast"`
	Anomalies []Anomaly     `json:"anomalies" nullable:"false"`
}

// Forecasts holds a report's forecasts as of its creation.
type Forecasts struct {
	Week  []Forecast `json:"trailing7d" nullable:"false"`
	Month []Forecast `json:"trailing30d" nullable:"false"`
}

// Share is one part of the costs.
type Share struct {
	InputCost    money.Amount `json:"inputCost" doc:"USD, exact."`
	OutputCost   money.Amount `json:"outputCost" doc:"USD, exact."`
	Cost         money.Amount `json:"totalCost" doc:"USD, exact."`
	Requests     int64        `json:"requestCount"`
	InputTokens  int64        `json:"inputTokens"`
	OutputTokens int64        `json:"outputTokens"`
	Unpriced     int64        `json:"unpricedCount" doc:"Requests whose price was not known; they count with a cost of 0."`
	Pct          float64      `json:"sharePct" doc:"Of the total cost, in per cent, with two decimal places."`
}

// TenantShare is the share of a tenant.
type TenantShare struct {
	Tenant string `json:"tenantId"`
	Name   string `json:"tenantName" doc:"Empty for one that is deleted."`
	Share
}

// KeyShare is the share of a key.
// Its own type: a line of a report, which remains when the key is deleted.
type KeyShare struct {
	Tenant string `json:"tenantId"`
	Key    string `json:"apiKeyId"`
	Name   string `json:"apiKeyName" doc:"Empty for one that is deleted."`
	Prefix string `json:"apiKeyPrefix"`
	Share
}

// ModelShare is the share of a provider's model.
type ModelShare struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Share
}

// PartShare is the share of a provider.
type PartShare struct {
	Provider string `json:"provider"`
	Share
}

// DayShare is the share of a UTC day. Days without costs are listed too.
type DayShare struct {
	Date string `json:"date" format:"date"`
	Share
}

// Longest is the maximum interval of a report.
const Longest = 732 * day

// BuildReport builds the report of an interval. An empty tenant selects all tenants. Its forecasts are as of now.
func (c *Costs) BuildReport(ctx context.Context, tenant string, from, to time.Time, thresholdPct int64) (*ChargebackReport, error) {
	now := c.Now().UTC().Truncate(time.Microsecond)
	r := &ChargebackReport{
		Tenant:   nilIfEmpty(tenant),
		From:     from.UTC(),
		To:       to.UTC(),
		At:       now,
		Currency: Currency,
		Sections: new(ChargebackSections),
	}
	parts, keys, err := c.DB.Usage().SumCostParts(ctx, store.CostFilter{Tenant: tenant, From: from, To: to})
	if err != nil {
		return nil, err
	}
	b := newBreakdown(parts, keys)
	if err := c.fillNames(ctx, b); err != nil {
		return nil, err
	}
	s := r.Sections
	b.fill(s, from, to)
	if s.Forecast.Week, err = c.forecast(ctx, tenant, 7, now); err != nil {
		return nil, err
	}
	if s.Forecast.Month, err = c.forecast(ctx, tenant, 30, now); err != nil {
		return nil, err
	}
	s.Anomalies, err = c.findAnomalies(ctx, tenant, thresholdPct, now)
	return r, err
}

// fillNames looks up the names of tenants and keys.
func (c *Costs) fillNames(ctx context.Context, b *breakdown) error {
	tenants, err := c.DB.Tenants().List(ctx)
	if err != nil {
		return err
	}
	for i := range tenants {
		b.tenantNames[tenants[i].ID] = tenants[i].Name
	}
	keys, err := c.DB.Keys().List(ctx)
	if err != nil {
		return err
	}
	for i := range keys {
		b.keyNames[keys[i].ID] = [2]string{keys[i].Name, keys[i].Prefix}
	}
	return nil
}
