package contract_test

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pricing = "/admin/v1/pricing"

var pricingRows = rows{
	"admin.pricing.create": func(t *T) {
		a := t.owner().post(
			pricing,
			m{"model": t.name("m"), "provider": "mock", "inputPricePerMillion": 2.5, "outputPricePerMillion": 10},
		).is(
			201,
		)
		assert.InDelta(t, 10, t.number(a.object(), "outputPricePerMillion"), 0)
		assert.Equal(t, pricing+"/"+t.id(a.object()), a.header.Get("Location"))
	},
	"admin.pricing.list": func(t *T) {
		model := t.name("m")
		made := t.price(model)
		for _, query := range []string{"", "?model=" + model, "?provider=mock", "?model=" + model + "&provider=mock"} {
			t.requireRecord(t.owner().get(pricing+query).is(200).list(), "id", t.id(made))
		}
		assert.Len(t, t.owner().get(pricing+"?model="+model).is(200).list(), 1)
		assert.Empty(t, t.owner().get(pricing+"?model="+model+"&provider=openai").is(200).list())
	},
	"admin.pricing.get": func(t *T) {
		made := t.price(t.name("m"))
		t.requireSame(
			made,
			t.owner().get(pricing+"/"+t.id(made)).is(200).object(),
			"id",
			"model",
			"provider",
			"inputPricePerMillion",
			"outputPricePerMillion",
		)
		t.owner().get(pricing+"/nothing").requireRefusal(404, "not_found_error", "pricing_not_found")
	},
	"admin.pricing.update": func(t *T) {
		made := t.price(t.name("m"))
		path := pricing + "/" + t.id(made)
		o := t.owner().put(path, m{"outputPricePerMillion": 0.0000125}).is(200).object()
		assert.InDelta(t, 0.0000125, o["outputPricePerMillion"], 1e-15)
		t.requireSame(made, o, "id", "model", "provider", "inputPricePerMillion", "createdAt")
		t.owner().put(pricing+"/nothing", m{"model": "x"}).requireRefusal(404, "not_found_error", "pricing_not_found")
	},
	"admin.pricing.delete": func(t *T) {
		path := pricing + "/" + t.id(t.price(t.name("m")))
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.owner().get(path).requireRefusal(404, "not_found_error", "pricing_not_found")
		t.owner().delete(path).requireRefusal(404, "not_found_error", "pricing_not_found")
	},
	"pricing.fields": func(t *T) {
		model := t.name("m") + "-*"
		o := t.owner().post(pricing, m{
			"model": model, "provider": "mock", "inputPricePerMillion": 2.5, "outputPricePerMillion": 10.25, "effectiveDate": "2026-01-01T00:00:00Z",
		}).is(201).object()
		o = t.owner().get(pricing + "/" + t.id(o)).is(200).object()
		assert.Equal(t, model, o["model"])
		assert.Equal(t, "mock", o["provider"])
		assert.InDelta(t, 2.5, o["inputPricePerMillion"], 1e-9)
		assert.InDelta(t, 10.25, o["outputPricePerMillion"], 1e-9)
		assert.Equal(t, 2026, t.time(o, "effectiveDate").Year())
		t.time(o, "createdAt")
		t.time(o, "updatedAt")
	},
	"pricing.required": func(t *T) {
		whole := m{"model": t.name("m"), "provider": "mock", "inputPricePerMillion": 1, "outputPricePerMillion": 2}
		for field := range whole {
			body := m{}
			for f, v := range whole {
				if f != field {
					body[f] = v
				}
			}
			assert.Contains(t, t.owner().post(pricing, body).requireRefusal(400, "invalid_request_error", ""), field)
		}
		whole["inputPricePerMillion"] = -1
		t.owner().post(pricing, whole).requireRefusal(400, "invalid_request_error", "")
	},
	"error.pricing_not_found": func(t *T) {
		t.owner().get(pricing+"/"+t.name("none")).requireRefusal(404, "not_found_error", "pricing_not_found")
	},
}

// spent creates a tenant with the cost of n requests to a model with its own price.
func (t *T) spent(n int) (tenant, model string, key m) {
	t.Helper()
	defer t.honest()()
	tenant, model = t.tenant(), "mock-"+t.name("priced")
	t.price(model)
	key = t.key(tenant)
	c := t.bearer(t.text(key, "key")).addHeader("X-Cache-Control", "no-cache") // cached answers cost nothing
	t.eventually("the price is in force", func() bool {
		o := c.post("/v1/budget/estimate", m{"model": model, "max_tokens": 1000}).is(200).object()
		cost, _ := o["estimated_cost_usd"].(float64)
		return cost > 0
	})
	for range n {
		c.chat(model, "what does this cost")
	}
	t.eventually("the costs are booked", func() bool {
		return len(t.owner().get(costs+"?tenantId="+tenant).is(200).array()) >= n
	})
	return tenant, model, key
}

const costs = "/admin/v1/costs"

var costRows = rows{
	"admin.costs.list": func(t *T) {
		tenant, model, key := t.spent(2)
		for _, query := range []string{"?tenantId=" + tenant, "?model=" + model, "?tenantId=" + tenant + "&provider=mock&model=" + model} {
			assert.Len(t, t.owner().get(costs+query).is(200).array(), 2, query)
		}
		assert.Len(t, t.owner().get(costs+"?tenantId="+tenant+"&apiKey="+t.id(key)).is(200).array(), 2)
		assert.Empty(t, t.owner().get(costs+"?tenantId="+tenant+"&provider=openai").is(200).array())
		assert.Empty(t, t.owner().get(costs+"?tenantId="+t.tenant()).is(200).array())
	},
	"admin.costs.summary": func(t *T) {
		tenant, model, _ := t.spent(2)
		for _, query := range []string{"?tenantId=" + tenant, "?tenantId=" + tenant + "&model=" + model + "&provider=mock", "?tenantId=" + tenant + "&from=2026-01-01T00:00:00Z&to=2099-01-01T00:00:00Z"} {
			assert.EqualValues(t, 2, t.owner().get(costs + "/summary" + query).is(200).object()["requestCount"], query)
		}
		assert.EqualValues(
			t,
			0,
			t.owner().get(costs + "/summary?tenantId=" + tenant + "&to=2020-01-01T00:00:00Z").is(200).object()["requestCount"],
		)
		t.owner().get(costs+"/summary?from=yesterday").requireRefusal(400, "invalid_request_error", "")
	},
	"admin.costs.forecast": func(t *T) {
		tenant, _, _ := t.spent(1)
		l := t.owner().get(costs + "/forecast?tenant_id=" + tenant + "&trailing_days=14").is(200).array()
		require.NotEmpty(t, l)
		for _, v := range l {
			assert.Equal(t, tenant, v.(m)["tenantId"])
			assert.EqualValues(t, 14, v.(m)["trailingDays"])
		}
		t.owner().get(costs+"/forecast?trailing_days=many").requireRefusal(400, "invalid_request_error", "")
	},
	"admin.costs.anomalies": func(t *T) {
		tenant := t.tenant()
		assert.Empty(t, t.owner().get(costs+"/anomalies?tenant_id="+tenant).is(200).array())
		t.owner().get(costs + "/anomalies").is(200).array()
	},
	"cost.record": func(t *T) {
		tenant, model, _ := t.spent(1)
		records := t.owner().get(costs + "?tenantId=" + tenant).is(200).array()
		require.Len(t, records, 1)
		o := records[0].(m)
		for field, want := range (m{"tenantId": tenant, "model": model, "provider": "mock", "currency": "USD"}) {
			assert.Equal(t, want, o[field], field)
		}
		t.text(o, "id")
		t.text(o, "apiKey")
		t.text(o, "pricingId")
		t.time(o, "timestamp")
		in, out := t.number(o, "inputTokens"), t.number(o, "outputTokens")
		assert.Positive(t, in)
		assert.Positive(t, out)
		assert.InDelta(t, in*1000/1e6, t.number(o, "inputCost"), 1e-9)
		assert.InDelta(t, out*2000/1e6, t.number(o, "outputCost"), 1e-9)
		assert.InDelta(t, t.number(o, "inputCost")+t.number(o, "outputCost"), t.number(o, "totalCost"), 1e-12)
	},
	"cost.summary": func(t *T) {
		tenant, _, _ := t.spent(3)
		o := t.owner().get(costs + "/summary?tenantId=" + tenant).is(200).object()
		assert.Equal(t, tenant, o["tenantId"])
		t.fields(o, "model", "provider")
		assert.Nil(t, o["model"])
		assert.EqualValues(t, 3, o["requestCount"])
		var cost, in, out float64
		for _, v := range t.owner().get(costs + "?tenantId=" + tenant).is(200).array() {
			cost += t.number(v.(m), "totalCost")
			in += t.number(v.(m), "inputTokens")
			out += t.number(v.(m), "outputTokens")
		}
		assert.InDelta(t, cost, t.number(o, "totalCost"), 1e-9, "the sum of the records is the summary")
		assert.InDelta(t, in, o["totalInputTokens"], 0)
		assert.InDelta(t, out, o["totalOutputTokens"], 0)
		assert.InDelta(t, t.number(o, "totalCost"), t.number(o, "totalInputCost")+t.number(o, "totalOutputCost"), 1e-9)
	},
	"cost.forecast": func(t *T) {
		tenant, model, _ := t.spent(1)
		o := t.requireRecord(t.owner().get(costs+"/forecast?tenant_id="+tenant).is(200).array(), "model", model)
		assert.Equal(t, tenant, o["tenantId"])
		assert.GreaterOrEqual(t, t.number(o, "dailyAverage"), 0.0)
		assert.GreaterOrEqual(t, t.number(o, "projectedMonthEnd"), 0.0)
		t.text(o, "trend")
		t.time(o, "computedAt")
	},
	"limit.forecast_window": func(t *T) {
		tenant, _, _ := t.spent(1)
		l := t.owner().get(costs + "/forecast?tenant_id=" + tenant).is(200).array()
		require.NotEmpty(t, l)
		assert.EqualValues(t, 7, l[0].(m)["trailingDays"])
	},
}
