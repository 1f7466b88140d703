package rest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const budgetPath = "/admin/v1/budgets"

func TestABudgetIsMadeReadChangedAndRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.tenantAs("acme")
		a.keyAs("acme", "k1")
		r := a.do(
			"POST",
			budgetPath,
			`{"name":"acme-monthly","tenantId":"acme","apiKeyId":null,"period":"MONTHLY","limitUsd":0.1,"softLimitPct":80}`,
		).is(
			201,
		)
		path := budgetPath + "/" + r.str("id")
		assert.Equal(t, []any{path, "acme", nil, json.Number("0.1"), json.Number("80"), true, json.Number("1")}, []any{
			r.header.Get(
				"Location",
			),
			r.field("tenantId"),
			r.field("apiKeyId"),
			r.field("limitUsd"),
			r.field("softLimitPct"),
			r.field("enabled"),
			r.field("version"),
		})
		assert.JSONEq(t, r.text, a.do("GET", path, nil).is(200).text)
		old := r.header.Get("ETag")
		r = a.do("PUT", path, `{"limitUsd":0.2,"enabled":false}`, "If-Match", old).is(200)
		assert.Equal(
			t,
			[]any{"acme-monthly", json.Number("0.2"), false, json.Number("2")},
			[]any{r.field("name"), r.field("limitUsd"), r.field("enabled"), r.field("version")},
		)
		a.do("PUT", path, `{"name":"x"}`, "If-Match", old).requireRefusal(412, "precondition_failed")
		a.do("PUT", path, `{"tenantId":"other"}`).requireRefusal(400, "invalid_value")

		ofKey := a.do("POST", budgetPath, `{"name":"k","apiKeyId":"k1","limitUsd":1,"period":"DAILY"}`).is(201)
		assert.Equal(t, "acme", ofKey.str("tenantId"), "the budget belongs to the key's tenant")
		assert.Equal(t, 3, a.do("GET", budgetPath, nil).is(200).len("data"), "the budget of the file is listed")
		assert.Equal(t, 2, a.do("GET", budgetPath+"?tenantId=acme", nil).is(200).len("data"))
		assert.Equal(t, 1, a.do("GET", budgetPath+"?apiKeyId=k1", nil).is(200).len("data"))
		assert.Equal(t, 2, a.sendAs("viewer@acme", "GET", budgetPath, nil).is(200).len("data"))
		a.sendAs("viewer@other", "GET", path, nil).requireRefusal(404, "BUDGET_NOT_FOUND")
		a.sendAs("viewer@acme", "PUT", path, `{}`).requireRefusal(403, "FORBIDDEN")

		a.do("DELETE", path, nil).is(204)
		for _, at := range []string{path, path + "/usage"} {
			a.do("GET", at, nil).requireRefusal(404, "BUDGET_NOT_FOUND")
		}
		a.do("PUT", path, `{}`).requireRefusal(404, "BUDGET_NOT_FOUND")
		a.do("DELETE", path, nil).requireRefusal(404, "BUDGET_NOT_FOUND")
		a.do("PUT", budgetPath+"/filebudget", `{}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.do("DELETE", budgetPath+"/filebudget", nil).requireRefusal(409, "MANAGED_BY_FILE")
	})
}

func TestWhatIsWrongWithABudgetIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.tenantAs("acme")
		for name, c := range map[string]struct{ body, code, says string }{
			"no name":           {`{"limitUsd":1}`, "missing_required_parameter", "name is missing"},
			"no limit":          {`{"name":"a"}`, "missing_required_parameter", "limitUsd is missing"},
			"a negative limit":  {`{"name":"a","limitUsd":-1}`, "invalid_value", "limitUsd"},
			"an unknown period": {`{"name":"a","limitUsd":1,"period":"YEARLY"}`, "invalid_value", "period"},
			"an invalid share":  {`{"name":"a","limitUsd":1,"softLimitPct":101}`, "invalid_value", "softLimitPct"},
			"an unknown tenant": {`{"name":"a","limitUsd":1,"tenantId":"nobody"}`, "invalid_value", "tenantId"},
			"an unknown key":    {`{"name":"a","limitUsd":1,"tenantId":"acme","apiKeyId":"nobody"}`, "invalid_value", "apiKeyId"},
			"an unknown field":  {`{"name":"a","limitUsd":1,"limit":1}`, "invalid_value", "limit: unknown field"},
		} {
			assert.Contains(t, a.do("POST", budgetPath, c.body).requireRefusal(400, c.code), c.says, name)
		}
	})
}

func TestTheUsageOfABudgetIsWhatItsPeriodHasCost(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.tenantAs("acme")
		a.spend("acme", "k1", "openai", "gpt-4o", start, 10_000_000_000, 20_000_000_000)
		a.spend("other", "k2", "openai", "gpt-4o", start, 40_000_000_000)
		a.spend("acme", "k1", "openai", "gpt-4o", time.Date(2026, 10, 31, 23, 59, 59, 0, time.UTC), 50_000_000_000)
		id := a.do("POST", budgetPath, `{"name":"m","tenantId":"acme","limitUsd":4,"softLimitPct":80}`).is(201).str("id")
		r := a.do("GET", budgetPath+"/"+id+"/usage", nil).is(200)
		assert.Equal(
			t,
			[]any{
				id,
				"m",
				"MONTHLY",
				json.Number("4"),
				json.Number("3.2"),
				json.Number("3"),
				json.Number("1"),
				json.Number("75"),
				"2026-11-01T00:00:00Z",
				"2026-12-01T00:00:00Z",
			},
			[]any{
				r.field(
					"budgetId",
				),
				r.field("name"),
				r.field("period"),
				r.field("limitUsd"),
				r.field("softLimitUsd"),
				r.field("currentSpend"),
				r.field("remainingUsd"),
				r.field("utilizationPct"),
				r.field("periodStart"),
				r.field("periodEnd"),
			},
		)
		r = a.do("GET", budgetPath+"/filebudget/usage", nil).is(200)
		assert.Equal(
			t,
			[]any{json.Number("7"), json.Number("-2"), json.Number("140"), nil},
			[]any{r.field("currentSpend"), r.field("remainingUsd"), r.field("utilizationPct"), r.field("softLimitUsd")},
		)
	})
}
