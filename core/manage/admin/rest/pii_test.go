package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// keep stores a value of a tenant and returns its placeholder.
func (a *api) keep(tenant, typ, value string) string {
	token, err := a.vault.Mint(a.t.Context(), vault.Scope{Tenant: tenant, Key: "k"}, typ, value)
	require.NoError(a.t, err)
	return token
}

func TestPlaceholdersBecomeValuesAndTheLookIsTold(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{admin.FeatureDetokenize: true}
		tenant := a.do("POST", "/admin/v1/tenants", `{"name":"t"}`).is(201).str("id")
		mail := a.keep(tenant, "EMAIL", "ann@example.com")
		foreign := a.keep("another", "EMAIL", "bob@example.com")
		const unknown = "{{PII_EMAIL_0123456789abcdef}}"
		body := map[string]any{"tenant_id": tenant, "text": "to " + mail + ", " + foreign + " and " + unknown, "reason": "ticket 12"}
		for _, role := range []string{"owner", "policy-admin"} {
			r := a.sendAs(role, "POST", "/admin/v1/pii/detokenize", body).is(200)
			assert.Equal(t, "to ann@example.com, "+foreign+" and "+unknown, r.str("text"))
		}
		require.Equal(t, "PII_DETOKENIZED", a.events(tenant)[0])
		err := a.db.Audit().Visit(t.Context(), store.AuditFilter{Tenant: tenant, Limit: 1}, func(e *store.AuditRecord) error {
			assert.Contains(t, e.Payload, `"restored":1,"unresolved":2,"types":{"EMAIL":1},"reason":"ticket 12"`)
			assert.NotContains(t, e.Payload, "ann@example.com")
			return nil
		})
		require.NoError(t, err)
		a.do("POST", "/admin/v1/pii/detokenize", body, "Idempotency-Key", "one").is(200)
		a.license.features = nil
		a.do("POST", "/admin/v1/pii/detokenize", body, "Idempotency-Key", "one").requireRefusal(400, "DETOKENIZE_NOT_AVAILABLE")
		a.sendAs("billing-admin", "POST", "/admin/v1/pii/detokenize", body).requireRefusal(403, "FORBIDDEN")
		a.sendAs("admin@"+tenant, "POST", "/admin/v1/pii/detokenize", body).requireRefusal(403, "FORBIDDEN")
		a.do("POST", "/admin/v1/pii/detokenize", `{"text":"x"}`).requireRefusal(400, "missing_required_parameter")
		a.do("POST", "/admin/v1/pii/detokenize", map[string]any{"tenant_id": tenant}).requireRefusal(400, "missing_required_parameter")
	})
}

func TestTheTokensOfATenantAreForgottenForGood(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{admin.FeatureDetokenize: true}
		tenant := a.do("POST", "/admin/v1/tenants", `{"name":"t"}`).is(201).str("id")
		mail := a.keep(tenant, "EMAIL", "ann@example.com")
		a.keep(tenant, "EMAIL", "bob@example.com")
		a.keep(tenant, "IBAN", "DE02120300000000202051")
		body := map[string]any{"tenant_id": tenant, "text": mail}
		a.do("POST", "/admin/v1/pii/detokenize", body).is(200) // which also ensures that all are stored
		s := a.do("GET", "/admin/v1/pii/stats?tenant_id="+tenant, nil).is(200)
		assert.Contains(t, s.text, `"types":{"EMAIL":2,"IBAN":1}`)
		assert.NotContains(t, s.text, "example.com")

		a.sendAs("policy-admin", "DELETE", "/admin/v1/pii/tokens/"+tenant, nil).requireRefusal(403, "FORBIDDEN")
		a.do("DELETE", "/admin/v1/pii/tokens/unknown", nil).requireRefusal(404, "not_found")
		r := a.do("DELETE", "/admin/v1/pii/tokens/"+tenant, nil).is(200)
		assert.JSONEq(t, `{"tenant_id":"`+tenant+`","tokens_removed":3}`, r.text)
		assert.Equal(t, mail, a.do("POST", "/admin/v1/pii/detokenize", body).is(200).str("text"))
		assert.Contains(t, a.do("DELETE", "/admin/v1/pii/tokens/"+tenant, nil).is(200).text, `"tokens_removed":0`)
	})
}
