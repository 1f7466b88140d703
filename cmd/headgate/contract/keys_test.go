package contract_test

import (
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keysOf returns the path of a tenant's keys.
func keysOf(tenant string) string { return tenants + "/" + tenant + "/keys" }

var keyRows = rows{
	"admin.keys.create": func(t *T) {
		tenant := t.tenant()
		a := t.owner().post(keysOf(tenant), m{"name": "ci"}).is(201)
		o := a.object()
		t.fields(o, "id", "key", "key_prefix", "name", "scopes", "status", "created_at")
		assert.Equal(t, "ci", o["name"])
		assert.Equal(t, keysOf(tenant)+"/"+t.id(o), a.header.Get("Location"))
		t.owner().post(keysOf("nobody"), m{"name": "ci"}).requireRefusal(404, "not_found_error", "")
	},
	"admin.keys.list": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		a := t.owner().get(keysOf(tenant)).is(200)
		t.requireRecord(a.list(), "id", t.id(k))
		assert.Len(t, a.list(), 1)
		assert.NotContains(t, string(a.body), t.text(k, "key"))
		assert.NotContains(t, a.list()[0], "key")
	},
	"admin.keys.get": func(t *T) {
		tenant, other := t.tenant(), t.tenant()
		k := t.key(tenant)
		a := t.owner().get(keysOf(tenant) + "/" + t.id(k)).is(200)
		t.requireSame(k, a.object(), "id", "key_prefix", "name", "scopes", "status")
		assert.NotContains(t, string(a.body), t.text(k, "key"))
		t.requireGone(keysOf("nobody") + "/" + t.id(k))
		t.requireGone(keysOf(tenant) + "/nothing")
		t.requireGone(keysOf(other) + "/" + t.id(k))
	},
	"admin.keys.delete": func(t *T) {
		tenant, other := t.tenant(), t.tenant()
		path := keysOf(tenant) + "/" + t.id(t.key(tenant))
		t.owner().delete(keysOf(other)+"/"+path[strings.LastIndex(path, "/")+1:]).requireRefusal(404, "not_found_error", "")
		assert.Empty(t, t.owner().delete(path).is(204).body)
		assert.Equal(t, "revoked", t.owner().get(path).is(200).object()["status"])
		t.owner().delete(keysOf(tenant)+"/nothing").requireRefusal(404, "not_found_error", "")
	},
	"admin.keys.rotate": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		path := keysOf(tenant) + "/" + t.id(k)
		o := t.owner().post(path+"/rotate", nil).is(201).object()
		assert.NotEqual(t, k["id"], o["id"])
		assert.NotEqual(t, k["key"], o["key"])
		assert.True(t, strings.HasPrefix(t.text(o, "key"), "gw_"))
		assert.Equal(t, "rotated", t.owner().get(path).is(200).object()["status"])
		t.owner().post(keysOf(tenant)+"/nothing/rotate", nil).requireRefusal(404, "not_found_error", "")
		t.owner().post(keysOf("nobody")+"/"+t.id(k)+"/rotate", nil).requireRefusal(404, "not_found_error", "")
	},
	"key.id": func(t *T) {
		tenant := t.tenant()
		first := t.id(t.key(tenant))
		assert.NotEqual(t, first, t.id(t.key(tenant)))
	},
	"key.key": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		assert.True(t, strings.HasPrefix(t.text(k, "key"), "gw_"))
		assert.GreaterOrEqual(t, len(t.text(k, "key")), 32)
		read := t.owner().get(keysOf(tenant) + "/" + t.id(k)).is(200).object()
		t.requireSame(k, read, "id", "name")
		assert.NotContains(t, read, "key")
	},
	"key.key_prefix": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		prefix := t.text(t.owner().get(keysOf(tenant)+"/"+t.id(k)).is(200).object(), "key_prefix")
		assert.True(t, strings.HasPrefix(t.text(k, "key"), prefix))
		assert.Less(t, len(prefix), len(t.text(k, "key"))/2, "the answer discloses too much of the key")
	},
	"key.name": func(t *T) {
		path := keysOf(t.tenant())
		assert.Equal(t, "ci", t.owner().post(path, m{"name": "ci"}).is(201).object()["name"])
		assert.Contains(t, t.owner().post(path, m{"scopes": []string{"models:read"}}).requireRefusal(400, "invalid_request_error", ""), "name")
	},
	"key.scopes": func(t *T) {
		path := keysOf(t.tenant())
		all := []any{"completions:write", "embeddings:write", "models:read", "batches:write"}
		assert.Equal(t, []any{"completions:write"}, t.owner().post(path, m{"name": "a"}).is(201).object()["scopes"])
		assert.Equal(t, []any{"completions:write"}, t.owner().post(path, m{"name": "a", "scopes": nil}).is(201).object()["scopes"])
		assert.Equal(t, all, t.owner().post(path, m{"name": "a", "scopes": all}).is(201).object()["scopes"])
	},
	"key.status": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		path := keysOf(tenant) + "/" + t.id(k)
		status := func() any { return t.owner().get(path).is(200).object()["status"] }
		assert.Equal(t, "active", status())
		t.owner().post(path+"/rotate", nil).is(201)
		assert.Equal(t, "rotated", status())
		t.owner().delete(path).is(204)
		assert.Equal(t, "revoked", status())
	},
	"key.expires_at": func(t *T) {
		tenant := t.tenant()
		made := t.key(tenant)
		o := t.owner().get(keysOf(tenant) + "/" + t.id(made)).is(200).object()
		t.requireSame(made, o, "id")
		t.fields(o, "expires_at")
		assert.Nil(t, o["expires_at"])
		end := time.Now().UTC().Add(2 * time.Second)
		k := t.owner().post(keysOf(tenant), m{"name": "short", "scopes": []string{}, "expires_at": end.Format(time.RFC3339Nano)}).is(201).object()
		assert.WithinDuration(t, end, t.time(k, "expires_at"), time.Second)
		t.opens(t.text(k, "key"))
		t.eventually("the key expires", func() bool { return t.bearer(t.text(k, "key")).get("/v1/models").status == 401 })
		t.owner().post(keysOf(tenant), m{"name": "never", "expires_at": "tomorrow"}).requireRefusal(400, "invalid_request_error", "")
	},
	"key.tenant_id": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		full := t.client().addHeader("X-Internal-Secret", internalSecret).get("/internal/v1/config/full").is(200).object()
		keys, _ := full["api_keys"].([]any)
		assert.Equal(t, tenant, t.requireRecord(keys, "id", t.id(k))["tenant_id"])
	},
	"key.times": func(t *T) {
		tenant := t.tenant()
		o := t.owner().get(keysOf(tenant) + "/" + t.id(t.key(tenant))).is(200).object()
		t.recent(o, "created_at")
		assert.False(t, t.time(o, "updated_at").Before(t.time(o, "created_at")))
	},
	"key.hash": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		read := t.owner().get(keysOf(tenant) + "/" + t.id(k)).is(200).object()
		t.requireSame(k, read, "id")
		for _, o := range []m{k, read} {
			for field := range o {
				assert.NotContains(t, strings.ToLower(field), "hash")
			}
		}
		body := t.client().addHeader("X-Internal-Secret", internalSecret).get("/internal/v1/config/full").is(200).body
		require.Contains(t, string(body), t.id(k))
		assert.NotRegexp(t, hashMember, string(body))
		assert.NotContains(t, string(body), t.text(k, "key"))
	},
	"state.key.created": func(t *T) {
		tenant := t.tenant()
		k := t.owner().post(keysOf(tenant), m{"name": "a", "scopes": []string{}}).is(201).object()
		assert.Equal(t, "active", k["status"])
		t.opens(t.text(k, "key"))
		all := t.owner().get(keysOf(tenant)).is(200)
		assert.Equal(t, "active", t.requireRecord(all.list(), "id", t.id(k))["status"])
		assert.NotContains(t, string(all.body), t.text(k, "key"))
	},
	"state.key.revoked": func(t *T) {
		tenant := t.tenant()
		k := t.key(tenant)
		t.owner().delete(keysOf(tenant) + "/" + t.id(k)).is(204)
		t.eventually("the key is refused", func() bool { return t.bearer(t.text(k, "key")).get("/v1/models").status == 401 })
		t.requireRecord(t.owner().get(keysOf(tenant)).is(200).list(), "id", t.id(k)) // it is kept
	},
	"state.key.rotated": func(t *T) {
		tenant := t.tenant()
		old := t.owner().post(keysOf(tenant), m{"name": "app", "scopes": []string{"models:read", "completions:write"}}).is(201).object()
		t.opens(t.text(old, "key"))
		fresh := t.owner().post(keysOf(tenant)+"/"+t.id(old)+"/rotate", nil).is(201).object()
		t.requireSame(old, fresh, "name", "scopes", "status")
		assert.Equal(t, "active", fresh["status"])
		t.opens(t.text(fresh, "key"))
		t.requireRecord(t.bearer(t.text(old, "key")).get("/v1/models").is(200).list(), "id", "mock-echo")
	},
	"decision.rotation_end": func(t *T) {
		tenant := t.tenant()
		old := t.key(tenant)
		fresh := t.owner().post(keysOf(tenant)+"/"+t.id(old)+"/rotate", nil).is(201).object()
		t.owner().delete(keysOf(tenant) + "/" + t.id(old)).is(204)
		t.eventually("the old key is refused", func() bool { return t.bearer(t.text(old, "key")).get("/v1/models").status == 401 })
		t.opens(t.text(fresh, "key"))
	},
	"decision.scopes_empty": func(t *T) {
		tenant := t.tenant()
		k := t.owner().post(keysOf(tenant), m{"name": "all", "scopes": []string{}}).is(201).object()
		assert.Equal(t, []any{}, k["scopes"])
		c := t.bearer(t.text(k, "key"))
		t.opens(t.text(k, "key"))
		c.chat("mock-echo", "hello")
		o := c.post("/v1/embeddings", m{"model": "text-embedding-mock", "input": "a"}).is(200).object()
		assert.Equal(t, "text-embedding-mock", o["model"])
		assert.Len(t, o["data"], 1)
		t.createRoleClient("admin", tenant).post(keysOf(tenant), m{"name": "all", "scopes": []string{}}).is(201)
		t.createRoleClient("developer", tenant).post(keysOf(tenant), m{"name": "all", "scopes": []string{}}).requireRefusal(403, "authorization_error", "FORBIDDEN")
	},
	"decision.tier_tags": func(t *T) {
		tenant := t.tenant()
		o := t.owner().post(keysOf(tenant), m{"name": "a", "tier": "premium", "tags": []string{"x"}, "metadata": m{"a": 1}}).is(201).object()
		o = t.owner().get(keysOf(tenant) + "/" + t.id(o)).is(200).object()
		assert.Equal(t, "premium", o["tier"])
		assert.Equal(t, []any{"x"}, o["tags"])
		assert.Equal(t, m{"a": 1.0}, o["metadata"])
		t.owner().post(keysOf(tenant), m{"name": "a", "tier": "gold"}).requireRefusal(400, "invalid_request_error", "")
		o = t.owner().get(tenants + "/" + tenant).is(200).object()
		assert.Equal(t, tenant, o["id"])
		assert.Equal(t, "standard", o["tier"])
		path := tenants + "/" + tenant
		t.owner().put(path, m{"tier": "bulk", "tags": []string{"y"}, "metadata": m{"b": 2}}).is(200)
		o = t.owner().get(path).is(200).object()
		assert.Equal(t, "bulk", o["tier"])
		assert.Equal(t, []any{"y"}, o["tags"])
		assert.Equal(t, m{"b": 2.0}, o["metadata"])
	},
}
