package rest_test

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const chargebackPath = "/admin/v1/chargeback"

func TestChargebackTakesALicence(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.do("POST", chargebackPath, `{"from":"2026-11-01","to":"2026-12-01"}`).requireRefusal(400, "CHARGEBACK_NOT_AVAILABLE")
		a.do("GET", chargebackPath, nil).requireRefusal(400, "CHARGEBACK_NOT_AVAILABLE")
		a.do("GET", chargebackPath+"/x/pdf", nil).requireRefusal(400, "CHARGEBACK_NOT_AVAILABLE")
	})
}

func TestAChargebackReportIsMadeReadAndRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{"chargeback": true}
		a.tenantAs("acme")
		a.keyAs("acme", "k1")
		a.spend("acme", "k1", "openai", "gpt-4o", start, 10_000_000_000, 20_000_000_001)
		a.spend("other", "k2", "openai", "gpt-4o-mini", start, 4)
		r := a.sendAs("billing-admin", "POST", chargebackPath, `{"from":"2026-11-01","to":"2026-12-01"}`).is(201)
		id := r.str("id")
		path := chargebackPath + "/" + id
		assert.Equal(t, path, r.header.Get("Location"))
		assert.Equal(
			t,
			[]any{nil, "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", "2026-11-22T12:00:00Z"},
			[]any{r.field("tenant_id"), r.field("from"), r.field("to"), r.field("generated_at")},
		)
		assert.Equal(t, "user:billing-admin", r.str("generated_by"), "an id, as in compliance reports")
		assert.Equal(t, json.Number("3.0000000005"), r.field("sections", "total", "totalCost"))
		for section, n := range map[string]int{"tenantSummary": 2, "apiKeySummary": 2, "modelSummary": 2, "providerSummary": 1, "dailyBreakdown": 30, "anomalies": 0} {
			assert.Equal(t, n, r.len("sections", section), section)
		}
		assert.Equal(t, 2, r.len("sections", "forecast", "trailing7d"))
		assert.Equal(t, 2, r.len("sections", "forecast", "trailing30d"))
		assert.Equal(
			t,
			[]any{"k1", "k1", "gw_x"},
			[]any{
				r.field("sections", "apiKeySummary", 0, "apiKeyId"),
				r.field("sections", "apiKeySummary", 0, "apiKeyName"),
				r.field("sections", "apiKeySummary", 0, "apiKeyPrefix"),
			},
		)
		assert.JSONEq(t, r.text, a.do("GET", path, nil).is(200).text)

		one := a.do("POST", chargebackPath, `{"tenant_id":"acme","from":"2026-11-01","to":"2026-12-01"}`).is(201)
		assert.Equal(t, json.Number("3.0000000001"), one.field("sections", "total", "totalCost"))
		list := a.do("GET", chargebackPath, nil).is(200)
		assert.Equal(t, 2, list.len("data"))
		assert.NotContains(t, list.text, "sections")
		assert.Equal(t, 1, a.do("GET", chargebackPath+"?tenant_id=acme", nil).is(200).len("data"))

		pdf := a.do("GET", path+"/pdf", nil).is(200)
		assert.Equal(
			t,
			[]string{"application/pdf", `attachment; filename="chargeback-report-` + id + `.pdf"`},
			[]string{pdf.header.Get("Content-Type"), pdf.header.Get("Content-Disposition")},
		)
		assert.True(t, strings.HasPrefix(pdf.text, "%PDF-"))
		for query, columns := range map[string]int{"": 17, "?format=focus": 30} {
			flat := a.do("GET", path+"/csv"+query, nil).is(200)
			assert.Equal(
				t,
				[]string{"text/csv", `attachment; filename="chargeback-report-` + id + `.csv"`},
				[]string{flat.header.Get("Content-Type"), flat.header.Get("Content-Disposition")},
			)
			rows, err := csv.NewReader(strings.NewReader(flat.text)).ReadAll()
			require.NoError(t, err)
			assert.Len(t, rows[0], columns)
			assert.Greater(t, len(rows), 3)
		}
		a.do("GET", path+"/csv?format=xlsx", nil).requireRefusal(400, "invalid_value")

		a.do("DELETE", path, nil).is(204)
		for _, at := range []string{"", "/pdf", "/csv", "/csv?format=focus"} {
			a.do("GET", path+at, nil).requireRefusal(404, "CHARGEBACK_NOT_FOUND")
		}
		a.do("DELETE", path, nil).requireRefusal(404, "CHARGEBACK_NOT_FOUND")
		assert.Contains(t, a.events(""), "CONFIG_CHANGED")
	})
}

func TestWhatIsWrongWithAChargebackRequestIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{"chargeback": true}
		for body, code := range map[string]string{
			`{"to":"2026-12-01"}`:                           "missing_required_parameter",
			`{"from":"2026-11-01"}`:                         "missing_required_parameter",
			`{"from":"soon","to":"2026-12-01"}`:             "invalid_value",
			`{"from":"2026-12-01","to":"2026-11-01"}`:       "invalid_value",
			`{"from":"2020-12-01","to":"2026-11-01"}`:       "invalid_value",
			`{"from":"2026-11-01","to":"2026-12-01","x":1}`: "invalid_value",
		} {
			a.do("POST", chargebackPath, body).requireRefusal(400, code)
		}
		a.do("POST", chargebackPath, `{"tenant_id":"nobody","from":"2026-11-01","to":"2026-12-01"}`).requireRefusal(404, "not_found")
		a.sendAs("admin@acme", "GET", chargebackPath, nil).requireRefusal(403, "FORBIDDEN")
		a.sendAs("policy-admin", "POST", chargebackPath, `{}`).requireRefusal(403, "FORBIDDEN")
	})
}
