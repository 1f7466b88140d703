package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

const pricePath = "/admin/v1/pricing"

func TestAPriceIsMadeReadChangedAndRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		before, err := a.db.Config().ReadVersion(t.Context())
		assert.NoError(t, err)
		r := a.do(
			"POST",
			pricePath,
			`{"model":"gpt-4o*","provider":"openai","inputPricePerMillion":2.5000000001,"outputPricePerMillion":10}`,
		).is(
			201,
		)
		path := pricePath + "/" + r.str("id")
		assert.Equal(t, path, r.header.Get("Location"))
		assert.Equal(t, json.Number("2.5000000001"), r.field("inputPricePerMillion"), "all digits are kept")
		assert.Equal(t, json.Number("10"), r.field("outputPricePerMillion"))
		for _, f := range []string{"effectiveDate", "createdAt", "updatedAt"} {
			assert.NotEmpty(t, r.str(f))
		}
		assert.JSONEq(t, r.text, a.do("GET", path, nil).is(200).text)
		old := r.header.Get("ETag")

		r = a.do(
			"PUT",
			path,
			`{"inputPricePerMillion":3,"cachedInputPricePerMillion":1.5,"batchPercent":50,"effectiveDate":"2027-01-01"}`,
			"If-Match",
			old,
		).is(
			200,
		)
		assert.Equal(
			t,
			[]any{json.Number("3"), json.Number("10"), json.Number("1.5"), "2027-01-01T00:00:00Z"},
			[]any{
				r.field("inputPricePerMillion"),
				r.field("outputPricePerMillion"),
				r.field("cachedInputPricePerMillion"),
				r.field("effectiveDate"),
			},
		)
		a.do("PUT", path, `{"model":"x"}`, "If-Match", old).requireRefusal(412, "precondition_failed")

		list := a.do("GET", pricePath, nil).is(200)
		assert.Equal(t, "list", list.str("object"))
		assert.Equal(t, 2, list.len("data"), "the price of the file is listed")
		assert.Equal(t, 1, a.do("GET", pricePath+"?provider=openai&model=gpt-4o*", nil).is(200).len("data"))
		assert.Equal(t, 0, a.do("GET", pricePath+"?model=nothing", nil).is(200).len("data"))
		assert.Equal(t, true, a.do("GET", pricePath+"?limit=1", nil).is(200).field("has_more"))

		a.do("DELETE", path, nil).is(204)
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			var body any
			if method == "PUT" {
				body = `{}`
			}
			a.do(method, path, body).requireRefusal(404, "pricing_not_found")
		}
		after, err := a.db.Config().ReadVersion(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, before+3, after, "each change advances the configuration version")
		assert.Equal(t, []string{"CONFIG_CHANGED", "CONFIG_CHANGED", "CONFIG_CHANGED"}, a.events("")[:3])
	})
}

func TestAPriceNeedsAllFourAndMakesSense(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for name, c := range map[string]struct{ body, code, says string }{
			"no model":           {`{"provider":"p","inputPricePerMillion":1,"outputPricePerMillion":1}`, "missing_required_parameter", "model is missing"},
			"no provider":        {`{"model":"m","inputPricePerMillion":1,"outputPricePerMillion":1}`, "missing_required_parameter", "provider is missing"},
			"no input price":     {`{"model":"m","provider":"p","outputPricePerMillion":1}`, "missing_required_parameter", "inputPricePerMillion is missing"},
			"no output price":    {`{"model":"m","provider":"p","inputPricePerMillion":1}`, "missing_required_parameter", "outputPricePerMillion is missing"},
			"a negative price":   {`{"model":"m","provider":"p","inputPricePerMillion":-1,"outputPricePerMillion":1}`, "invalid_value", "inputPricePerMillion"},
			"too fine":           {`{"model":"m","provider":"p","inputPricePerMillion":0.00000000001,"outputPricePerMillion":1}`, "invalid_value", "more than 10 decimal places"},
			"too large":          {`{"model":"m","provider":"p","inputPricePerMillion":1e300,"outputPricePerMillion":1}`, "invalid_value", ""},
			"a text":             {`{"model":"m","provider":"p","inputPricePerMillion":"x","outputPricePerMillion":1}`, "invalid_value", "inputPricePerMillion"},
			"an invalid date":    {`{"model":"m","provider":"p","inputPricePerMillion":1,"outputPricePerMillion":1,"effectiveDate":"soon"}`, "invalid_value", "effectiveDate"},
			"an unknown field":   {`{"model":"m","provider":"p","inputPricePerMillion":1,"outputPricePerMillion":1,"price":1}`, "invalid_value", "price: unknown field"},
			"a blank model":      {`{"model":" ","provider":"p","inputPricePerMillion":1,"outputPricePerMillion":1}`, "invalid_value", "model"},
			"a batch share of 0": {`{"model":"m","provider":"p","inputPricePerMillion":1,"outputPricePerMillion":1,"batchPercent":0}`, "invalid_value", "batchPercent"},
		} {
			assert.Contains(t, a.do("POST", pricePath, c.body).requireRefusal(400, c.code), c.says, name)
		}
	})
}

func TestPricesAreForBillingAndThoseOfTheFileStay(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.sendAs("billing-admin", "GET", pricePath+"/fileprice", nil).is(200)
		a.sendAs("billing-admin", "PUT", pricePath+"/fileprice", `{"model":"x"}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.sendAs("billing-admin", "DELETE", pricePath+"/fileprice", nil).requireRefusal(409, "MANAGED_BY_FILE")
		a.sendAs("viewer@t", "GET", pricePath, nil).requireRefusal(403, "FORBIDDEN")
		a.sendAs("policy-admin", "POST", pricePath, `{}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("", "GET", pricePath, nil).requireRefusal(401, "UNAUTHORIZED")
	})
}
