package rest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCostsAreListedAsABareArrayWithPagesByLink(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.spend("acme", "k1", "openai", "gpt-4o", start, 40, 80, 120)
		a.spend("other", "k2", "azure-openai", "gpt-4o", start, 4)
		var all []map[string]any
		r := a.do("GET", "/admin/v1/costs", nil).is(200)
		require.NoError(t, json.Unmarshal([]byte(r.text), &all))
		require.Len(t, all, 4)
		r = a.do("GET", "/admin/v1/costs?tenantId=acme&apiKey=k1&model=gpt-4o&provider=openai", nil).is(200)
		require.Equal(t, 3, r.len())
		assert.Equal(
			t,
			[]any{
				"acme",
				"k1",
				"gpt-4o",
				"openai",
				json.Number("100"),
				json.Number("50"),
				json.Number("0.000000003"),
				json.Number("0.000000009"),
				json.Number("0.000000012"),
				"USD",
				"p1",
				"2026-11-22T12:00:00Z",
			},
			[]any{
				r.field(
					0,
					"tenantId",
				),
				r.field(0, "apiKey"),
				r.field(0, "model"),
				r.field(0, "provider"),
				r.field(0, "inputTokens"),
				r.field(0, "outputTokens"),
				r.field(
					0,
					"inputCost",
				),
				r.field(0, "outputCost"),
				r.field(0, "totalCost"),
				r.field(0, "currency"),
				r.field(0, "pricingId"),
				r.field(0, "timestamp"),
			},
		)
		assert.NotEmpty(t, r.str(0, "id"))
		assert.Equal(t, 1, a.do("GET", "/admin/v1/costs?provider=azure", nil).is(200).len())

		seen := 0
		for path := "/admin/v1/costs?limit=3"; path != ""; {
			r := a.do("GET", path, nil).is(200)
			seen += r.len()
			link := r.header.Get("Link")
			path, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">")
		}
		assert.Equal(t, 4, seen)
		a.do("GET", "/admin/v1/costs?cursor=eA", nil).requireRefusal(400, "invalid_value")
		assert.Equal(t, "[]", a.do("GET", "/admin/v1/costs?tenantId=unknown", nil).is(200).text)
	})
}

func TestTheSummaryIsTheSumOfTheRecords(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.spend("acme", "k1", "openai", "gpt-4o", start, 40, 80, 120)
		a.spend("other", "k2", "openai", "gpt-4o", start, 4)
		r := a.do("GET", "/admin/v1/costs/summary", nil).is(200)
		assert.Equal(
			t,
			[]any{
				nil,
				nil,
				nil,
				json.Number("0.0000000061"),
				json.Number("0.0000000183"),
				json.Number("0.0000000244"),
				json.Number("4"),
				json.Number("400"),
				json.Number("200"),
			},
			[]any{
				r.field("tenantId"), r.field("model"), r.field("provider"), r.field("totalInputCost"), r.field("totalOutputCost"), r.field("totalCost"),
				r.field("requestCount"), r.field("totalInputTokens"), r.field("totalOutputTokens"),
			},
		)
		r = a.do("GET", "/admin/v1/costs/summary?tenantId=acme&from=2026-11-22T10:30:00Z&to=2026-11-22T12:00:00.000001Z", nil).is(200)
		assert.Equal(
			t,
			[]any{"acme", json.Number("2"), json.Number("0.00000002")},
			[]any{r.field("tenantId"), r.field("requestCount"), r.field("totalCost")},
		)
		for _, bad := range []string{"from=yesterday", "to=2026-13-01", "from=2026-11-02&to=2026-11-01", "from=0000-01-01"} {
			a.do("GET", "/admin/v1/costs/summary?"+bad, nil).requireRefusal(400, "invalid_value")
		}
	})
}

func TestTenantsSeeTheirOwnCosts(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.spend("acme", "k1", "openai", "gpt-4o", start, 40, 80)
		a.spend("other", "k2", "openai", "gpt-4o", start, 4)
		assert.Equal(t, 2, a.sendAs("viewer@acme", "GET", "/admin/v1/costs", nil).is(200).len())
		assert.Equal(t, "acme", a.sendAs("viewer@acme", "GET", "/admin/v1/costs/summary", nil).is(200).str("tenantId"))
		for _, path := range []string{"/costs?tenantId=other", "/costs/summary?tenantId=other", "/costs/forecast?tenant_id=other", "/costs/anomalies?tenant_id=other", "/usage/monthly?tenant_id=other"} {
			a.sendAs("developer@acme", "GET", "/admin/v1"+path, nil).is(403)
		}
		assert.Contains(t, a.events("acme"), "TENANT_SCOPE_VIOLATION")
		a.sendAs("policy-admin", "GET", "/admin/v1/costs", nil).requireRefusal(403, "FORBIDDEN")
	})
}

func TestForecastAnomaliesAndTheMonthAreTold(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for d := 1; d <= 30; d++ {
			a.spend("acme", "k1", "openai", "gpt-4o", start.AddDate(0, 0, -d), 10_000_000_000)
		}
		a.spend("acme", "k1", "openai", "gpt-4o", start.Add(-time.Minute), 20_000_000_000)
		r := a.do("GET", "/admin/v1/costs/forecast", nil).is(200)
		require.Equal(t, 1, r.len())
		assert.Equal(t, []any{"acme", "gpt-4o", json.Number("7"), json.Number("1"), json.Number("31.5"), "stable"}, []any{
			r.field(
				0,
				"tenantId",
			),
			r.field(0, "model"),
			r.field(0, "trailingDays"),
			r.field(0, "dailyAverage"),
			r.field(0, "projectedMonthEnd"),
			r.field(0, "trend"),
		})
		assert.NotEmpty(t, r.str(0, "computedAt"))
		assert.Equal(
			t,
			json.Number("30"),
			a.do("GET", "/admin/v1/costs/forecast?trailing_days=30&tenant_id=acme", nil).is(200).field(0, "trailingDays"),
		)
		for _, bad := range []string{"0", "-1", "367", "x"} {
			a.do("GET", "/admin/v1/costs/forecast?trailing_days="+bad, nil).requireRefusal(400, "invalid_value")
		}
		r = a.do("GET", "/admin/v1/costs/anomalies", nil).is(200)
		require.Equal(t, 1, r.len())
		assert.Equal(t, json.Number("50"), r.field(0, "thresholdPct"))
		for _, f := range []string{"tenantId", "model", "currentDailyRate", "baselineDailyRate", "deviationPct", "detectedAt"} {
			assert.NotEmpty(t, r.field(0, f), f)
		}
		assert.Equal(t, "[]", a.do("GET", "/admin/v1/costs/anomalies?tenant_id=unknown", nil).is(200).text)

		r = a.do("GET", "/admin/v1/usage/monthly", nil).is(200)
		assert.Equal(
			t,
			[]any{"2026-11", json.Number("22"), json.Number("23")},
			[]any{r.field("month"), r.field("governed_calls"), r.field("total_cost")},
		)
		assert.Equal(t, "2026-10", a.sendAs("viewer@acme", "GET", "/admin/v1/usage/monthly?month=2026-10", nil).is(200).str("month"))
		a.do("GET", "/admin/v1/usage/monthly?month=2026-1", nil).requireRefusal(400, "invalid_value")
	})
}
