package meter

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// focusColumns are the columns of the FinOps Open Cost and Usage Specification, version 1.2, that a gateway can fill
// in: https://focus.finops.org/focus-specification/v1-2/.
var focusColumns = []string{
	"BilledCost",
	"BillingAccountId",
	"BillingAccountName",
	"BillingCurrency",
	"BillingPeriodEnd",
	"BillingPeriodStart",
	"ChargeCategory",
	"ChargeClass",
	"ChargeDescription",
	"ChargeFrequency",
	"ChargePeriodEnd",
	"ChargePeriodStart",
	"ConsumedQuantity",
	"ConsumedUnit",
	"ContractedCost",
	"EffectiveCost",
	"InvoiceIssuerName",
	"ListCost",
	"PricingQuantity",
	"PricingUnit",
	"ProviderName",
	"PublisherName",
	"ResourceId",
	"ResourceName",
	"ResourceType",
	"ServiceCategory",
	"ServiceName",
	"SkuId",
	"SubAccountId",
	"SubAccountName",
}

// WriteFocus writes the charges of an interval in the columns of FOCUS. Each day, tenant, key, provider and model has two
// rows: tokens read and tokens written. Focus reads one day at a time, so a slow reader blocks nothing. An empty tenant
// selects all tenants. Days are in UTC; the interval may cut the first and the last.
func (c *Costs) WriteFocus(ctx context.Context, w io.Writer, tenant string, from, to time.Time) error {
	b := newBreakdown(nil, nil)
	if err := c.fillNames(ctx, b); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	_ = out.Write(focusColumns) // the writer keeps its first error, and Error returns it
	first, any, err := c.DB.Usage().FindFirstDay(ctx)
	if err != nil {
		return err
	}
	if begin := convertDay(first); begin.After(from) {
		from = begin
	}
	for any && from.Before(to) && out.Error() == nil {
		ends := from.UTC().Truncate(day).Add(day)
		if ends.After(to) {
			ends = to
		}
		if err := c.writeFocusDay(ctx, out, b, tenant, from, ends); err != nil {
			return err
		}
		from = ends
	}
	out.Flush()
	return out.Error()
}

// writeFocusDay writes the charges of a day or of part of one.
func (c *Costs) writeFocusDay(ctx context.Context, out *csv.Writer, b *breakdown, tenant string, from, to time.Time) error {
	rows, err := c.DB.Usage().SumCosts(
		ctx,
		store.CostFilter{Tenant: tenant, From: from, To: to},
		store.ByTenant|store.ByKey|store.ByProvider|store.ByModel,
	)
	if err != nil {
		return err
	}
	monthFrom, monthTo := findMonth(from)
	for i := range rows {
		s := &rows[i]
		if s.Requests == 0 {
			continue
		}
		for _, charge := range []struct {
			what         string
			tokens, cost int64
		}{{"input", s.Input, s.InputCost}, {"output", s.Output, s.OutputCost}} {
			cost, tokens := money.Amount(charge.cost).String(), strconv.FormatInt(charge.tokens, 10)
			_ = out.Write([]string{ // the writer keeps its first error, and Error returns it
				cost,
				"headgate",
				"Headgate",
				Currency,
				formatTimestamp(monthTo),
				formatTimestamp(monthFrom),
				"Usage",
				"",
				"Tokens of " + charge.what + ", " + escapeCell(s.Model),
				"Usage-Based",
				formatTimestamp(to),
				formatTimestamp(from),
				tokens,
				"Tokens",
				cost,
				cost,
				escapeCell(s.Provider),
				cost,
				tokens,
				"Tokens",
				escapeCell(s.Provider),
				escapeCell(s.Provider),
				escapeCell(s.Key),
				escapeCell(b.keyNames[s.Key][0]),
				"API key",
				"AI and Machine Learning",
				escapeCell(s.Model),
				escapeCell(s.Provider + "/" + s.Model + "/" + charge.what),
				escapeCell(s.Tenant),
				escapeCell(b.tenantNames[s.Tenant]),
			})
		}
	}
	return nil
}

// convertDay returns the start of the nth UTC day since 1970.
func convertDay(n int64) time.Time { return time.Unix(n*int64(day/time.Second), 0).UTC() }

// formatTimestamp formats a time as FOCUS requires.
func formatTimestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
