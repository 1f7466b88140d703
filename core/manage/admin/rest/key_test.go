package rest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAKeyIsShownOnceRotatedAndRevoked(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.do("POST", "/admin/v1/tenants", `{"name":"t"}`).is(201).header.Get("Location")
		r := a.do("POST", tenant+"/keys", `{"name":"ci"}`).is(201)
		assert.Regexp(t, `^gw_[0-9A-Za-z]{43}$`, r.str("key"))
		assert.Equal(t, r.str("key")[:10], r.str("key_prefix"))
		assert.Equal(t, []any{"completions:write"}, r.field("scopes"))
		assert.Equal(t, "active", r.str("status"))
		assert.Nil(t, r.field("expires_at"))
		path := r.header.Get("Location")
		assert.Equal(t, tenant+"/keys/"+r.str("id"), path)

		got := a.do("GET", path, nil).is(200)
		assert.NotContains(t, got.text, r.str("key"))
		assert.NotContains(t, got.text, `"key":`)
		assert.Equal(t, r.header.Get("ETag"), got.header.Get("ETag"))
		assert.NotContains(t, a.do("GET", tenant+"/keys", nil).is(200).text, r.str("key"))

		next := a.do("POST", path+"/rotate", nil).is(201)
		assert.NotEqual(t, r.str("key"), next.str("key"))
		assert.Equal(t, "ci", next.str("name"))
		assert.Equal(t, "active", next.str("status"))
		old := a.do("GET", path, nil).is(200)
		assert.Equal(t, "rotated", old.str("status"))
		assert.Equal(t, start.Add(24*time.Hour).Format(time.RFC3339), old.str("expires_at"))
		a.do("POST", path+"/rotate", nil).requireRefusal(409, "conflict")

		a.do("DELETE", path, nil).is(204)
		assert.Equal(t, "revoked", a.do("GET", path, nil).is(200).str("status"))
		assert.Equal(t, 2, a.do("GET", tenant+"/keys", nil).is(200).len("data"))
	})
}

func TestWhatIsWrongWithAKeyIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.do("POST", "/admin/v1/tenants", `{"name":"t"}`).is(201).header.Get("Location")
		for name, c := range map[string]struct{ body, code string }{
			"no name":              {`{}`, "missing_required_parameter"},
			"a blank name":         {`{"name":" "}`, "invalid_value"},
			"a scope with a space": {`{"name":"a","scopes":["a b"]}`, "invalid_value"},
			"expired already":      {`{"name":"a","expires_at":"2020-01-01T00:00:00Z"}`, "invalid_value"},
			"no time":              {`{"name":"a","expires_at":"tomorrow"}`, "invalid_value"},
		} {
			t.Log(name)
			a.do("POST", tenant+"/keys", c.body).requireRefusal(400, c.code)
		}
		a.do("POST", "/admin/v1/tenants/unknown/keys", `{"name":"a"}`).requireRefusal(404, "not_found")
		a.do("GET", "/admin/v1/tenants/unknown/keys", nil).requireRefusal(404, "not_found")
		a.do("GET", tenant+"/keys/nothing", nil).requireRefusal(404, "not_found")
	})
}

func TestAKeyUnderAnotherTenantIsNotFound(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		one := a.do("POST", "/admin/v1/tenants", `{"name":"one"}`).is(201).header.Get("Location")
		two := a.do("POST", "/admin/v1/tenants", `{"name":"two"}`).is(201).header.Get("Location")
		id := a.do("POST", one+"/keys", `{"name":"a"}`).is(201).str("id")
		a.do("GET", two+"/keys/"+id, nil).requireRefusal(404, "not_found")
		a.do("DELETE", two+"/keys/"+id, nil).requireRefusal(404, "not_found")
		a.do("POST", two+"/keys/"+id+"/rotate", nil).requireRefusal(404, "not_found")
	})
}

func TestOnlyOwnersAndAdminsGiveKeysWithoutScopes(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/tenants", `{"name":"one"}`).is(201)
		id, path := r.str("id"), r.header.Get("Location")+"/keys"
		for role, status := range map[string]int{"owner": 201, "admin@" + id: 201, "developer@" + id: 403, "viewer@" + id: 403} {
			a.sendAs(role, "POST", path, `{"name":"a","scopes":[]}`).is(status)
		}
		a.sendAs("developer@"+id, "POST", path, `{"name":"a","scopes":null}`).is(201)
		a.sendAs("developer@"+id, "DELETE", path+"/x", nil).requireRefusal(403, "FORBIDDEN")
	})
}

func TestADeveloperGivesAKeyNothingThatPoliciesDecideOn(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/tenants", `{"name":"one"}`).is(201)
		id, path := r.str("id"), r.header.Get("Location")+"/keys"
		for name, c := range map[string]struct {
			fields           string
			developer, admin int
		}{
			"scopes of the data plane": {`"scopes":["completions:write","embeddings:write","models:read","batches:write"]`, 201, 201},
			"a label among the scopes": {`"scopes":["completions:write","cost:high"]`, 403, 201},
			"a tag":                    {`"tags":["trusted"]`, 403, 201},
			"metadata":                 {`"metadata":{"clearance":"secret"}`, 403, 201},
			"no tags and no metadata":  {`"tags":[],"metadata":{}`, 201, 201},
			"the tier of the tenant":   {`"tier":"standard"`, 201, 201},
			"a lower tier":             {`"tier":"bulk"`, 201, 201},
			"a higher tier":            {`"tier":"premium"`, 403, 403},
		} {
			t.Log(name)
			body := `{"name":"a",` + c.fields + `}`
			a.sendAs("developer@"+id, "POST", path, body).is(c.developer)
			a.sendAs("admin@"+id, "POST", path, body).is(c.admin)
			a.do("POST", path, body).is(201)
		}
	})
}

func TestAKeyShowsTheTierThatItIsServedWith(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for _, c := range []struct{ tenant, key, want string }{
			{`{"name":"one"}`, `{"name":"a"}`, "standard"},
			{`{"name":"two","tier":"premium"}`, `{"name":"a"}`, "premium"},
			{`{"name":"three","tier":"premium"}`, `{"name":"a","tier":"bulk"}`, "bulk"},
		} {
			path := a.do("POST", "/admin/v1/tenants", c.tenant).is(201).header.Get("Location") + "/keys"
			r := a.do("POST", path, c.key).is(201)
			one := r.header.Get("Location")
			assert.Equal(t, c.want, r.str("tier"))
			got := a.do("GET", one, nil).is(200)
			assert.Equal(t, c.want, got.str("tier"))
			assert.Equal(t, c.want, a.do("GET", path, nil).is(200).str("data", 0, "tier"))
			rotated := a.do("POST", one+"/rotate", nil, "If-Match", got.header.Get("Etag")).is(201)
			assert.Equal(t, c.want, rotated.str("tier"))
			a.do("DELETE", one, nil, "If-Match", a.do("GET", one, nil).header.Get("Etag")).is(204)
		}
	})
}

func TestAnAdminOfATenantKeepsItsRegionAndTags(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/tenants", `{"name":"one","region":"eu","tags":["a"]}`).is(201)
		who, path := "admin@"+r.str("id"), r.header.Get("Location")
		a.sendAs(who, "PUT", path, `{"name":"two","region":"eu","tags":["a"]}`).is(200)
		a.sendAs(who, "PUT", path, `{"region":"us"}`).is(403)
		a.sendAs(who, "PUT", path, `{"tags":["a","trusted"]}`).is(403)
		a.sendAs(who, "PUT", path, `{"tier":"premium"}`).is(403)
		a.do("PUT", path, `{"region":"us","tags":["b"]}`).is(200)
	})
}

func TestAKeyIsChangedByThoseWhoMayAndOnlyWhileActive(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.tenantAs("t")
		path := a.do("POST", "/admin/v1/tenants/t/keys", `{"name":"ci","tags":["red"]}`).is(201).header.Get("Location")
		changed := a.do("PUT", path, `{"name":"nightly","expires_at":"2999-01-31T00:00:00Z","scopes":["models:read"]}`).is(200)
		assert.Equal(t, "nightly", changed.str("name"))
		assert.Equal(t, "2999-01-31T00:00:00Z", changed.str("expires_at"))
		assert.Equal(t, "red", changed.str("tags", 0), "omitted fields keep their values")
		a.do("PUT", path, `{"expires_at":""}`).is(200)
		a.do("PUT", path, `{"expires_at":"tomorrow"}`).requireRefusal(400, "invalid_value")
		a.do("PUT", path, `{"name":" "}`).requireRefusal(400, "invalid_value")
		a.do("PUT", path, `{"name":"x"}`, "If-Match", `"stale"`).requireRefusal(412, "precondition_failed")
		a.sendAs("developer@t", "PUT", path, `{"name":"x"}`).requireRefusal(403, "FORBIDDEN")
		a.do("DELETE", path, nil).is(204)
		a.do("PUT", path, `{"name":"x"}`).requireRefusal(409, "conflict")
	})
}
