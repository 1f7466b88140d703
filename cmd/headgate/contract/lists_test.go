package contract_test

import (
	"net/url"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var recordRows = rows{
	"record.ids": func(t *T) {
		tenant := t.tenant()
		for _, o := range []m{t.key(tenant), t.route(), t.policy(tenant, denies("x", "no")), t.price(t.name("m")), t.budget(tenant)} {
			assert.Regexp(t, `^[A-Za-z0-9_-]{8,}$`, t.id(o))
		}
	},
	"record.times": func(t *T) {
		tenant := t.tenant()
		t.recent(t.owner().get(tenants+"/"+tenant).is(200).object(), "created_at")
		t.recent(t.route(), "created_at")
		t.recent(t.price(t.name("m")), "createdAt")
		t.recent(t.budget(tenant), "createdAt")
	},
	"record.lists": func(t *T) {
		tenant := t.tenant()
		for _, path := range []string{tenants, keysOf(tenant), routes, policies, pricing, budgets, chargeback, reports, webhooks, guards} {
			t.owner().get(path).is(200).list()
			t.owner().sees(path)
		}
	},
}

var listRows = rows{
	"decision.pages": func(t *T) {
		tenant := t.tenant()
		made := map[any]bool{}
		for range 5 {
			made[t.owner().post(keysOf(tenant), m{"name": t.name("k")}).is(201).object()["id"]] = true
		}
		require.Len(t, made, 5)
		seen, cursor := map[any]bool{}, ""
		for pages := 1; ; pages++ {
			o := t.owner().get(keysOf(tenant) + "?limit=2&cursor=" + url.QueryEscape(cursor)).is(200).object()
			data, _ := o["data"].([]any)
			for _, v := range data {
				assert.False(t, seen[v.(m)["id"]], "one element is on two pages")
				seen[v.(m)["id"]] = true
			}
			if more, _ := o["has_more"].(bool); !more {
				assert.Equal(t, 3, pages)
				break
			}
			assert.Len(t, data, 2)
			cursor = t.text(o, "next_cursor")
			require.Less(t, pages, 9)
		}
		assert.Equal(t, made, seen)
		t.owner().get(keysOf(tenant)+"?limit=0").requireRefusal(400, "invalid_request_error", "")
		t.owner().get(keysOf(tenant)+"?limit=1000000").requireRefusal(400, "invalid_request_error", "")
		t.owner().get(keysOf(tenant)+"?limit=2&cursor=!!!").requireRefusal(400, "invalid_request_error", "")
		assert.NotContains(t, t.owner().get(keysOf(tenant)).is(200).object(), "next_cursor")
		with, _ := t.createExchange()
		a := t.owner().get(audits + "?limit=1&tenant_id=" + with).is(200)
		assert.Len(t, a.array(), 1)
		next := a.header.Get("Link")
		require.Contains(t, next, `rel="next"`)
		path, _, _ := strings.Cut(strings.TrimPrefix(next, "<"), ">")
		second := t.owner().get(path).is(200).array()
		assert.Len(t, second, 1)
		assert.NotEqual(t, a.array(), second)
	},
	"decision.if_match": func(t *T) {
		for _, of := range []struct {
			made m
			path string
		}{{t.route(), routes}, {t.budget(t.tenant()), budgets}, {t.price(t.name("m")), pricing}} {
			path := of.path + "/" + t.id(of.made)
			tag := t.owner().get(path).is(200).header.Get("ETag")
			require.NotEmpty(t, tag, path)
			edit := m{"name": t.name("n")}
			switch of.path {
			case routes:
				edit = m{"strategy": "weighted"}
			case pricing:
				edit = m{"inputPricePerMillion": 9}
			}
			t.owner().addHeader("If-Match", tag).put(path, edit).is(200)
			before := t.owner().get(path).is(200)
			assert.Equal(t, t.id(of.made), t.id(before.object()))
			assert.NotEqual(t, tag, before.header.Get("ETag"))
			t.owner().addHeader("If-Match", tag).put(path, edit).requireRefusal(412, "", "")
			t.owner().addHeader("If-Match", tag).delete(path).requireRefusal(412, "", "")
			assert.Equal(t, string(before.body), string(t.owner().get(path).is(200).body), "a refused change changes nothing")
			t.owner().addHeader("If-Match", before.header.Get("ETag")).delete(path).is(204)
		}
	},
	"decision.idempotency": func(t *T) {
		tenant := t.tenant()
		c := t.owner().addHeader("Idempotency-Key", t.name("once"))
		body := m{"name": "ci"}
		first := c.post(keysOf(tenant), body).is(201)
		again := c.post(keysOf(tenant), body).is(201)
		assert.Equal(t, t.id(first.object()), t.id(again.object()))
		assert.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
		t.requireRecord(t.owner().get(keysOf(tenant)).is(200).list(), "id", t.id(first.object()))
		assert.Contains(t, []int{400, 409, 422}, c.post(keysOf(tenant), m{"name": "other"}).status, "one key, another body")
		assert.Len(t, t.owner().get(keysOf(tenant)).is(200).list(), 1)
	},
}

var errorRows = rows{
	"error.shape": func(t *T) {
		for _, a := range []*answer{
			t.client().get(tenants), t.owner().get(tenants + "/nobody"), t.owner().post(tenants, "{"), t.owner().post(tenants, m{}),
			t.owner().get("/no-such-path"), t.anybody().post("/v1/chat/completions", "{"), t.client().get("/actuator/license"), t.owner().do("PATCH", tenants, m{}),
			t.owner().get("/admin/v1/no-such-thing"), t.owner().addHeader("Content-Type", "text/plain").post(tenants, "name"),
		} {
			require.GreaterOrEqual(t, a.status, 400, a.asked)
			require.Less(t, a.status, 500, a.asked)
			a.requireRefusal(a.status, "", "")
			assert.True(t, strings.HasPrefix(a.header.Get("Content-Type"), "application/json"), a.asked)
		}
	},
	"error.missing_field": func(t *T) {
		t.owner().post(tenants, m{}).requireRefusal(400, "invalid_request_error", "")
		t.anybody().post("/v1/budget/estimate", m{}).requireRefusal(400, "invalid_request_error", "")
	},
	"error.unauthorized": func(t *T) {
		for _, c := range []*client{t.client(), t.bearer("headgate_pat_wrong"), t.bearer("eyJhbGciOiJub25lIn0.e30."), t.anybody(), t.client().addHeader("Authorization", "Basic b3duZXI6")} {
			c.get(tenants).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
			c.post(tenants, m{"name": "x"}).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		}
		t.client().addHeader("X-Internal-Secret", "wrong").get(configVersion).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"error.not_found": func(t *T) {
		r := t.route()
		for _, path := range []string{
			tenants + "/nobody", keysOf(t.tenant()) + "/nothing", keysOf("nobody"), routes + "/nothing", routes + "/nothing/versions",
			"/admin/v1/providers/nobody/capabilities", policies + "/nothing",
		} {
			t.owner().get(path).requireRefusal(404, "not_found_error", "")
		}
		t.owner().post(routes+"/"+t.id(r)+"/rollback", m{"version": 99}).requireRefusal(404, "not_found_error", "")
	},
	"decision.unknown_field": func(t *T) {
		tenant := t.tenant()
		for path, body := range map[string]m{
			tenants: {"name": "x"}, keysOf(tenant): {"name": "x"}, routes: {"model_pattern": "x", "providers": []m{{"provider": "mock"}}},
			policies: {"name": "x", "dsl": denies("x", "no")}, budgets: {"name": "x", "tenantId": tenant, "period": "MONTHLY", "limitUsd": 1},
			pricing: {"model": "x", "provider": "mock", "inputPricePerMillion": 1, "outputPricePerMillion": 1},
		} {
			body["no_such_field"] = 1
			assert.Contains(t, t.owner().post(path, body).requireRefusal(400, "invalid_request_error", ""), "no_such_field")
		}
		assert.Contains(t, t.owner().put(tenants+"/"+tenant, m{"no_such_field": 1}).requireRefusal(400, "invalid_request_error", ""), "no_such_field")
	},
	"decision.no_422": func(t *T) {
		tenant := t.tenant()
		for path, body := range map[string]any{
			tenants: m{"name": 1}, keysOf(tenant): m{"name": "x", "scopes": "all"}, routes: m{"model_pattern": "x", "providers": "mock"},
			policies: []any{}, budgets: m{"name": "x", "limitUsd": "many"}, pricing: "null", policies + "/dry-run": m{"dsl": 1},
		} {
			t.owner().post(path, body).requireRefusal(400, "invalid_request_error", "")
		}
	},
}

var configRows = rows{
	"decision.managed_by_file": func(t *T) {
		for _, path := range []string{tenants, routes} {
			o := t.requireRecord(t.owner().get(path).is(200).list(), "source", "file")
			t.owner().put(path+"/"+t.id(o), m{}).requireRefusal(409, "", "MANAGED_BY_FILE")
			t.owner().delete(path+"/"+t.id(o)).requireRefusal(409, "", "MANAGED_BY_FILE")
		}
	},
}
