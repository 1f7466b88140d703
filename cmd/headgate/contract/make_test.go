package contract_test

import (
	"net/http"

	"github.com/stretchr/testify/require"
)

// client returns a client with headers and without a credential.
func (t *T) client() *client {
	t.Helper()
	return &client{t, t.place.gateway(t.judge, t.variant).base, http.Header{}}
}

// bearer returns a client with a token.
func (t *T) bearer(token string) *client {
	t.Helper()
	return t.client().addHeader("Authorization", "Bearer "+token)
}

// owner returns a client with all permissions.
func (t *T) owner() *client { t.Helper(); return t.bearer(ownerToken) }

// tenant creates a tenant and returns its id.
func (t *T) tenant() string {
	t.Helper()
	defer t.honest()()
	return t.text(t.owner().post("/admin/v1/tenants", m{"name": t.name("tenant")}).is(201).object(), "id")
}

// key creates a gateway key without scopes, and waits until it is in force.
func (t *T) key(tenant string) m {
	t.Helper()
	defer t.honest()()
	k := t.owner().post("/admin/v1/tenants/"+tenant+"/keys", m{"name": t.name("key"), "scopes": []string{}}).is(201).object()
	t.opens(t.text(k, "key"))
	return k
}

// opens waits until a gateway key authenticates.
func (t *T) opens(key string) {
	t.Helper()
	defer t.honest()()
	t.eventually("the key authenticates", func() bool { return t.bearer(key).get("/v1/models").status == http.StatusOK })
}

// caller returns a client with a new gateway key of a tenant.
func (t *T) caller(tenant string) *client {
	t.Helper()
	return t.bearer(t.text(t.key(tenant), "key"))
}

// buildChat returns a chat request of one message.
func buildChat(model, text string) m {
	return m{"model": model, "messages": []m{{"role": "user", "content": text}}}
}

// chat sends a message to the mock, which must answer.
func (c *client) chat(model, text string) *answer {
	c.t.Helper()
	a := c.post("/v1/chat/completions", buildChat(model, text)).is(200)
	require.Equal(c.t, model, a.object()["model"])
	return a
}

// route creates a route for a unique pattern.
func (t *T) route() m {
	t.Helper()
	defer t.honest()()
	return t.owner().post("/admin/v1/routes", m{"model_pattern": t.name("model"), "providers": []m{{"provider": "mock"}}}).is(201).object()
}

// denies returns the text of a policy that refuses a model.
func denies(model, message string) string {
	return "version: 1\nrules:\n  - id: no-model\n    conditions:\n      model.denylist: [\"" + model + "\"]\n    action: DENY\n    deny_message: \"" + message + "\"\n"
}

// policy creates a policy of a tenant.
func (t *T) policy(tenant, dsl string) m {
	t.Helper()
	defer t.honest()()
	body := m{"name": t.name("policy"), "dsl": dsl}
	if tenant != "" {
		body["tenant_id"] = tenant
	}
	return t.owner().post("/admin/v1/policies", body).is(201).object()
}

// becomes sets the status of a policy.
func (t *T) becomes(policy m, status string) m {
	t.Helper()
	defer t.honest()()
	return t.owner().post("/admin/v1/policies/"+t.text(policy, "id")+"/status", m{"status": status}).is(200).object()
}

// price creates a price of a model.
func (t *T) price(model string) m {
	t.Helper()
	defer t.honest()()
	return t.owner().post(
		"/admin/v1/pricing",
		m{"model": model, "provider": "mock", "inputPricePerMillion": 1000, "outputPricePerMillion": 2000},
	).is(
		201,
	).object()
}

// budget creates a budget of a tenant.
func (t *T) budget(tenant string) m {
	t.Helper()
	defer t.honest()()
	return t.owner().post("/admin/v1/budgets", m{
		"name": t.name("budget"), "tenantId": tenant, "period": "MONTHLY", "limitUsd": 50, "softLimitPct": 80, "enabled": true,
	}).is(201).object()
}

// id returns the id of a record.
func (t *T) id(o m) string { t.Helper(); return t.text(o, "id") }

// version returns the configuration version that other nodes would read.
func (t *T) version() float64 {
	t.Helper()
	defer t.honest()()
	return t.number(t.client().addHeader("X-Internal-Secret", internalSecret).get("/internal/v1/config/version").is(200).object(), "version")
}

// requireGone requires that a record no longer exists.
func (t *T) requireGone(path string) {
	t.Helper()
	t.owner().get(path).requireRefusal(404, "not_found_error", "")
}

// requireSame requires that two records have the same value of a member.
func (t *T) requireSame(a, b m, fields ...string) {
	t.Helper()
	for _, f := range fields {
		require.Equal(t, a[f], b[f], f)
	}
}
