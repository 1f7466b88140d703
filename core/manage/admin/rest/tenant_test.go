package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestATenantIsMadeReadChangedAndRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/tenants", `{"name":"Research","region":"eu","metadata":{"cost":"7"}}`).is(201)
		id := r.str("id")
		assert.Equal(t, "/admin/v1/tenants/"+id, r.header.Get("Location"))
		assert.Equal(t, "active", r.str("status"))
		assert.Equal(t, "api", r.str("source"))
		path := "/admin/v1/tenants/" + id

		got := a.do("GET", path, nil).is(200)
		assert.JSONEq(t, r.text, got.text)
		assert.Equal(t, r.header.Get("ETag"), got.header.Get("ETag"))

		r = a.do("PUT", path, `{"status":"suspended","metadata":{"a":1}}`).is(200)
		assert.Equal(t, "Research", r.str("name"), "omitted fields keep their values")
		assert.Equal(t, "suspended", r.str("status"))
		assert.Equal(t, map[string]any{"a": json.Number("1")}, r.field("metadata"), "metadata is replaced wholesale")
		assert.Equal(t, "list", a.do("GET", "/admin/v1/tenants", nil).is(200).str("object"))
		assert.Positive(t, a.plane.woken.Load(), "the gateway is notified")

		assert.Empty(t, a.do("DELETE", path, nil).is(204).text)
		a.do("GET", path, nil).requireRefusal(404, "not_found")
		a.do("PUT", path, `{"name":"x"}`).requireRefusal(404, "not_found")
		a.do("DELETE", path, nil).requireRefusal(404, "not_found")
		assert.Equal(t, []string{"CONFIG_CHANGED", "CONFIG_CHANGED", "CONFIG_CHANGED"}, a.events(id))
	})
}

func TestWhatIsWrongWithATenantIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for name, c := range map[string]struct{ body, code, says string }{
			"no name":           {`{}`, "missing_required_parameter", "name is missing"},
			"an empty name":     {`{"name":""}`, "invalid_value", "name: write at least 1 character"},
			"a blank name":      {`{"name":"  "}`, "invalid_value", "name: "},
			"a wrong type":      {`{"name":7}`, "invalid_value", "name: write a text in quotes"},
			"an unknown status": {`{"name":"a","status":"closed"}`, "invalid_value", "status: write one of active, suspended"},
			"an unknown field":  {`{"name":"a","colour":"red"}`, "invalid_value", "colour: unknown field"},
			"no JSON":           {`{"name":`, "invalid_value", ""},
			"an array":          {`[]`, "invalid_value", ""},
			"metadata null":     {`{"name":"a","metadata":[1]}`, "invalid_value", "metadata: "},
		} {
			assert.Contains(t, a.do("POST", "/admin/v1/tenants", c.body).requireRefusal(400, c.code), c.says, name)
		}
		assert.Contains(
			t,
			a.do("GET", "/admin/v1/tenants?colour=red", nil).requireRefusal(400, "invalid_value"),
			"colour: unknown query parameter",
		)
		a.do("POST", "/admin/v1/tenants", "name=a", "Content-Type", "text/plain").requireRefusal(415, "unsupported_media_type")
		a.sendAs("", "GET", "/admin/v1/tenants", nil).requireRefusal(401, "UNAUTHORIZED")
	})
}

func TestTheFourthTenantNeedsALicence(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for range 3 {
			a.do("POST", "/admin/v1/tenants", `{"name":"one"}`).is(201)
		}
		r := a.do("POST", "/admin/v1/tenants", `{"name":"more"}`)
		r.requireRefusal(403, "TENANT_LIMIT_REACHED")
		assert.Equal(t, "license_error", r.str("error", "type"))
		a.license.most = 10
		a.do("POST", "/admin/v1/tenants", `{"name":"more"}`).is(201)
	})
}

func TestATenantsPeopleSeeTheirOwnTenantOnly(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		own := a.do("POST", "/admin/v1/tenants", `{"name":"own"}`).str("id")
		other := a.do("POST", "/admin/v1/tenants", `{"name":"other"}`).str("id")
		for _, role := range []string{"admin", "developer", "viewer"} {
			me := role + "@" + own
			r := a.sendAs(me, "GET", "/admin/v1/tenants", nil).is(200)
			assert.Equal(t, 1, r.len("data"), role)
			a.sendAs(me, "GET", "/admin/v1/tenants/"+own, nil).is(200)
			a.sendAs(me, "GET", "/admin/v1/tenants/"+other, nil).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
			a.sendAs(me, "GET", "/admin/v1/tenants/unknown", nil).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
			a.sendAs(me, "POST", "/admin/v1/tenants", `{"name":"x"}`).requireRefusal(403, "FORBIDDEN")
			a.sendAs(me, "DELETE", "/admin/v1/tenants/"+own, nil).requireRefusal(403, "FORBIDDEN")
		}
		assert.Contains(t, a.events(own), "TENANT_SCOPE_VIOLATION")
		a.sendAs("admin@"+own, "PUT", "/admin/v1/tenants/"+own, `{"name":"renamed"}`).is(200)
		a.sendAs("admin@"+own, "PUT", "/admin/v1/tenants/"+own, `{"status":"active"}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("viewer@"+own, "PUT", "/admin/v1/tenants/"+own, `{"name":"renamed"}`).requireRefusal(403, "FORBIDDEN")
	})
}

func TestAChangeForAnOldVersionIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/tenants", `{"name":"a"}`).is(201)
		path, old := r.header.Get("Location"), r.header.Get("ETag")
		now := a.do("PUT", path, `{"name":"b"}`, "If-Match", old).is(200).header.Get("ETag")
		a.do("PUT", path, `{"name":"c"}`, "If-Match", old).requireRefusal(412, "precondition_failed")
		a.do("DELETE", path, nil, "If-Match", old).requireRefusal(412, "precondition_failed")
		a.do("PUT", path, `{"name":"c"}`, "If-Match", `"x", `+now).is(200)
		a.do("DELETE", path, nil, "If-Match", "*").is(204)
	})
}

func TestAListHasPages(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.most = 100
		for range 5 {
			a.do("POST", "/admin/v1/tenants", `{"name":"a"}`).is(201)
		}
		whole := a.do("GET", "/admin/v1/tenants", nil).is(200)
		assert.Equal(t, 5, whole.len("data"))
		assert.NotContains(t, whole.text, "has_more")
		seen, cursor := []string{}, ""
		for range 10 {
			r := a.do("GET", "/admin/v1/tenants?limit=2&cursor="+cursor, nil).is(200)
			for i := range r.len("data") {
				seen = append(seen, r.str("data", i, "id"))
			}
			if r.field("has_more") == false {
				break
			}
			cursor = r.str("next_cursor")
		}
		want := []string{}
		for i := range 5 {
			want = append(want, whole.str("data", i, "id"))
		}
		assert.Equal(t, want, seen)
		for _, q := range []string{"limit=0", "limit=1001", "limit=x", "cursor=%21"} {
			a.do("GET", "/admin/v1/tenants?"+q, nil).requireRefusal(400, "invalid_value")
		}
	})
}

func TestOnlyThePlatformSetsATenantsRuleForHostedTools(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		own := a.do("POST", "/admin/v1/tenants", `{"name":"a","metadata":{"hosted_tools":"refuse"}}`).is(201).str("id")
		path := "/admin/v1/tenants/" + own
		a.sendAs("admin@"+own, "PUT", path, `{"metadata":{"hosted_tools":"pass"}}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("admin@"+own, "PUT", path, `{"metadata":{"team":"x"}}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("admin@"+own, "PUT", path, `{"metadata":{"team":"x","hosted_tools":"refuse"}}`).is(200)
		a.do("PUT", path, `{"metadata":{"hosted_tools":"strip"}}`).is(200)
		assert.Contains(t, a.do("PUT", path, `{"metadata":{"hosted_tools":"allow"}}`).requireRefusal(400, "invalid_value"), "write refuse, strip or pass")
	})
}
