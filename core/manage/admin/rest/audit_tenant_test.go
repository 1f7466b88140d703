package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	licence "github.com/headgate-dev/headgate/core/records/license"
)

func TestAChangeOfATenantsRecordIsToldAsTheTenants(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{licence.Chargeback: true}
		tenant := a.do("POST", "/admin/v1/tenants", `{"name":"Research"}`).is(201).str("id")
		made := func(path string, body map[string]any) string {
			return a.do("POST", "/admin/v1"+path, body).is(201).str("id")
		}
		own := "/tenants/" + tenant
		member := made(
			own+"/members",
			map[string]any{"email": "m@example.com", "name": "M", "roles": []string{"viewer"}, "password": "correct horse battery"},
		)
		key := made(own+"/keys", map[string]any{"name": "k"})
		budget := made("/budgets", map[string]any{"name": "of the key", "apiKeyId": key, "limitUsd": 1, "period": "MONTHLY"})
		policy := made("/policies", map[string]any{"name": "p", "tenant_id": tenant, "dsl": denies})
		webhook := made(
			"/webhooks",
			map[string]any{
				"name":        "w",
				"tenant_id":   tenant,
				"url":         "https://example.com/hook",
				"event_types": []string{"POLICY_DENIAL"},
				"secret":      hookSecret,
			},
		)
		a.do("PUT", "/admin/v1"+own, `{"region":"eu"}`).is(200)
		a.do("POST", "/admin/v1"+own+"/keys/"+key+"/rotate", nil).is(201)
		a.do("PUT", "/admin/v1/budgets/"+budget, `{"limitUsd":2}`).is(200)
		for _, p := range []string{"/budgets/" + budget, "/policies/" + policy, "/webhooks/" + webhook, own + "/members/" + member} {
			a.do("DELETE", "/admin/v1"+p, nil).is(204)
		}
		route := made("/routes", map[string]any{"model_pattern": "x", "providers": []any{map[string]any{"provider": "mock"}}})

		seen := map[string]int{}
		for _, path := range []string{"?limit=500&", "?limit=3&", "?"} {
			next := "/admin/v1/audit/events" + path + "event_type=CONFIG_CHANGED"
			for next != "" {
				r := a.do("GET", next, nil).is(200)
				for i := range r.len() {
					resource := r.str(i, "payload", "resource")
					seen[resource]++
					want := any(tenant)
					if r.str(i, "payload", "id") == route {
						want = nil
					}
					assert.Equal(t, want, r.field(i, "tenantId"), "%s %s", r.str(i, "payload", "action"), resource)
				}
				next = r.readNextPath()
			}
		}
		for _, resource := range []string{"tenant", "member", "key", "budget", "policy", "webhook", "route"} {
			assert.NotZero(t, seen[resource], resource)
		}
		var list []struct {
			TenantID *string
			Payload  struct{ Resource string }
		}
		require.NoError(
			t,
			json.Unmarshal([]byte(a.do("GET", "/admin/v1/audit/events/export/json?event_type=CONFIG_CHANGED", nil).is(200).text), &list),
		)
		for _, e := range list {
			if e.TenantID != nil {
				assert.Equal(t, tenant, *e.TenantID)
			}
		}
	})
}
