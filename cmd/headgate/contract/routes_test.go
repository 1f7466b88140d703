package contract_test

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const routes = "/admin/v1/routes"

var routeRows = rows{
	"admin.routes.create": func(t *T) {
		o := t.route()
		assert.EqualValues(t, 1, o["version"])
		t.fields(o, "id", "model_pattern", "strategy", "providers", "latency_sla_ms", "created_at", "updated_at")
	},
	"admin.routes.list": func(t *T) {
		id := t.id(t.route())
		t.requireRecord(t.owner().get(routes).is(200).list(), "id", id)
	},
	"admin.routes.get": func(t *T) {
		made := t.route()
		t.requireSame(made, t.owner().get(routes+"/"+t.id(made)).is(200).object(), "id", "model_pattern", "version", "created_at")
		t.requireGone(routes + "/nothing")
	},
	"admin.routes.update": func(t *T) {
		made := t.route()
		o := t.owner().put(routes+"/"+t.id(made), m{"strategy": "round-robin"}).is(200).object()
		assert.EqualValues(t, 2, o["version"])
		assert.Equal(t, "round-robin", o["strategy"])
		t.requireSame(made, o, "id", "model_pattern", "providers", "created_at")
		t.owner().put(routes+"/nothing", m{"strategy": "weighted"}).requireRefusal(404, "not_found_error", "")
	},
	"admin.routes.delete": func(t *T) {
		path := routes + "/" + t.id(t.route())
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.requireGone(path)
		t.requireGone(path + "/versions")
		t.owner().delete(path).requireRefusal(404, "not_found_error", "")
	},
	"admin.routes.versions": func(t *T) {
		path := routes + "/" + t.id(t.route())
		t.owner().put(path, m{"latency_sla_ms": 5}).is(200)
		l := t.owner().get(path + "/versions").is(200).list()
		require.Len(t, l, 2)
		assert.EqualValues(t, 2, l[0].(m)["version"])
		assert.EqualValues(t, 1, l[1].(m)["version"])
		t.requireGone(routes + "/nothing/versions")
	},
	"admin.routes.rollback": func(t *T) {
		made := t.route()
		path := routes + "/" + t.id(made)
		t.owner().put(path, m{"strategy": "weighted", "model_pattern": t.name("other")}).is(200)
		o := t.owner().post(path+"/rollback", m{"version": 1}).is(200).object()
		assert.EqualValues(t, 3, o["version"])
		t.requireSame(made, o, "id", "model_pattern", "strategy", "providers")
		t.owner().post(path+"/rollback", m{"version": 77}).requireRefusal(404, "not_found_error", "")
		t.owner().post(routes+"/nothing/rollback", m{"version": 1}).requireRefusal(404, "not_found_error", "")
		t.owner().post(path+"/rollback", m{"version": "1"}).requireRefusal(400, "invalid_request_error", "")
	},
	"route.id": func(t *T) { first := t.id(t.route()); assert.NotEqual(t, first, t.id(t.route())) },
	"route.model_pattern": func(t *T) {
		pattern := t.name("glob") + "-*"
		o := t.owner().post(
			routes,
			m{"model_pattern": pattern, "providers": []m{{"provider": "mock", "model_override": "mock-echo"}}},
		).is(
			201,
		).object()
		assert.Equal(t, pattern, o["model_pattern"])
		assert.Contains(
			t,
			t.owner().post(routes, m{"providers": []m{{"provider": "mock"}}}).requireRefusal(400, "invalid_request_error", ""),
			"model_pattern",
		)
		c := t.caller(t.tenant())
		model := pattern[:len(pattern)-1] + "anything/below"
		t.eventually("the pattern is in force", func() bool { return c.post("/v1/chat/completions", buildChat(model, "hi")).status == 200 })
		t.echoes(c.post("/v1/chat/completions", buildChat(model, "hi")).is(200).object(), "hi", "choices", "message", "content")
	},
	"route.strategy": func(t *T) {
		assert.Equal(t, "model-prefix", t.route()["strategy"])
		for _, s := range []string{"model-prefix", "round-robin", "weighted"} {
			o := t.owner().post(
				routes,
				m{"model_pattern": t.name("m"), "strategy": s, "providers": []m{{"provider": "mock", "weight": 1}}},
			).is(
				201,
			).object()
			assert.Equal(t, s, o["strategy"])
		}
		t.owner().post(
			routes,
			m{"model_pattern": t.name("m"), "strategy": "best", "providers": []m{{"provider": "mock"}}},
		).requireRefusal(
			400,
			"invalid_request_error",
			"",
		)
	},
	"route.providers": func(t *T) {
		p := m{"provider": "mock", "weight": 3.0, "model_override": "mock-echo", "region": "eu"}
		o := t.owner().post(routes, m{"model_pattern": t.name("m"), "strategy": "weighted", "providers": []m{p}}).is(201).object()
		got, _ := o["providers"].([]any)
		require.Len(t, got, 1)
		for field, want := range p {
			assert.Equal(t, want, got[0].(m)[field], field)
		}
		assert.Contains(t, t.owner().post(routes, m{"model_pattern": "m"}).requireRefusal(400, "invalid_request_error", ""), "providers")
		t.owner().post(routes, m{"model_pattern": "m", "providers": []m{}}).requireRefusal(400, "invalid_request_error", "")
		t.owner().post(routes, m{"model_pattern": "m", "providers": []m{{"provider": "nobody"}}}).requireRefusal(400, "invalid_request_error", "")
	},
	"route.pinned_model_version": func(t *T) {
		o := t.owner().post(
			routes,
			m{"model_pattern": t.name("m"), "pinned_model_version": "2026-01-01", "providers": []m{{"provider": "mock"}}},
		).is(
			201,
		).object()
		assert.Equal(t, "2026-01-01", o["pinned_model_version"])
	},
	"route.version": func(t *T) {
		path := routes + "/" + t.id(t.route())
		for want := 2; want <= 4; want++ {
			assert.EqualValues(t, want, t.owner().put(path, m{"latency_sla_ms": want}).is(200).object()["version"])
		}
		assert.EqualValues(t, 5, t.owner().post(path+"/rollback", m{"version": 2}).is(200).object()["version"])
	},
	"route.times": func(t *T) {
		made := t.route()
		o := t.owner().put(routes+"/"+t.id(made), m{"latency_sla_ms": 9}).is(200).object()
		t.requireSame(made, o, "created_at")
		assert.True(t, t.time(o, "updated_at").After(t.time(made, "created_at")))
	},
	"route.version_record": func(t *T) {
		made := t.route()
		o := t.requireRecord(t.owner().get(routes+"/"+t.id(made)+"/versions").is(200).list(), "version", 1.0)
		assert.Equal(t, made["id"], o["route_id"])
		t.requireSame(made, o, "model_pattern", "strategy", "providers")
		t.time(o, "created_at")
	},
	"limit.route_versions": func(t *T) {
		path := routes + "/" + t.id(t.route())
		for i := range 11 {
			t.owner().put(path, m{"latency_sla_ms": i + 1}).is(200)
		}
		l := t.owner().get(path + "/versions").is(200).list()
		require.GreaterOrEqual(t, len(l), 10)
		for i := range 10 {
			assert.EqualValues(t, 12-i, l[i].(m)["version"])
		}
		oldest := l[len(l)-1].(m)
		o := t.owner().post(path+"/rollback", m{"version": oldest["version"]}).is(200).object()
		assert.EqualValues(t, 13, o["version"])
	},
	"admin.live": func(t *T) {
		tenant := t.tenant()
		c, model := t.caller(tenant).addHeader("X-Cache-Control", "no-cache"), t.name("live")
		try := func() int { return c.post("/v1/chat/completions", buildChat(model, "hi")).status }
		require.Equal(t, 404, try())
		r := t.owner().post(
			routes,
			m{"model_pattern": model, "providers": []m{{"provider": "mock", "model_override": "mock-echo"}}},
		).is(
			201,
		).object()
		t.eventually("the route is in force", func() bool { return try() == 200 })
		t.echoes(c.post("/v1/chat/completions", buildChat(model, "hi")).is(200).object(), "hi", "choices", "message", "content")
		p := t.policy(tenant, denies(model, "not this one"))
		t.becomes(p, "ACTIVE")
		t.eventually("the policy is in force", func() bool { return try() == 403 })
		t.becomes(p, "ARCHIVED")
		t.eventually("the policy is out of force", func() bool { return try() == 200 })
		t.owner().delete(routes + "/" + t.id(r)).is(204)
		t.eventually("the route is out of force", func() bool { return try() == 404 })
	},
}
