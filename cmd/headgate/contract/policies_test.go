package contract_test

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const policies = "/admin/v1/policies"

// createShadowPolicy creates a shadow policy that would deny a model, and sends n requests that it evaluates.
func (t *T) createShadowPolicy(n int) (policy m, tenant string) {
	t.Helper()
	defer t.honest()()
	tenant = t.tenant()
	policy = t.policy(tenant, denies("mock-echo", "no"))
	t.becomes(policy, "SHADOW")
	c := t.caller(tenant)
	c.chat("mock-echo", "hello")
	total := func() float64 {
		return t.number(t.owner().get(policies+"/"+t.id(policy)+"/shadow/stats").is(200).object(), "total_evaluations")
	}
	t.eventually("the shadow is evaluated", func() bool { c.chat("mock-echo", "hello"); return total() >= float64(n) })
	return policy, tenant
}

var policyRows = rows{
	"admin.policies.create": func(t *T) {
		tenant := t.tenant()
		o := t.owner().post(policies, m{"name": "p", "tenant_id": tenant, "description": "d", "dsl": denies("x", "no")}).is(201).object()
		assert.Equal(t, "DRAFT", o["status"])
		assert.EqualValues(t, 1, o["version"])
		assert.Equal(t, tenant, o["tenant_id"])
	},
	"admin.policies.list": func(t *T) {
		a, b := t.tenant(), t.tenant()
		one, two := t.id(t.policy(a, denies("x", "no"))), t.id(t.policy(b, denies("x", "no")))
		l := t.owner().get(policies + "?tenant_id=" + a).is(200).list()
		t.requireRecord(l, "id", one)
		assert.Nil(t, find(l, "id", two))
		all := t.owner().get(policies).is(200).list()
		t.requireRecord(all, "id", one)
		t.requireRecord(all, "id", two)
	},
	"admin.policies.get": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		t.requireSame(made, t.owner().get(policies+"/"+t.id(made)).is(200).object(), "id", "name", "dsl", "status", "version")
		t.requireGone(policies + "/nothing")
	},
	"admin.policies.update": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		o := t.owner().put(policies+"/"+t.id(made), m{"description": "new"}).is(200).object()
		assert.EqualValues(t, 2, o["version"])
		assert.Equal(t, "new", o["description"])
		t.requireSame(made, o, "id", "name", "dsl", "tenant_id", "status", "created_at")
		t.owner().put(policies+"/nothing", m{"name": "x"}).requireRefusal(404, "not_found_error", "")
	},
	"admin.policies.delete": func(t *T) {
		path := policies + "/" + t.id(t.policy(t.tenant(), denies("x", "no")))
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.requireGone(path)
		t.requireGone(path + "/versions")
		t.owner().delete(path).requireRefusal(404, "not_found_error", "")
	},
	"admin.policies.status": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		o := t.becomes(made, "ACTIVE")
		assert.Equal(t, "ACTIVE", o["status"])
		assert.Equal(t, made["id"], o["id"])
		assert.IsType(t, []any{}, o["warnings"])
		assert.Equal(t, "ARCHIVED", t.becomes(made, "ARCHIVED")["status"])
		t.owner().post(policies+"/nothing/status", m{"status": "ACTIVE"}).requireRefusal(404, "not_found_error", "")
	},
	"admin.policies.versions": func(t *T) {
		path := policies + "/" + t.id(t.policy(t.tenant(), denies("x", "no")))
		t.owner().put(path, m{"dsl": denies("y", "no")}).is(200)
		l := t.owner().get(path + "/versions").is(200).list()
		require.Len(t, l, 2)
		assert.EqualValues(t, 2, l[0].(m)["version"])
		assert.EqualValues(t, 1, l[1].(m)["version"])
		t.requireGone(policies + "/nothing/versions")
	},
	"admin.policies.rollback": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		path := policies + "/" + t.id(made)
		t.owner().put(path, m{"dsl": denies("y", "no"), "description": "new"}).is(200)
		o := t.owner().post(path+"/rollback", m{"version": 1}).is(200).object()
		assert.EqualValues(t, 3, o["version"])
		t.requireSame(made, o, "id", "dsl", "description")
		t.owner().post(path+"/rollback", m{"version": 99}).requireRefusal(404, "not_found_error", "")
	},
	"admin.policies.dry_run": func(t *T) {
		o := t.owner().post(
			policies+"/dry-run",
			m{"dsl": denies("gpt-4", "not this"), "tenant_id": t.tenant(), "model": "gpt-4"},
		).is(
			200,
		).object()
		assert.Equal(t, "DENIED", o["status"])
		assert.Equal(t, "no-model", o["rule_id"])
		o = t.owner().post(policies+"/dry-run", m{"dsl": denies("gpt-4", "not this"), "model": "other"}).is(200).object()
		assert.NotEqual(t, "DENIED", o["status"])
		t.owner().post(policies+"/dry-run", m{"dsl": "rules: [", "model": "x"}).requireRefusal(400, "invalid_request_error", "")
	},
	"admin.policies.promote": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		path := policies + "/" + t.id(made) + "/promote"
		t.owner().post(path, nil).requireRefusal(400, "", "")
		t.becomes(made, "SHADOW")
		t.createRoleClient("billing-admin", "").post(path, nil).requireRefusal(403, "authorization_error", "FORBIDDEN")
		assert.Equal(t, "ACTIVE", t.createRoleClient("policy-admin", "").post(path, nil).is(200).object()["status"])
		t.owner().post(policies+"/nothing/promote", nil).requireRefusal(404, "not_found_error", "")
	},
	"admin.policies.shadow_stats": func(t *T) {
		policy, tenant := t.createShadowPolicy(1)
		path := policies + "/" + t.id(policy) + "/shadow/stats"
		for _, who := range []*client{t.owner(), t.createRoleClient("policy-admin", ""), t.createRoleClient("developer", tenant), t.createRoleClient("viewer", tenant)} {
			assert.Equal(t, "1h", who.get(path + "?period=1h").is(200).object()["period"])
		}
		t.createRoleClient("billing-admin", "").get(path).requireRefusal(403, "authorization_error", "FORBIDDEN")
		t.createRoleClient("admin", tenant).get(path).requireRefusal(403, "authorization_error", "FORBIDDEN")
		t.owner().get(path+"?period=2d").requireRefusal(400, "invalid_request_error", "")
	},
	"admin.policies.shadow_events": func(t *T) {
		policy, tenant := t.createShadowPolicy(1)
		path := policies + "/" + t.id(policy) + "/shadow/events"
		for _, who := range []*client{t.owner(), t.createRoleClient("policy-admin", ""), t.createRoleClient("developer", tenant), t.createRoleClient("viewer", tenant)} {
			assert.NotEmpty(t, who.get(path).is(200).list())
		}
		t.createRoleClient("billing-admin", "").get(path).requireRefusal(403, "authorization_error", "FORBIDDEN")
		assert.Empty(t, t.owner().get(path+"?diverged=false").is(200).list())
	},
	"policy.id": func(t *T) {
		a := t.tenant()
		first := t.id(t.policy(a, denies("x", "")))
		assert.NotEqual(t, first, t.id(t.policy(a, denies("x", ""))))
	},
	"policy.tenant_id": func(t *T) {
		a := t.tenant()
		assert.Equal(t, a, t.policy(a, denies("x", "no"))["tenant_id"])
		assert.Nil(t, t.policy("", denies("x", "no"))["tenant_id"])
		t.owner().post(policies, m{"name": "p", "tenant_id": "nobody", "dsl": denies("x", "no")}).requireRefusal(404, "not_found_error", "")
	},
	"policy.name": func(t *T) {
		assert.Equal(t, "p 1", t.owner().post(policies, m{"name": "p 1", "dsl": denies("x", "no")}).is(201).object()["name"])
		assert.Contains(t, t.owner().post(policies, m{"dsl": denies("x", "no")}).requireRefusal(400, "invalid_request_error", ""), "name")
	},
	"policy.description": func(t *T) {
		o := t.owner().post(policies, m{"name": "p", "description": "wörds", "dsl": denies("x", "no")}).is(201).object()
		assert.Equal(t, "wörds", t.owner().get(policies + "/" + t.id(o)).is(200).object()["description"])
	},
	"policy.dsl": func(t *T) {
		assert.Equal(t, denies("x", "no"), t.policy(t.tenant(), denies("x", "no"))["dsl"])
		for _, bad := range []string{
			"rules: [", "version: 1\nrules:\n  - id: a\n    conditions: {no.such: [x]}\n    action: DENY\n",
			"version: 1\nrules:\n  - id: a\n    conditions: {model.denylist: [x]}\n    action: EXPLODE\n",
		} {
			t.owner().post(policies, m{"name": "p", "dsl": bad}).requireRefusal(400, "invalid_request_error", "")
		}
	},
	"policy.status": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		for _, status := range []string{"SHADOW", "ACTIVE", "ARCHIVED", "DRAFT"} {
			t.becomes(made, status)
			assert.Equal(t, status, t.owner().get(policies + "/" + t.id(made)).is(200).object()["status"])
		}
		t.owner().post(policies+"/"+t.id(made)+"/status", m{"status": "GONE"}).requireRefusal(400, "invalid_request_error", "")
	},
	"policy.version": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		path := policies + "/" + t.id(made)
		assert.EqualValues(t, 1, made["version"])
		assert.EqualValues(t, 2, t.owner().put(path, m{"name": "b"}).is(200).object()["version"])
		assert.EqualValues(t, 3, t.owner().post(path+"/rollback", m{"version": 1}).is(200).object()["version"])
	},
	"policy.times": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		o := t.owner().put(policies+"/"+t.id(made), m{"name": "b"}).is(200).object()
		t.requireSame(made, o, "created_at")
		assert.True(t, t.time(o, "updated_at").After(t.time(made, "created_at")))
	},
	"policy.dry_run": func(t *T) {
		o := t.owner().post(policies+"/dry-run", m{"dsl": denies("gpt-4", "not this"), "model": "gpt-4"}).is(200).object()
		assert.Equal(t, "DENIED", o["status"])
		assert.Contains(t, t.text(o, "reason"), "not this")
		assert.Equal(t, "no-model", o["rule_id"])
		assert.GreaterOrEqual(t, t.number(o, "evaluation_time_ms"), 0.0)
	},
	"policy.promotion": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		t.becomes(made, "SHADOW")
		before := t.owner().get(policies + "/" + t.id(made)).is(200).object()
		o := t.owner().post(policies+"/"+t.id(made)+"/promote", nil).is(200).object()
		t.requireSame(made, o, "id", "name")
		assert.Equal(t, "ACTIVE", o["status"])
		assert.InDelta(t, t.number(before, "version")+1, o["version"], 0)
		assert.IsType(t, []any{}, o["warnings"])
	},
	"policy.shadow_stats": func(t *T) {
		policy, _ := t.createShadowPolicy(2)
		o := t.owner().get(policies + "/" + t.id(policy) + "/shadow/stats").is(200).object()
		assert.Equal(t, policy["id"], o["policy_id"])
		assert.Equal(t, o["total_evaluations"], o["divergent_count"])
		assert.EqualValues(t, 1, o["divergence_rate"])
		by, _ := o["by_rule"].([]any)
		r := t.requireRecord(by, "rule_id", "no-model")
		assert.Equal(t, o["divergent_count"], r["count"])
		assert.Equal(t, "shadow_deny_active_allow", r["divergence_type"])
	},
	"policy.shadow_event": func(t *T) {
		policy, tenant := t.createShadowPolicy(1)
		l := t.owner().get(policies + "/" + t.id(policy) + "/shadow/events").is(200).list()
		require.NotEmpty(t, l)
		o := l[0].(m)
		for field, want := range (m{
			"policy_id": policy["id"], "rule_id": "no-model", "tenant_id": tenant, "model": "mock-echo", "diverged": true,
			"divergence_type": "shadow_deny_active_allow",
		}) {
			assert.Equal(t, want, o[field], field)
		}
		t.text(o, "id")
		t.text(o, "request_id")
		t.text(o, "active_decision")
		t.text(o, "shadow_decision")
		t.time(o, "timestamp")
	},
	"state.policy.created": func(t *T) {
		o := t.policy(t.tenant(), denies("x", "no"))
		assert.Equal(t, "DRAFT", o["status"])
		assert.EqualValues(t, 1, o["version"])
	},
	"state.policy.status": func(t *T) {
		tenant := t.tenant()
		t.becomes(t.policy(tenant, denies("x", "no")), "ACTIVE")
		o := t.becomes(t.policy(tenant, denies("x", "not either")), "ACTIVE")
		warnings, _ := o["warnings"].([]any)
		require.NotEmpty(t, warnings, "two policies deny the same model")
		assert.Regexp(t, `^[A-Z_]+: .+`, warnings[0])
	},
	"state.policy.promoted": func(t *T) {
		policy, _ := t.createShadowPolicy(1)
		path := policies + "/" + t.id(policy)
		before := t.owner().get(path).is(200).object()
		o := t.owner().post(path+"/promote", nil).is(200).object()
		assert.Equal(t, "ACTIVE", o["status"])
		assert.InDelta(t, t.number(before, "version")+1, o["version"], 0)
		assert.Empty(t, t.owner().get(path+"/shadow/events").is(200).list())
	},
	"state.policy.not_shadow": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		path := policies + "/" + t.id(made)
		for _, status := range []string{"DRAFT", "ACTIVE", "ARCHIVED"} {
			t.becomes(made, status)
			before := t.owner().get(path).is(200).object()
			assert.Equal(t, status, before["status"])
			t.owner().post(path+"/promote", nil).requireRefusal(400, "", "")
			t.requireSame(before, t.owner().get(path).is(200).object(), "status", "version")
		}
	},
	"state.policy.kept": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		path := policies + "/" + t.id(made)
		t.becomes(made, "SHADOW")
		before := t.owner().get(path).is(200).object()
		o := t.owner().put(path, m{"dsl": denies("y", "no")}).is(200).object()
		assert.Equal(t, "SHADOW", o["status"])
		assert.InDelta(t, t.number(before, "version")+1, o["version"], 0)
		o = t.owner().post(path+"/rollback", m{"version": before["version"]}).is(200).object()
		assert.Equal(t, "SHADOW", o["status"])
		assert.InDelta(t, t.number(before, "version")+2, o["version"], 0)
	},
	"limit.policy_versions": func(t *T) {
		path := policies + "/" + t.id(t.policy(t.tenant(), denies("x", "no")))
		for range 11 {
			t.owner().put(path, m{"description": t.name("d")}).is(200)
		}
		l := t.owner().get(path + "/versions").is(200).list()
		require.GreaterOrEqual(t, len(l), 10)
		assert.EqualValues(t, 12, l[0].(m)["version"])
	},
	"limit.shadow_period": func(t *T) {
		policy, _ := t.createShadowPolicy(1)
		path := policies + "/" + t.id(policy) + "/shadow/stats"
		assert.Equal(t, "24h", t.owner().get(path).is(200).object()["period"])
		for _, period := range []string{"1h", "24h", "7d"} {
			assert.Equal(t, period, t.owner().get(path + "?period=" + period).is(200).object()["period"])
		}
		t.owner().get(path+"?period=30d").requireRefusal(400, "invalid_request_error", "")
	},
	"limit.shadow_events": func(t *T) {
		policy, _ := t.createShadowPolicy(52)
		path := policies + "/" + t.id(policy) + "/shadow/events"
		l := t.owner().get(path).is(200).list()
		assert.Len(t, l, 50)
		for _, v := range l {
			assert.Equal(t, true, v.(m)["diverged"])
		}
		assert.Len(t, t.owner().get(path+"?limit=3").is(200).list(), 3)
		t.owner().get(path+"?limit=none").requireRefusal(400, "invalid_request_error", "")
	},
	"event.shadow": func(t *T) {
		policy, tenant := t.createShadowPolicy(1)
		c := t.caller(tenant)
		for i := range 3 {
			c.chat("mock-echo", "hello")
			t.eventually("each evaluation has its record", func() bool {
				return len(t.owner().get(policies+"/"+t.id(policy)+"/shadow/events?limit=1000").is(200).list()) > i
			})
		}
		seen := map[any]bool{}
		for _, v := range t.owner().get(policies + "/" + t.id(policy) + "/shadow/events?limit=1000").is(200).list() {
			assert.False(t, seen[v.(m)["request_id"]], "one request has two records")
			seen[v.(m)["request_id"]] = true
		}
	},
	"error.promote": func(t *T) {
		made := t.policy(t.tenant(), denies("x", "no"))
		t.owner().post(policies+"/"+t.id(made)+"/promote", nil).requireRefusal(400, "", "")
	},
	"refusal.5": func(t *T) {
		tenant := t.tenant()
		c := t.caller(tenant)
		t.becomes(t.policy(tenant, denies("mock-echo", "ask the desk first")), "ACTIVE")
		t.eventually("the policy is in force", func() bool { return c.post("/v1/chat/completions", buildChat("mock-echo", "hi")).status == 403 })
		says := c.post("/v1/chat/completions", buildChat("mock-echo", "hi")).requireRefusal(403, "", "POLICY_DENIED")
		assert.Equal(t, "ask the desk first", says)
	},
}
