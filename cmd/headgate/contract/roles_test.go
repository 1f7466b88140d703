package contract_test

import (
	"github.com/stretchr/testify/assert"
)

// mayNot requires that the role does not cover a call.
func (a *answer) mayNot() { a.t.Helper(); a.requireRefusal(403, "authorization_error", "FORBIDDEN") }

var roleRows = rows{
	"role.owner": func(t *T) {
		c := t.createRoleClient("owner", "")
		id := t.id(c.post(tenants, m{"name": t.name("a")}).is(201).object())
		for _, path := range []string{tenants, keysOf(id), routes, policies, pricing, costs, budgets, chargeback, audits, reports, schemas, webhooks, guards, users} {
			c.sees(path)
		}
	},
	"role.policy_admin": func(t *T) {
		c := t.createRoleClient("policy-admin", "")
		for _, path := range []string{routes, policies, guards, audits} {
			c.sees(path)
		}
		c.post(policies, m{"name": "p", "dsl": denies("x", "no")}).is(201)
		c.post(routes, m{"model_pattern": t.name("m"), "providers": []m{{"provider": "mock"}}}).is(201)
		c.get(pricing).mayNot()
		c.post(budgets, m{"name": "b"}).mayNot()
		c.post(tenants, m{"name": "x"}).mayNot()
	},
	"role.billing_admin": func(t *T) {
		c, tenant := t.createRoleClient("billing-admin", ""), t.tenant()
		for _, path := range []string{pricing, costs, budgets, chargeback} {
			c.sees(path)
		}
		c.post(pricing, m{"model": t.name("m"), "provider": "mock", "inputPricePerMillion": 1, "outputPricePerMillion": 1}).is(201)
		c.post(budgets, m{"name": "b", "tenantId": tenant, "period": "MONTHLY", "limitUsd": 1}).is(201)
		c.post(policies, m{"name": "p", "dsl": denies("x", "no")}).mayNot()
		c.get(audits).mayNot()
		c.post(keysOf(tenant), m{"name": "k"}).mayNot()
	},
	"role.admin": func(t *T) {
		tenant := t.tenant()
		c := t.createRoleClient("admin", tenant)
		assert.Equal(t, m{"a": 1.0}, c.put(tenants+"/"+tenant, m{"metadata": m{"a": 1}}).is(200).object()["metadata"])
		k := c.post(keysOf(tenant), m{"name": "k"}).is(201).object()
		c.post(keysOf(tenant)+"/"+t.id(k)+"/rotate", nil).is(201)
		c.delete(keysOf(tenant) + "/" + t.id(k)).is(204)
		assert.Len(t, c.get(tenants+"/"+tenant+"/members").is(200).list(), 1)
		c.sees(tenants + "/" + tenant + "/members")
		c.post(tenants, m{"name": "x"}).mayNot()
		c.post(routes, m{"model_pattern": "m", "providers": []m{{"provider": "mock"}}}).mayNot()
		c.get(pricing).mayNot()
	},
	"role.developer": func(t *T) {
		tenant := t.tenant()
		c := t.createRoleClient("developer", tenant)
		k := c.post(keysOf(tenant), m{"name": "k"}).is(201).object()
		c.get(costs).is(200).array()
		assert.Equal(t, tenant, c.get(costs + "/summary").is(200).object()["tenantId"])
		c.post(policies+"/dry-run", m{"dsl": denies("x", "no"), "model": "x"}).is(200)
		c.delete(keysOf(tenant) + "/" + t.id(k)).mayNot()
		c.put(tenants+"/"+tenant, m{"name": "x"}).mayNot()
		c.post(policies, m{"name": "p", "dsl": denies("x", "no")}).mayNot()
	},
	"role.viewer": func(t *T) {
		tenant := t.tenant()
		c := t.createRoleClient("viewer", tenant)
		t.key(tenant)
		c.sees(tenants + "/" + tenant)
		c.sees(keysOf(tenant))
		c.get(costs).is(200).array()
		c.get(policies).is(200)
		c.post(keysOf(tenant), m{"name": "k"}).mayNot()
		c.post(policies+"/dry-run", m{"dsl": denies("x", "no"), "model": "x"}).mayNot()
		c.put(tenants+"/"+tenant, m{"name": "x"}).mayNot()
	},
	"auth.rule.1": func(t *T) {
		mine, other := t.tenant(), t.tenant()
		c := t.createRoleClient("viewer", mine)
		for _, path := range []string{costs + "?tenantId=", costs + "/summary?tenantId=", budgets + "?tenantId=", costs + "/forecast?tenant_id=", policies + "?tenant_id="} {
			c.get(path+other).requireRefusal(403, "authorization_error", "")
			c.get(path + mine).is(200)
		}
		t.awaitEvent("", "TENANT_SCOPE_VIOLATION", other)
		t.budget(mine)
		t.budget(other)
		l := c.get(budgets).is(200).list()
		assert.Len(t, l, 1)
		t.requireRecord(l, "tenantId", mine)
	},
	"auth.rule.2": func(t *T) {
		t.owner().sees("/admin/v1/latency")
		tenant := t.tenant()
		for _, c := range []*client{t.createRoleClient("policy-admin", ""), t.createRoleClient("billing-admin", ""), t.createRoleClient("admin", tenant), t.createRoleClient("developer", tenant), t.createRoleClient("viewer", tenant)} {
			c.get("/admin/v1/latency").mayNot()
			c.get(webhooks).mayNot()
			c.get("/admin/v1/no-such-thing").requireRefusal(c.get("/admin/v1/no-such-thing").status, "", "")
		}
	},
	"auth.rule.3": func(t *T) {
		t = t.useVariant(unchecked)
		tenant := t.tenant()
		c := t.createRoleClient("viewer", tenant)
		c.post(keysOf(tenant), m{"name": "k"}).is(201)
		t.price(t.name("m"))
		c.sees(pricing)
		t.client().get(pricing).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"error.forbidden": func(t *T) {
		t.createRoleClient("viewer", t.tenant()).post(pricing, m{"model": "m"}).requireRefusal(403, "authorization_error", "FORBIDDEN")
	},
	"error.cross_tenant": func(t *T) {
		t.createRoleClient("viewer", t.tenant()).get(costs+"?tenantId="+t.tenant()).requireRefusal(403, "authorization_error", "")
	},
	"event.tenant_scope_violation": func(t *T) {
		other := t.tenant()
		t.createRoleClient("admin", t.tenant()).get(budgets+"?tenantId="+other).requireRefusal(403, "authorization_error", "")
		t.awaitEvent("", "TENANT_SCOPE_VIOLATION", other)
	},
	"decision.foreign_path": func(t *T) {
		other := t.tenant()
		c := t.createRoleClient("admin", t.tenant())
		for _, a := range []*answer{c.get(tenants + "/" + other), c.get(keysOf(other)), c.post(keysOf(other), m{"name": "k"}), c.put(tenants+"/"+other, m{"name": "k"})} {
			a.requireRefusal(403, "authorization_error", "")
		}
		t.awaitEvent("", "TENANT_SCOPE_VIOLATION", other)
	},
	"decision.org_admin": func(t *T) {
		u := t.owner().post(users, m{"email": t.name("org") + "@example.com", "name": "org", "roles": []string{"org-admin"}}).is(201).object()
		c := t.bearer(t.first(u))
		t.id(c.post(tenants, m{"name": t.name("a")}).is(201).object())
	},
}
