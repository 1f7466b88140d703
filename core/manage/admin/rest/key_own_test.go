package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestADeveloperManagesTheirOwnKeysWithinTheTemplate(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.tenantAs("t")
		const path, dev = "/admin/v1/tenants/t/keys", "developer@t"
		a.sendAs("admin@t", "PUT", "/admin/v1/tenants/t", `{"key_template":{"models":["mcp/x"]}}`).requireRefusal(400, "invalid_value")
		set := a.sendAs("admin@t", "PUT", "/admin/v1/tenants/t", `{"key_template":{"models":["gpt-*","mock-echo"],"days":30,"keys":2,"monthly_usd":20}}`).is(200)
		assert.Equal(t, "mock-echo", set.str("key_template", "models", 1))
		a.sendAs(dev, "POST", path, `{"name":"a","models":["claude-*"]}`).requireRefusal(403, "KEY_TEMPLATE")
		a.sendAs(dev, "POST", path, `{"name":"a","expires_at":"2999-01-31T00:00:00Z"}`).requireRefusal(403, "KEY_TEMPLATE")
		first := a.sendAs(dev, "POST", path, `{"name":"a"}`).is(201)
		assert.Equal(t, "gpt-*", first.str("models", 0))
		assert.NotEmpty(t, first.str("owner"))
		assert.NotEmpty(t, first.str("expires_at"))
		budgets := a.do("GET", "/admin/v1/budgets?apiKeyId="+first.str("id"), nil).is(200)
		assert.Equal(t, "MONTHLY", budgets.str("data", 0, "period"))
		assert.Equal(t, first.str("id"), budgets.str("data", 0, "apiKeyId"))
		one := first.header.Get("Location")
		a.sendAs(dev, "PUT", one, `{"models":[]}`).requireRefusal(403, "KEY_TEMPLATE")
		a.sendAs(dev, "PUT", one, `{"expires_at":""}`).requireRefusal(403, "KEY_TEMPLATE")
		a.sendAs(dev, "PUT", one, `{"owner":"x"}`).requireRefusal(403, "FORBIDDEN")
		assert.Equal(t, "mock-echo", a.sendAs(dev, "PUT", one, `{"models":["mock-echo"],"name":"b"}`).is(200).str("models", 0))
		assert.Equal(t, "mock-echo", a.sendAs(dev, "POST", one+"/rotate", nil).is(201).str("models", 0), "the limits are those of the old key")
		a.sendAs(dev, "POST", path, `{"name":"c"}`).is(201)
		a.sendAs(dev, "POST", path, `{"name":"d"}`).requireRefusal(409, "KEY_TEMPLATE")

		theirs := a.sendAs("admin@t", "POST", path, `{"name":"ci"}`).is(201)
		assert.Zero(t, theirs.len("models"), "the template does not limit those who manage all keys")
		other := theirs.header.Get("Location")
		for _, call := range [][2]string{{"PUT", other}, {"DELETE", other}, {"POST", other + "/rotate"}} {
			body := any(nil)
			if call[0] == "PUT" {
				body = `{"name":"mine"}`
			}
			a.sendAs(dev, call[0], call[1], body).requireRefusal(403, "FORBIDDEN")
		}
		a.sendAs("admin@t", "PUT", other, `{"owner":"nobody"}`).requireRefusal(400, "invalid_value")
		_, err := a.db.Users().Insert(t.Context(), store.User{
			ID: "eve", Email: "eve@example.com", Name: "Eve", TenantID: "t", Roles: []string{"developer"}, Status: store.UserActive,
		})
		require.NoError(t, err)
		a.sendAs("admin@t", "PUT", other, `{"owner":"eve"}`).is(200)
		a.sendAs("developer@t@eve", "DELETE", other, nil).is(204)
		a.sendAs("viewer@t", "DELETE", one, nil).requireRefusal(403, "FORBIDDEN")
	})
}

func TestNoKeyIsNamedAsTheIDOfAnother(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.tenantAs("t")
		const path, dev = "/admin/v1/tenants/t/keys", "developer@t"
		victim := a.sendAs("admin@t", "POST", path, `{"name":"ci"}`).is(201)
		a.do("POST", "/admin/v1/budgets", `{"name":"of ci","tenantId":"t","apiKeyId":"`+victim.str("id")+`","limitUsd":1}`).is(201)
		// A key of this name would spend the budget of the other one.
		a.sendAs(dev, "POST", path, `{"name":"`+victim.str("id")+`"}`).requireRefusal(400, "invalid_value")
		own := a.sendAs("admin@t", "POST", path, `{"name":"own"}`).is(201)
		a.sendAs("admin@t", "PUT", own.header.Get("Location"), `{"name":"`+victim.str("id")+`"}`).requireRefusal(400, "invalid_value")
		a.sendAs("admin@t", "PUT", own.header.Get("Location"), `{"name":"ci"}`).is(200)
	})
}
