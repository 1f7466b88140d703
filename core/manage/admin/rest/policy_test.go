package rest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

const denies = "version: 1\nrules:\n  - id: no-big\n    conditions:\n      model.denylist: [\"big-*\"]\n    action: DENY\n    deny_message: too big\n"

func TestAPolicyGoesThroughItsStates(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		clock := store.WithClock(func() time.Time { return start }) // by today's time the events below would be too old to keep
		a := newAPI(t, storetest.Open(t, url, clock))
		r := a.do("POST", "/admin/v1/policies", map[string]string{"name": "p", "dsl": denies}).is(201)
		path, id := r.header.Get("Location"), r.str("id")
		assert.Equal(t, "DRAFT", r.str("status"))
		assert.Equal(t, json.Number("1"), r.field("version"))
		assert.JSONEq(t, r.text, a.do("GET", path, nil).is(200).text)
		a.do("POST", path+"/promote", nil).requireRefusal(400, "invalid_value")

		r = a.do("PUT", path, map[string]string{"description": "d"}).is(200)
		assert.Equal(t, json.Number("2"), r.field("version"))
		assert.Equal(t, "DRAFT", r.str("status"))
		a.do("POST", path+"/status", `{"status":"SHADOW"}`).is(200)
		r = a.do("POST", path+"/rollback", `{"version":1}`).is(200)
		assert.Equal(t, json.Number("3"), r.field("version"))
		assert.Equal(t, "SHADOW", r.str("status"), "a rollback keeps the state")
		assert.Empty(t, r.str("description"))

		require.NoError(t, a.db.ShadowEvents().Insert(t.Context(), []policydoc.ShadowEvent{
			{
				Policy:     id,
				Rule:       "no-big",
				Request:    "r",
				Tenant:     "t",
				Model:      "big-1",
				Active:     "ALLOWED",
				Shadow:     "DENIED",
				Diverged:   true,
				Divergence: "shadow_deny_active_allow",
				At:         start.Add(-time.Minute),
			},
			{Policy: id, Request: "r2", Tenant: "t", Model: "m", Active: "ALLOWED", Shadow: "ALLOWED", At: start.Add(-2 * time.Hour)},
		}))
		st := a.do("GET", path+"/shadow/stats", nil).is(200)
		assert.Equal(t, "24h", st.str("period"))
		assert.Equal(t, json.Number("2"), st.field("total_evaluations"))
		assert.Equal(t, json.Number("0.5"), st.field("divergence_rate"))
		assert.Equal(t, "no-big", st.str("by_rule", 0, "rule_id"))
		assert.Equal(t, json.Number("1"), a.do("GET", path+"/shadow/stats?period=1h", nil).is(200).field("total_evaluations"))
		a.do("GET", path+"/shadow/stats?period=1y", nil).requireRefusal(400, "invalid_value")
		e := a.do("GET", path+"/shadow/events", nil).is(200)
		require.Equal(t, 1, e.len("data"), "divergent evaluations by default")
		assert.Equal(t, "shadow_deny_active_allow", e.str("data", 0, "divergence_type"))
		assert.Equal(t, "r2", a.do("GET", path+"/shadow/events?diverged=false", nil).is(200).str("data", 0, "request_id"))

		p := a.sendAs("policy-admin", "POST", path+"/promote", nil).is(200)
		assert.Equal(t, "ACTIVE", p.str("status"))
		assert.Equal(t, json.Number("4"), p.field("version"))
		assert.Equal(t, 0, p.len("warnings"))
		assert.Equal(t, 0, a.do("GET", path+"/shadow/events", nil).is(200).len("data"), "promotion deletes the events")
		assert.Equal(t, 4, a.do("GET", path+"/versions", nil).is(200).len("data"))

		a.do("POST", path+"/status", `{"status":"GONE"}`).requireRefusal(400, "invalid_value")
		a.do("DELETE", path, nil).is(204)
		a.do("GET", path+"/versions", nil).requireRefusal(404, "not_found")
		for _, p := range []string{"", "/shadow/stats", "/shadow/events"} {
			a.do("GET", path+p, nil).requireRefusal(404, "not_found")
		}
	})
}

func TestActivationWarnsAndDoesNotStop(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		one := a.do("POST", "/admin/v1/policies", map[string]string{"name": "one", "dsl": denies}).is(201).header.Get("Location")
		two := a.do("POST", "/admin/v1/policies", map[string]string{"name": "two", "dsl": denies}).is(201).header.Get("Location")
		a.do("POST", one+"/status", `{"status":"ACTIVE"}`).is(200)
		r := a.do("POST", two+"/status", `{"status":"ACTIVE"}`).is(200)
		assert.Equal(t, "ACTIVE", r.str("status"))
		require.Positive(t, r.len("warnings"))
		assert.Regexp(t, `^[A-Z_]+: `, r.str("warnings", 0))
	})
}

func TestAPolicyIsTriedWithoutBeingStored(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.sendAs("developer@t", "POST", "/admin/v1/policies/dry-run", map[string]string{"dsl": denies, "model": "big-1"}).is(200)
		assert.Equal(t, "DENIED", r.str("status"))
		assert.Equal(t, "no-big", r.str("rule_id"))
		assert.Equal(t, "too big", r.str("reason"))
		r.field("evaluation_time_ms")
		a.do("POST", "/admin/v1/policies/dry-run", map[string]string{"dsl": "version: [", "model": "m"}).requireRefusal(400, "invalid_value")
		a.do("POST", "/admin/v1/policies/dry-run", `{}`).requireRefusal(400, "missing_required_parameter")
		a.sendAs("viewer@t", "POST", "/admin/v1/policies/dry-run", map[string]string{"dsl": denies}).requireRefusal(403, "FORBIDDEN")
		a.sendAs(
			"developer@t",
			"POST",
			"/admin/v1/policies/dry-run",
			map[string]string{"dsl": denies, "tenant_id": "u"},
		).requireRefusal(
			403,
			"TENANT_SCOPE_VIOLATION",
		)
		assert.Equal(t, 0, a.do("GET", "/admin/v1/policies", nil).is(200).len("data"))
	})
}

func TestPoliciesOfAnotherTenantAreOutOfReach(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		one := a.do("POST", "/admin/v1/tenants", `{"name":"one"}`).is(201).str("id")
		two := a.do("POST", "/admin/v1/tenants", `{"name":"two"}`).is(201).str("id")
		mine := a.do(
			"POST",
			"/admin/v1/policies",
			map[string]string{"name": "mine", "tenant_id": one, "dsl": denies},
		).is(
			201,
		).header.Get(
			"Location",
		)
		a.do("POST", "/admin/v1/policies", map[string]string{"name": "all", "dsl": denies}).is(201)
		a.do("POST", "/admin/v1/policies", map[string]string{"name": "x", "tenant_id": "nobody", "dsl": denies}).requireRefusal(404, "not_found")
		assert.Equal(t, 1, a.sendAs("viewer@"+one, "GET", "/admin/v1/policies", nil).is(200).len("data"))
		assert.Equal(t, 0, a.sendAs("viewer@"+two, "GET", "/admin/v1/policies", nil).is(200).len("data"))
		assert.Equal(t, 1, a.do("GET", "/admin/v1/policies?tenant_id="+one, nil).is(200).len("data"))
		a.sendAs("viewer@"+two, "GET", "/admin/v1/policies?tenant_id="+one, nil).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		a.sendAs("viewer@"+two, "GET", mine, nil).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		a.sendAs("viewer@"+one, "GET", mine, nil).is(200)
		a.sendAs("admin@"+one, "PUT", mine, `{"name":"x"}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("billing-admin", "GET", mine, nil).requireRefusal(403, "FORBIDDEN")
		a.do("PUT", mine, `{"name":"x"}`, "If-Match", `"old"`).requireRefusal(412, "precondition_failed")
		a.do("DELETE", mine, nil, "If-Match", `"old"`).requireRefusal(412, "precondition_failed")
	})
}

func TestATenantSeesItsOwnTrafficAloneOfAPolicyOfThePlatformInShadow(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		clock := store.WithClock(func() time.Time { return start }) // by today's time the events below would be too old to keep
		a := newAPI(t, storetest.Open(t, url, clock))
		own := a.tenant("own")
		r := a.do("POST", "/admin/v1/policies", map[string]string{"name": "p", "dsl": denies}).is(201)
		path, id := r.header.Get("Location"), r.str("id")
		a.do("POST", path+"/status", `{"status":"SHADOW"}`).is(200)
		event := func(tenant, request string) policydoc.ShadowEvent {
			return policydoc.ShadowEvent{
				Policy:     id,
				Rule:       "no-big",
				Request:    request,
				Tenant:     tenant,
				Model:      "big-1",
				Active:     "ALLOWED",
				Shadow:     "DENIED",
				Diverged:   true,
				Divergence: "shadow_deny_active_allow",
				At:         start.Add(-time.Minute),
			}
		}
		require.NoError(
			t,
			a.db.ShadowEvents().Insert(
				t.Context(),
				[]policydoc.ShadowEvent{event(own, "mine"), event("another", "theirs"), event("another", "theirs")},
			),
		)
		e := a.sendAs("viewer@"+own, "GET", path+"/shadow/events", nil).is(200)
		require.Equal(t, 1, e.len("data"), e.text)
		assert.Equal(t, "mine", e.str("data", 0, "request_id"))
		assert.Equal(t, json.Number("1"), a.sendAs("viewer@"+own, "GET", path+"/shadow/stats", nil).is(200).field("total_evaluations"))
		assert.Equal(t, 3, a.do("GET", path+"/shadow/events", nil).is(200).len("data"))
		assert.Equal(t, json.Number("3"), a.do("GET", path+"/shadow/stats", nil).is(200).field("total_evaluations"))
	})
}
