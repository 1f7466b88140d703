package contract_test

import (
	"strconv"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const budgets = "/admin/v1/budgets"

var budgetRows = rows{
	"admin.budgets.create": func(t *T) {
		tenant := t.tenant()
		o := t.budget(tenant)
		assert.Equal(t, tenant, o["tenantId"])
		assert.EqualValues(t, 1, o["version"])
		assert.Contains(
			t,
			t.owner().post(
				budgets,
				m{"name": "b", "tenantId": "nobody", "period": "MONTHLY", "limitUsd": 1},
			).requireRefusal(
				400,
				"invalid_request_error",
				"",
			),
			"tenant",
		)
		t.owner().post(
			budgets,
			m{"name": "b", "tenantId": tenant, "period": "SOMETIMES", "limitUsd": 1},
		).requireRefusal(
			400,
			"invalid_request_error",
			"",
		)
		t.owner().post(budgets, m{"name": "b", "tenantId": tenant, "period": "MONTHLY", "limitUsd": -1}).requireRefusal(400, "invalid_request_error", "")
	},
	"admin.budgets.list": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		one := t.budget(tenant)
		two := t.owner().post(budgets, m{"name": "b", "tenantId": tenant, "apiKeyId": t.id(k), "period": "DAILY", "limitUsd": 5}).is(201).object()
		l := t.owner().get(budgets + "?tenantId=" + tenant).is(200).list()
		require.Len(t, l, 2)
		t.requireRecord(l, "id", t.id(one))
		l = t.owner().get(budgets + "?tenantId=" + tenant + "&apiKeyId=" + t.id(k)).is(200).list()
		require.Len(t, l, 1)
		t.requireRecord(l, "id", t.id(two))
	},
	"admin.budgets.get": func(t *T) {
		made := t.budget(t.tenant())
		t.requireSame(made, t.owner().get(budgets+"/"+t.id(made)).is(200).object(), "id", "name", "limitUsd", "version")
		t.owner().get(budgets+"/nothing").requireRefusal(404, "not_found_error", "BUDGET_NOT_FOUND")
	},
	"admin.budgets.update": func(t *T) {
		made := t.budget(t.tenant())
		path := budgets + "/" + t.id(made)
		o := t.owner().put(path, m{"limitUsd": 75.5, "enabled": false}).is(200).object()
		assert.InDelta(t, 75.5, o["limitUsd"], 1e-9)
		assert.Equal(t, false, o["enabled"])
		assert.EqualValues(t, 2, o["version"])
		t.requireSame(made, o, "id", "name", "period", "softLimitPct", "tenantId", "createdAt")
		t.owner().put(budgets+"/nothing", m{"limitUsd": 1}).requireRefusal(404, "not_found_error", "BUDGET_NOT_FOUND")
	},
	"admin.budgets.delete": func(t *T) {
		path := budgets + "/" + t.id(t.budget(t.tenant()))
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.owner().get(path).requireRefusal(404, "not_found_error", "BUDGET_NOT_FOUND")
		t.owner().delete(path).requireRefusal(404, "not_found_error", "BUDGET_NOT_FOUND")
	},
	"admin.budgets.usage": func(t *T) {
		tenant, model, key := t.spent(1)
		b := t.budget(tenant)
		path := budgets + "/" + t.id(b) + "/usage"
		c := t.bearer(t.text(key, "key"))
		t.eventually("what is spent is counted", func() bool {
			c.chat(model, "one more")
			spend, _ := t.owner().get(path).is(200).object()["currentSpend"].(float64)
			return spend > 0
		})
		t.owner().get(budgets+"/nothing/usage").requireRefusal(404, "not_found_error", "BUDGET_NOT_FOUND")
	},
	"budget.fields": func(t *T) {
		tenant := t.tenant()
		o := t.owner().get(budgets + "/" + t.id(t.budget(tenant))).is(200).object()
		for field, want := range (m{
			"tenantId": tenant, "apiKeyId": nil, "period": "MONTHLY", "limitUsd": 50.0, "softLimitPct": 80.0, "enabled": true, "version": 1.0,
		}) {
			t.fields(o, field)
			assert.Equal(t, want, o[field], field)
		}
		t.text(o, "name")
		t.time(o, "createdAt")
		t.time(o, "updatedAt")
	},
	"budget.usage": func(t *T) {
		b := t.budget(t.tenant())
		o := t.owner().get(budgets + "/" + t.id(b) + "/usage").is(200).object()
		assert.Equal(t, b["id"], o["budgetId"])
		t.requireSame(b, o, "name", "period", "limitUsd")
		for field, want := range (m{"softLimitUsd": 40.0, "currentSpend": 0.0, "remainingUsd": 50.0, "utilizationPct": 0.0}) {
			assert.Equal(t, want, o[field], field)
		}
		assert.True(t, t.time(o, "periodEnd").After(t.time(o, "periodStart")))
		assert.Equal(t, 1, t.time(o, "periodStart").Day())
	},
	"budget.estimate": func(t *T) {
		tenant, model, key := t.spent(1)
		c := t.bearer(t.text(key, "key"))
		o := c.post("/v1/budget/estimate", m{"model": model, "max_tokens": 1000}).is(200).object()
		assert.Positive(t, t.number(o, "estimated_cost_usd"))
		assert.Equal(t, false, o["would_exceed_budget"])
		for _, field := range []string{"budget_remaining_usd", "budget_remaining_tokens", "budget_remaining_pct"} {
			t.fields(o, field)
			assert.Nil(t, o[field], field)
		}
		t.owner().post(
			budgets,
			m{"name": "b", "tenantId": tenant, "period": "MONTHLY", "limitUsd": 1, "softLimitPct": 80, "enabled": true},
		).is(
			201,
		)
		t.eventually("the budget is in force", func() bool {
			o = c.post("/v1/budget/estimate", m{"model": model, "max_tokens": 1000000}).is(200).object()
			return o["budget_remaining_usd"] != nil
		})
		assert.Equal(t, true, o["would_exceed_budget"], "%v", o)
	},
	"header.budget_remaining_pct": func(t *T) {
		tenant, model, key := t.spent(1)
		c := t.bearer(t.text(key, "key"))
		assert.Empty(t, c.chat(model, "hi").header.Values("X-Budget-Remaining-Pct"))
		t.budget(tenant)
		var told string
		t.eventually("the budget alert is delivered", func() bool {
			told = c.chat(model, "hi").header.Get("X-Budget-Remaining-Pct")
			return told != ""
		})
		pct, err := strconv.ParseFloat(told, 64)
		require.NoError(t, err)
		assert.Greater(t, pct, 90.0)
		assert.LessOrEqual(t, pct, 100.0)
	},
	"error.budget_not_found": func(t *T) {
		t.owner().get(budgets+"/"+t.name("none")).requireRefusal(404, "not_found_error", "BUDGET_NOT_FOUND")
	},
}
