package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/manage/admin"
)

func TestARouteHasVersionsAndGoesBack(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/routes", `{"model_pattern":"m-*","providers":[{"provider":"mock"}]}`).is(201)
		path := r.header.Get("Location")
		assert.Equal(t, "/admin/v1/routes/"+r.str("id"), path)
		assert.Equal(t, json.Number("1"), r.field("version"))
		assert.Equal(t, "model-prefix", r.str("strategy"))
		assert.Equal(t, json.Number("1"), r.field("providers", 0, "weight"))
		assert.JSONEq(t, r.text, a.do("GET", path, nil).is(200).text)

		r = a.do(
			"PUT",
			path,
			`{"strategy":"weighted","providers":[{"provider":"mock","weight":0},{"provider":"mock","model_override":"x"}]}`,
		).is(
			200,
		)
		assert.Equal(t, json.Number("2"), r.field("version"))
		assert.Equal(t, json.Number("0"), r.field("providers", 0, "weight"))
		assert.Equal(t, "m-*", r.str("model_pattern"))

		r = a.do("POST", path+"/rollback", `{"version":1}`).is(200)
		assert.Equal(t, json.Number("3"), r.field("version"))
		assert.Equal(t, "model-prefix", r.str("strategy"))
		v := a.do("GET", path+"/versions", nil).is(200)
		assert.Equal(t, 3, v.len("data"))
		for i, want := range []string{"3", "2", "1"} {
			assert.Equal(t, json.Number(want), v.field("data", i, "version"), "newest first")
		}
		assert.Equal(t, "weighted", v.str("data", 1, "strategy"))
		assert.Equal(t, r.str("id"), v.str("data", 0, "route_id"))

		a.do("POST", path+"/rollback", `{"version":9}`).requireRefusal(404, "not_found")
		a.do("POST", path+"/rollback", `{}`).requireRefusal(400, "missing_required_parameter")
		a.do("DELETE", path, nil).is(204)
		a.do("GET", path+"/versions", nil).requireRefusal(404, "not_found")
		a.do("POST", path+"/rollback", `{"version":1}`).requireRefusal(404, "not_found")
		a.do("GET", path, nil).requireRefusal(404, "not_found")
	})
}

func TestARouteOfTheFileIsListedAndKept(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.plane.routes = []admin.Route{{ID: "f", ModelPattern: "x", Source: "file", Version: 1, Providers: []admin.RouteTarget{}}}
		assert.Equal(t, "f", a.do("GET", "/admin/v1/routes", nil).is(200).str("data", 0, "id"))
		assert.Equal(t, "file", a.do("GET", "/admin/v1/routes/f", nil).is(200).str("source"))
		assert.Equal(t, 1, a.do("GET", "/admin/v1/routes/f/versions", nil).is(200).len("data"))
		a.do("PUT", "/admin/v1/routes/f", `{"strategy":"weighted"}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.do("DELETE", "/admin/v1/routes/f", nil).requireRefusal(409, "MANAGED_BY_FILE")
		a.do("POST", "/admin/v1/routes/f/rollback", `{"version":1}`).requireRefusal(409, "MANAGED_BY_FILE")
	})
}

func TestWhatIsWrongWithARouteIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for name, c := range map[string]struct{ body, code string }{
			"no pattern":       {`{"providers":[{"provider":"mock"}]}`, "missing_required_parameter"},
			"no providers":     {`{"model_pattern":"m"}`, "missing_required_parameter"},
			"none of them":     {`{"model_pattern":"m","providers":[]}`, "invalid_value"},
			"unknown provider": {`{"model_pattern":"m","providers":[{"provider":"nobody"}]}`, "invalid_value"},
			"unknown strategy": {`{"model_pattern":"m","strategy":"best","providers":[{"provider":"mock"}]}`, "invalid_value"},
			"negative weight":  {`{"model_pattern":"m","providers":[{"provider":"mock","weight":-1}]}`, "invalid_value"},
			"negative SLA":     {`{"model_pattern":"m","latency_sla_ms":-1,"providers":[{"provider":"mock"}]}`, "invalid_value"},
		} {
			t.Log(name)
			a.do("POST", "/admin/v1/routes", c.body).requireRefusal(400, c.code)
		}
		a.sendAs("viewer@t", "POST", "/admin/v1/routes", `{}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("billing-admin", "GET", "/admin/v1/routes", nil).requireRefusal(403, "FORBIDDEN")
		a.sendAs("policy-admin", "GET", "/admin/v1/routes", nil).is(200)
	})
}

func TestProvidersSayWhatTheyCanDo(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("GET", "/admin/v1/providers/mock/capabilities", nil).is(200)
		assert.Equal(t, true, r.field("supports_streaming"))
		assert.Equal(t, json.Number("8192"), r.field("max_context_tokens"))
		a.do("GET", "/admin/v1/providers/unknown/capabilities", nil).requireRefusal(404, "not_found")

		assert.Equal(t, 0, a.do("GET", "/admin/v1/latency", nil).is(200).len("data"), "without a licence")
		assert.Equal(t, json.Number("0"), a.do("GET", "/admin/v1/priority/stats", nil).is(200).field("data", "maxConcurrent"))
		a.license.features = map[string]bool{"latency": true, "priority": true}
		assert.Equal(t, "mock", a.do("GET", "/admin/v1/latency", nil).is(200).str("data", 0, "provider"))
		r = a.do("GET", "/admin/v1/priority/stats", nil).is(200)
		assert.Equal(t, "priority_stats", r.str("object"))
		assert.Equal(t, json.Number("7"), r.field("data", "maxConcurrent"))
	})
}
