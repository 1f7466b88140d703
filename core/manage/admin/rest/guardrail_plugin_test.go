package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func plug(name string, more ...any) map[string]any {
	m := map[string]any{"name": name, "url": "https://guard.example.com/check", "secret": hookSecret}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}

func TestAGuardrailPluginIsMadeChangedSwitchedAndDeleted(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/guardrail-plugins", plug("words")).is(201)
		path := r.header.Get("Location")
		assert.Equal(t, "CLOSED", r.str("fail_mode"))
		assert.Equal(t, "5000", r.field("timeout_ms").(interface{ String() string }).String())
		assert.Equal(t, "Enabled", r.str("status"))
		assert.Equal(t, "enforce", r.str("mode"))
		got := a.do("GET", path, nil).is(200)
		assert.Equal(t, r.text, got.text)
		assert.NotContains(t, got.text, hookSecret)
		p, err := a.db.GuardrailPlugins().Get(t.Context(), r.str("id"))
		require.NoError(t, err)
		assert.NotContains(t, string(p.Secret), hookSecret[:16], "the secret is stored sealed")

		a.do("PUT", path, `{"fail_mode":"OPEN","timeout_ms":250}`, "If-Match", got.header.Get("ETag")).is(200)
		a.do("PUT", path, `{"fail_mode":"CLOSED"}`, "If-Match", got.header.Get("ETag")).requireRefusal(412, "precondition_failed")
		assert.Equal(t, "Disabled", a.do("POST", path+"/disable", nil).is(200).str("status"))
		on := a.do("POST", path+"/enable", nil).is(200)
		assert.Equal(t, "Enabled", on.str("status"))
		assert.Equal(t, "OPEN", on.str("fail_mode"), "omitted fields keep their values")
		rotated := a.do("POST", path+"/rotate", `{"secret":"fedcba9876543210fedcba9876543210"}`).is(200)
		assert.NotEmpty(t, rotated.str("previous_secret_until"))
		assert.NotContains(t, rotated.text, "fedcba98")
		a.do("POST", "/admin/v1/guardrail-plugins", plug("words")).requireRefusal(409, "conflict")
		a.do("DELETE", path, nil).is(204)
		a.do("GET", path, nil).requireRefusal(404, "not_found")
		assert.Equal(t, []string{
			"GUARDRAIL_PLUGIN_DELETED", "GUARDRAIL_PLUGIN_ROTATED", "GUARDRAIL_PLUGIN_UPDATED", "GUARDRAIL_PLUGIN_UPDATED",
			"GUARDRAIL_PLUGIN_UPDATED", "GUARDRAIL_PLUGIN_CREATED",
		}, a.events("")[:6])
	})
}

func TestOnlyTheOwnerRotatesTheSecretOfAGuardrailPlugin(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		path := a.sendAs("policy-admin", "POST", "/admin/v1/guardrail-plugins", plug("words")).is(201).header.Get("Location")
		a.sendAs("policy-admin", "POST", path+"/disable", nil).is(200)
		a.sendAs("policy-admin", "POST", path+"/rotate", `{"secret":"fedcba9876543210fedcba9876543210"}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("admin@t", "POST", "/admin/v1/guardrail-plugins", plug("mine")).requireRefusal(403, "FORBIDDEN")
		a.sendAs("billing-admin", "GET", path, nil).requireRefusal(403, "FORBIDDEN")
	})
}

func TestWhatIsWrongWithAGuardrailPluginIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for name, body := range map[string]any{
			"no secret":      map[string]any{"name": "a", "url": "https://x.example"},
			"a short one":    plug("a", "secret", "short"),
			"no URL":         plug("a", "url", "x"),
			"a fail mode":    plug("a", "fail_mode", "PERHAPS"),
			"no timeout":     plug("a", "timeout_ms", 0),
			"a long timeout": plug("a", "timeout_ms", 60001),
			"a mode":         plug("a", "mode", "off"),
			"a blank name":   plug(" "),
		} {
			t.Log(name)
			assert.NotContains(t, a.do("POST", "/admin/v1/guardrail-plugins", body).is(400).text, hookSecret)
		}
		a.do("POST", "/admin/v1/guardrail-plugins", plug("a", "tenant_id", "nobody")).requireRefusal(404, "not_found")
	})
}
