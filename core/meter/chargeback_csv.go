package meter

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/money"
	"github.com/headgate-dev/headgate/core/store"
)

// CSV writes the sections of a report as one table. Its first column names the section: each of them adds up to the
// total, so that they are not to be added to each other.
func (r *ChargebackReport) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	tenant := ""
	if r.Tenant != nil {
		tenant = *r.Tenant
	}
	write := func(section, date, tenantID, tenantName, keyID, keyName, provider, model string, s *Share) {
		_ = out.Write([]string{ // an error stays with the writer, and Error answers it
			section, date, cell(tenantID), cell(tenantName), cell(keyID), cell(keyName), cell(provider), cell(model), strconv.FormatInt(s.Requests, 10),
			strconv.FormatInt(s.InputTokens, 10), strconv.FormatInt(s.OutputTokens, 10), s.InputCost.String(), s.OutputCost.String(), s.Cost.String(),
			r.Currency, strconv.FormatFloat(s.Pct, 'f', 2, 64), strconv.FormatInt(s.Unpriced, 10),
		})
	}
	_ = out.Write([]string{ // as above
		"section", "date", "tenant_id", "tenant_name", "api_key_id", "api_key_name", "provider", "model", "request_count", "input_tokens", "output_tokens",
		"input_cost", "output_cost", "total_cost", "currency", "share_pct", "unpriced_count",
	})
	s := r.Sections
	write("total", "", tenant, "", "", "", "", "", &s.Total)
	for i := range s.Tenants {
		v := &s.Tenants[i]
		write("tenantSummary", "", v.Tenant, v.Name, "", "", "", "", &v.Share)
	}
	for i := range s.Keys {
		v := &s.Keys[i]
		write("apiKeySummary", "", v.Tenant, "", v.Key, v.Name, "", "", &v.Share)
	}
	for i := range s.Models {
		v := &s.Models[i]
		write("modelSummary", "", tenant, "", "", "", v.Provider, v.Model, &v.Share)
	}
	for i := range s.Providers {
		v := &s.Providers[i]
		write("providerSummary", "", tenant, "", "", "", v.Provider, "", &v.Share)
	}
	for i := range s.Days {
		v := &s.Days[i]
		write("dailyBreakdown", v.Date, tenant, "", "", "", "", "", &v.Share)
	}
	out.Flush()
	return out.Error()
}

// cell keeps a spreadsheet from taking a name for a formula: names are chosen by tenants, and models by clients.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// focusColumns are those of the FinOps Open Cost and Usage Specification, version 1.2, that a gateway can fill in:
// https://focus.finops.org/focus-specification/v1-2/.
var focusColumns = []string{
	"BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory", "ChargeClass",
	"ChargeDescription", "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart", "ConsumedQuantity", "ConsumedUnit", "ContractedCost", "EffectiveCost",
	"InvoiceIssuerName", "ListCost", "PricingQuantity", "PricingUnit", "ProviderName", "PublisherName", "ResourceId", "ResourceName", "ResourceType",
	"ServiceCategory", "ServiceName", "SkuId", "SubAccountId", "SubAccountName",
}

// Focus writes the charges of a span in the columns of FOCUS: two for each day, tenant, key, provider and model, one of
// tokens read and one of tokens written. It is read from the sums as they are now; tenant "" is all tenants. Days are
// those of UTC; the first and the last may be cut by the span.
func (c *Costs) Focus(ctx context.Context, w io.Writer, tenant string, from, to time.Time) error {
	b := newBreakdown(nil, nil)
	if err := c.names(ctx, b); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	_ = out.Write(focusColumns) // an error stays with the writer, and Error answers it
	all := store.ByTenant | store.ByKey | store.ByProvider | store.ByModel | store.ByDay
	for s, err := range c.DB.EachCostSum(ctx, store.CostFilter{Tenant: tenant, From: from, To: to}, all) {
		if err != nil {
			return err
		}
		if s.Requests == 0 {
			continue
		}
		began := time.Unix(s.Day*int64(day/time.Second), 0).UTC()
		ends := began.Add(day)
		monthFrom, monthTo := month(began)
		if began.Before(from) {
			began = from
		}
		if ends.After(to) {
			ends = to
		}
		for _, charge := range []struct {
			what         string
			tokens, cost int64
		}{{"input", s.Input, s.InputCost}, {"output", s.Output, s.OutputCost}} {
			cost, tokens := money.Amount(charge.cost).String(), strconv.FormatInt(charge.tokens, 10)
			_ = out.Write([]string{ // as above
				cost, "headgate", "Headgate", Currency, stamp(monthTo), stamp(monthFrom), "Usage", "",
				"Tokens of " + charge.what + ", " + cell(s.Model), "Usage-Based", stamp(ends), stamp(began), tokens, "Tokens", cost, cost,
				cell(s.Provider), cost, tokens, "Tokens", cell(s.Provider), cell(s.Provider), cell(s.Key), cell(b.keyNames[s.Key][0]), "API key",
				"AI and Machine Learning", cell(s.Model), cell(s.Provider + "/" + s.Model + "/" + charge.what), cell(s.Tenant), cell(b.tenantNames[s.Tenant]),
			})
		}
	}
	out.Flush()
	return out.Error()
}

// stamp is a time as FOCUS has it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
