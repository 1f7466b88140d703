package rest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsWrongWithAValueSaysWhatToWrite(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const secret = "not for anybody's eyes"
		for _, c := range []struct{ method, path, body, field, says string }{
			{"POST", "/webhooks", `{"name":"w","url":"https://example.com","event_types":["POLICY_DENIAL"],"secret":"short"}`, "secret", "write at least 16 characters"},
			{"POST", "/webhooks", `{"name":"w","url":"https://example.com","event_types":[],"secret":"0123456789abcdef"}`, "event_types", "write a list of at least 1 element"},
			{"POST", "/tenants", `{"name":"` + strings.Repeat("x", 201) + `"}`, "name", "write at most 200 characters"},
			{"POST", "/tenants", `{"name":["a"]}`, "name", "write a text in quotes"},
			{"POST", "/tenants", `{"name":"a","tags":"b"}`, "tags", "write a list in square brackets"},
			{"POST", "/tenants", `{"name":"a","metadata":7}`, "metadata", "write an object in braces"},
			{"POST", "/tenants", `{"name":"a","tier":"` + secret + `"}`, "tier", "write one of premium, standard, bulk"},
			{"POST", "/budgets", `{"name":"a","limitUsd":1,"softLimitPct":700}`, "softLimitPct", "write a number of 100 or less"},
			{"POST", "/budgets", `{"name":"a","limitUsd":1,"enabled":"yes"}`, "enabled", "write true or false, without quotes"},
			{"POST", "/budgets", `{"name":"a","limitUsd":1,"softLimitPct":"` + secret + `"}`, "softLimitPct", "without quotes"},
			{"POST", "/users", `{"email":"` + secret + `","name":"n","roles":["owner"],"password":"correct horse battery"}`, "email", "write"},
			{"GET", "/tenants?limit=0", "", "limit", "write a number of 1 or more"},
			{"GET", "/tenants?limit=many", "", "limit", "write a whole number"},
			{"GET", "/policies/p/shadow/events?diverged=perhaps", "", "diverged", "write true or false"},
		} {
			var body any
			if c.body != "" {
				body = c.body
			}
			r := a.do(c.method, "/admin/v1"+c.path, body)
			said := r.requireRefusal(400, "invalid_value")
			assert.True(t, strings.HasPrefix(said, c.field+": "), said)
			assert.Contains(t, said, c.says, c.path)
			assert.Equal(t, c.field, r.str("error", "param"))
			assert.NotContains(t, said, secret)
			assert.NotContains(t, said, "expected")
		}
	})
}

func TestWhatTakesALicenceSaysHowToSetOne(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for body, path := range map[string]string{
			`{"text":"x","tenant_id":"t"}`:                          "/pii/detokenize",
			`{"from":"2026-01-01","to":"2026-02-01"}`:               "/chargeback",
			`{"type":"SOC2","from":"2026-01-01","to":"2026-02-01"}`: "/reports",
			`{}`: "/schemas",
		} {
			r := a.do("POST", "/admin/v1"+path, body)
			assert.Equal(t, 400, r.status, r.text)
			assert.Contains(
				t,
				r.str("error", "message"),
				"requires a valid licence; an owner sets one with PUT /admin/v1/license",
				path,
			)
		}
	})
}
