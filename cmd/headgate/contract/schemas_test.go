package contract_test

import (
	"encoding/json"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const schemas = "/admin/v1/schemas"

// outline creates an output schema for a model.
func (t *T) outline(model string) m {
	t.Helper()
	defer t.honest()()
	return t.owner().post(schemas, m{
		"modelPattern":     model,
		"schema":           m{"type": "object", "required": []string{"a"}},
		"maxRetries":       2,
		"correctionPrompt": "Answer with JSON.",
		"enabled":          true,
	}).is(201).object()
}

var schemaRows = rows{
	"admin.schemas.create": func(t *T) {
		model := t.name("m")
		assert.Equal(t, model, t.outline(model)["modelPattern"])
		t.owner().post(schemas, m{"modelPattern": model, "schema": m{"type": "no such type"}}).requireRefusal(400, "invalid_request_error", "")
		t.owner().post(schemas, m{"modelPattern": model}).requireRefusal(400, "invalid_request_error", "")
		t.owner().post(
			schemas,
			m{"modelPattern": model, "schema": m{"type": "object"}, "maxRetries": -1},
		).requireRefusal(
			400,
			"invalid_request_error",
			"",
		)
	},
	"admin.schemas.list": func(t *T) {
		made := t.outline(t.name("m"))
		t.requireRecord(t.owner().get(schemas).is(200).array(), "id", t.id(made))
	},
	"admin.schemas.get": func(t *T) {
		made := t.outline(t.name("m"))
		t.requireSame(made, t.owner().get(schemas+"/"+t.id(made)).is(200).object(), "id", "modelPattern", "schema")
		t.requireGone(schemas + "/nothing")
	},
	"admin.schemas.update": func(t *T) {
		made := t.outline(t.name("m"))
		o := t.owner().put(schemas+"/"+t.id(made), m{"enabled": false, "maxRetries": 1}).is(200).object()
		assert.Equal(t, false, o["enabled"])
		assert.EqualValues(t, 1, o["maxRetries"])
		t.requireSame(made, o, "id", "modelPattern", "schema", "correctionPrompt")
		t.owner().put(schemas+"/nothing", m{"enabled": false}).requireRefusal(404, "not_found_error", "")
	},
	"admin.schemas.delete": func(t *T) {
		path := schemas + "/" + t.id(t.outline(t.name("m")))
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.requireGone(path)
		t.owner().delete(path).requireRefusal(404, "not_found_error", "")
	},
	"schema.fields": func(t *T) {
		model := t.name("m")
		o := t.owner().get(schemas + "/" + t.id(t.outline(model))).is(200).object()
		for field, want := range (m{
			"modelPattern": model, "schema": m{"type": "object", "required": []any{"a"}}, "maxRetries": 2.0,
			"correctionPrompt": "Answer with JSON.", "enabled": true,
		}) {
			assert.Equal(t, want, o[field], field)
		}
		r := t.route()
		o = t.owner().post(schemas, m{"routeId": t.id(r), "schema": m{"type": "object"}}).is(201).object()
		assert.Equal(t, r["id"], o["routeId"])
	},
	"unlicensed.schemas": func(t *T) {
		t = t.useVariant(unlicensed)
		t.owner().get(schemas).requireRefusal(400, "", "")
		t.owner().post(schemas, m{"modelPattern": "m", "schema": m{"type": "object"}}).requireRefusal(400, "", "")
	},
}

const (
	detokenize = "/admin/v1/pii/detokenize"
	piiTokens  = "/admin/v1/pii/tokens/"
)

// redactValue redacts a value of a tenant, and returns the placeholder that its provider received instead.
func (t *T) redactValue(c *client, value string) (placeholder string) {
	t.Helper()
	defer t.honest()()
	model := "real-" + t.name("model")
	c.post("/v1/chat/completions", buildChat(model, value)).is(200)
	body := t.place.findSent(model)
	require.NotNil(t, body, "nothing reached the provider")
	text, err := json.Marshal(body["messages"])
	require.NoError(t, err)
	found := placeholderText.FindString(string(text))
	require.NotEmpty(t, found, "the provider got no placeholder: %s", text)
	return found
}

var piiRows = rows{
	"admin.pii.detokenize": func(t *T) {
		tenant, other := t.tenant(), t.tenant()
		p := t.redactValue(t.caller(tenant), "write to jane.doe@example.com")
		unknown := "{{PII_EMAIL_0123456789abcdef}}"
		body := m{"text": "to " + p + " and " + unknown, "tenant_id": tenant}
		for _, who := range []*client{t.owner(), t.createRoleClient("policy-admin", "")} {
			assert.Equal(t, "to jane.doe@example.com and "+unknown, who.post(detokenize, body).is(200).object()["text"])
		}
		t.createRoleClient("billing-admin", "").post(detokenize, body).requireRefusal(403, "authorization_error", "FORBIDDEN")
		t.createRoleClient("admin", tenant).post(detokenize, body).requireRefusal(403, "authorization_error", "FORBIDDEN")
		body["tenant_id"] = other
		assert.Equal(t, body["text"], t.owner().post(detokenize, body).is(200).object()["text"], "another tenant's tokens are unknown")
		t.owner().post(detokenize, m{"text": "x"}).requireRefusal(400, "invalid_request_error", "")
		t.owner().post(detokenize, m{"tenant_id": tenant}).requireRefusal(400, "invalid_request_error", "")
	},
	"admin.pii.delete": func(t *T) {
		tenant := t.tenant()
		p := t.redactValue(t.caller(tenant), "write to john.roe@example.com")
		t.createRoleClient("policy-admin", "").delete(piiTokens+tenant).requireRefusal(403, "authorization_error", "FORBIDDEN")
		o := t.owner().delete(piiTokens + tenant).is(200).object()
		assert.Equal(t, tenant, o["tenant_id"])
		assert.GreaterOrEqual(t, t.number(o, "tokens_removed"), 1.0)
		assert.EqualValues(t, 0, t.owner().delete(piiTokens + tenant).is(200).object()["tokens_removed"])
		assert.Equal(t, p, t.owner().post(detokenize, m{"text": p, "tenant_id": tenant}).is(200).object()["text"])
		t.owner().delete(piiTokens+"nobody").requireRefusal(404, "not_found_error", "")
	},
	"unlicensed.detokenize": func(t *T) {
		t.useVariant(unlicensed).owner().post(detokenize, m{"text": "x", "tenant_id": "default"}).requireRefusal(400, "", "")
	},
}
