package contract_test

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const tenants = "/admin/v1/tenants"

var tenantRows = rows{
	"admin.tenants.create": func(t *T) {
		a := t.owner().post(tenants, m{"name": "Acme", "status": "suspended", "region": "eu-west", "metadata": m{"team": "a"}}).is(201)
		o := a.object()
		assert.Equal(t, tenants+"/"+t.id(o), a.header.Get("Location"))
		assert.Equal(t, "suspended", o["status"])
		assert.Equal(t, "eu-west", o["region"])
		assert.Equal(t, m{"team": "a"}, o["metadata"])
	},
	"admin.tenants.list": func(t *T) {
		id := t.tenant()
		o := t.requireRecord(t.owner().get(tenants).is(200).list(), "id", id)
		t.fields(o, "name", "status", "created_at", "updated_at")
	},
	"admin.tenants.get": func(t *T) {
		id := t.tenant()
		assert.Equal(t, id, t.owner().get(tenants + "/" + id).is(200).object()["id"])
		t.requireGone(tenants + "/nobody")
	},
	"admin.tenants.update": func(t *T) {
		made := t.owner().post(tenants, m{"name": t.name("a"), "region": "r1", "metadata": m{"a": 1, "b": 2}}).is(201).object()
		path := tenants + "/" + t.id(made)
		o := t.owner().put(path, m{"region": "r2"}).is(200).object()
		assert.Equal(t, "r2", o["region"])
		t.requireSame(made, o, "id", "name", "status", "metadata", "created_at")
		t.requireSame(o, t.owner().get(path).is(200).object(), "id", "name", "region", "metadata", "updated_at")
		t.owner().put(tenants+"/nobody", m{"name": "x"}).requireRefusal(404, "not_found_error", "")
	},
	"admin.tenants.delete": func(t *T) {
		path := tenants + "/" + t.tenant()
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.requireGone(path)
		t.owner().delete(path).requireRefusal(404, "not_found_error", "")
	},
	"tenant.id": func(t *T) {
		a, b := t.tenant(), t.tenant()
		assert.NotEqual(t, a, b)
		assert.Equal(t, a, t.owner().put(tenants+"/"+a, m{"name": "other"}).is(200).object()["id"])
	},
	"tenant.name": func(t *T) {
		o := t.owner().post(tenants, m{"name": "Björn & Söhne 株式会社"}).is(201).object()
		assert.Equal(t, "Björn & Söhne 株式会社", o["name"])
		assert.Contains(t, t.owner().post(tenants, m{"region": "x"}).requireRefusal(400, "invalid_request_error", ""), "name")
		t.owner().post(tenants, m{"name": ""}).requireRefusal(400, "invalid_request_error", "")
	},
	"tenant.status": func(t *T) {
		id := t.tenant()
		assert.Equal(t, "active", t.owner().get(tenants + "/" + id).is(200).object()["status"])
		t.owner().post(tenants, m{"name": "x", "status": "asleep"}).requireRefusal(400, "invalid_request_error", "")
		t.owner().put(tenants+"/"+id, m{"status": "asleep"}).requireRefusal(400, "invalid_request_error", "")
	},
	"tenant.region": func(t *T) {
		o := t.owner().post(tenants, m{"name": t.name("a"), "region": "eu"}).is(201).object()
		assert.Equal(t, "eu", o["region"])
		t.tenant() // without one
	},
	"tenant.metadata": func(t *T) {
		o := t.owner().post(tenants, m{"name": t.name("a"), "metadata": m{"a": 1, "deep": m{"b": []any{true, nil, "ü"}}}}).is(201).object()
		assert.Equal(t, m{"a": 1.0, "deep": m{"b": []any{true, nil, "ü"}}}, o["metadata"])
		o = t.owner().put(tenants+"/"+t.id(o), m{"metadata": m{"c": 3}}).is(200).object()
		assert.Equal(t, m{"c": 3.0}, o["metadata"])
	},
	"tenant.times": func(t *T) {
		o := t.owner().get(tenants + "/" + t.tenant()).is(200).object()
		t.recent(o, "created_at")
		assert.False(t, t.time(o, "updated_at").Before(t.time(o, "created_at")))
	},
	"state.tenant.created": func(t *T) {
		assert.Equal(t, "active", t.owner().post(tenants, m{"name": t.name("a")}).is(201).object()["status"])
		assert.Equal(t, "suspended", t.owner().post(tenants, m{"name": t.name("a"), "status": "suspended"}).is(201).object()["status"])
	},
	"state.tenant.changed": func(t *T) {
		path := tenants + "/" + t.tenant()
		before := t.owner().get(path).is(200).object()
		assert.Equal(t, "active", before["status"])
		for _, status := range []string{"suspended", "active"} {
			o := t.owner().put(path, m{"status": status}).is(200).object()
			assert.Equal(t, status, o["status"])
			assert.True(t, t.time(o, "updated_at").After(t.time(before, "updated_at")))
		}
	},
	"decision.tenant_suspended": func(t *T) {
		id := t.tenant()
		c := t.caller(id)
		c.chat("mock-echo", "hello")
		t.owner().put(tenants+"/"+id, m{"status": "suspended"}).is(200)
		t.eventually("the tenant is suspended", func() bool {
			return c.post("/v1/chat/completions", buildChat("mock-echo", "hello")).status == 403
		})
		c.post("/v1/chat/completions", buildChat("mock-echo", "hello")).requireRefusal(403, "authorization_error", "TENANT_SUSPENDED")
		t.requireRecord(c.get("/v1/models").is(200).list(), "id", "mock-echo")
	},
	"decision.tenant_limit": func(t *T) {
		t = t.useVariant(unlicensed)
		for len(t.owner().get(tenants).is(200).list()) < 3 {
			t.tenant()
		}
		t.requireRecord(t.owner().get(tenants).is(200).list(), "id", "default")
		t.owner().post(tenants, m{"name": "a fourth"}).requireRefusal(403, "license_error", "TENANT_LIMIT_REACHED")
	},
	"limit.tenants": func(t *T) {
		bare := t.useVariant(unlicensed)
		for range 4 {
			bare.owner().post(tenants, m{"name": t.name("a")})
		}
		all := bare.owner().get(tenants).is(200).list()
		require.Len(t, all, 3)
		t.requireRecord(all, "id", "default")
		for range 4 {
			t.tenant() // with a licence there may be more
		}
	},
}
