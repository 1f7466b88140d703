package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAChangeIsRecordedWithItsValuesBeforeAndAfter(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		changes := func() reply { return a.do("GET", "/admin/v1/audit/events?limit=1", nil).is(200) }
		path := a.do("POST", "/admin/v1/tenants", `{"name":"Research"}`).is(201).header.Get("Location")
		made := changes()
		assert.Equal(t, "Research", made.str(0, "payload", "changes", "name", "after"))
		assert.NotContains(t, made.text, "before")
		a.do("PUT", path, `{"name":"Search","tier":"premium"}`).is(200)
		now := changes()
		assert.Equal(t, "Research", now.str(0, "payload", "changes", "name", "before"))
		assert.Equal(t, "Search", now.str(0, "payload", "changes", "name", "after"))
		assert.Equal(t, "standard", now.str(0, "payload", "changes", "tier", "before"))
		assert.NotContains(t, now.text, "updated_at")

		key := a.do("POST", path+"/keys", `{"name":"ci","metadata":{"note":"private"}}`).is(201)
		issued := changes()
		assert.Equal(t, "(masked)", issued.str(0, "payload", "changes", "key", "after"))
		assert.NotContains(t, issued.text, key.str("key"))
		assert.NotContains(t, issued.text, "private")

		hook := a.do("POST", "/admin/v1/guardrail-plugins", plug("words", "url", "https://guard.example.com/T0/B0/secret-path")).is(201)
		assert.Equal(t, "https://guard.example.com/(masked)", changes().str(0, "payload", "changes", "url", "after"))
		a.do("POST", hook.header.Get("Location")+"/disable", nil).is(200)
		assert.Equal(t, "Disabled", changes().str(0, "payload", "changes", "status", "after"))
		a.do("DELETE", path, nil).is(204)
		assert.Equal(t, "Search", changes().str(0, "payload", "changes", "name", "before"))
	})
}

func TestARecordedChangeShowsOnlySchemeAndHostOfEveryAddress(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		changes := func() reply { return a.do("GET", "/admin/v1/audit/events?limit=1", nil).is(200) }
		const path = "/admin/v1/agents"
		a.do("POST", path, `{"name":"planner","url":"https://agents.example.com/PLAN","card_url":"https://agents.example.com/CARD",`+
			`"push_to":["https://hooks.slack.com/services/T0/B0/SLACK","https://hooks.example.com"]}`).is(201)
		made := changes()
		assert.Equal(t, "https://hooks.slack.com/(masked)", made.str(0, "payload", "changes", "push_to", "after", 0))
		assert.Equal(t, "https://hooks.example.com", made.str(0, "payload", "changes", "push_to", "after", 1))
		a.do("PUT", path+"/planner", `{"push_to":["https://other.example.com/OTHER"]}`).is(200)
		moved := changes()
		assert.Equal(t, "https://hooks.slack.com/(masked)", moved.str(0, "payload", "changes", "push_to", "before", 0))
		assert.Equal(t, "https://other.example.com/(masked)", moved.str(0, "payload", "changes", "push_to", "after", 0))
		a.do("DELETE", path+"/planner", nil).is(204)
		gone := changes()
		a.do("POST", "/admin/v1/mcp-servers", `{"name":"web","url":"https://mcp.example.com/MCP","openapi_url":"https://mcp.example.com/API",`+
			`"openapi_operations":["list_*"]}`).is(201)
		served := changes()
		for _, secret := range []string{"PLAN", "CARD", "SLACK", "OTHER", "MCP", "API"} {
			for _, event := range []string{made.text, moved.text, gone.text, served.text} {
				assert.NotContains(t, event, secret)
			}
		}
	})
}
