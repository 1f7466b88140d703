package rest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

func TestTheConfigurationIsExportedAndImportedElsewhere(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.do("POST", "/admin/v1/tenants", `{"name":"one","metadata":{"n":1.50},"tags":["x"]}`).is(201).str("id")
		a.do(
			"POST",
			"/admin/v1/routes",
			`{"model_pattern":"m","strategy":"weighted","providers":[{"provider":"mock","weight":0},{"provider":"mock"}]}`,
		).is(
			201,
		)
		p := a.do("POST", "/admin/v1/policies", map[string]string{"name": "p", "dsl": denies, "tenant_id": tenant}).is(201).header.Get("Location")
		a.do("POST", p+"/status", `{"status":"ACTIVE"}`).is(200)
		a.do("POST", "/admin/v1/pricing", `{"model":"m","provider":"mock","inputPricePerMillion":2.50,"outputPricePerMillion":10}`).is(201)
		a.do("POST", "/admin/v1/budgets", `{"name":"b","tenantId":"`+tenant+`","limitUsd":10.01,"softLimitPct":80}`).is(201)
		a.do(
			"POST",
			"/admin/v1/webhooks",
			`{"name":"w","url":"https://hooks.example.com/x","secret":"0123456789abcdef","event_types":["POLICY_DENIAL"]}`,
		).is(
			201,
		)
		a.do(
			"POST",
			"/admin/v1/guardrail-plugins",
			`{"name":"g","url":"https://guard.example.com/x","secret":"0123456789abcdef","enabled":false}`,
		).is(
			201,
		)
		a.do("POST", "/admin/v1/mcp-servers", `{"name":"web","url":"https://mcp.example.com/","headers":{"X-Api-Key":"0123456789abcdef"},`+
			`"allowed_tools":["find_*"],"access":[{"tenants":["*"]}],"price_per_call":0.5,"prices":{"find_all":0.25},"enabled":false}`).is(201)
		a.do("POST", "/admin/v1/virtual-servers", `{"name":"team","servers":[{"server":"web","tools":["find_*"]}],"list_timeout_ms":100}`).is(201)
		a.do("POST", "/admin/v1/agents", `{"name":"planner","url":"https://agents.example.com/x","headers":{"X-Api-Key":"0123456789abcdef"},`+
			`"trust":"restore","push_to":["https://hooks.example.com/a2a"],"access":[{"tenants":["*"]}],"price_per_call":0.5}`).is(201)
		a.plane.routes = []admin.Route{{ID: "f", ModelPattern: "x", Source: "file", Providers: []admin.RouteTarget{}}}
		out := a.do("GET", "/admin/v1/config/export", nil).is(200)
		assert.Equal(t, 1, out.len("routes"), "the export omits records of the file")

		same := a.do("POST", "/admin/v1/config/import?prune=true", out.text).is(200)
		assert.Equal(t, 0, same.len("changes"), same.text)

		assert.NotContains(t, out.text, "0123456789abcdef", "the export omits secrets")
		assert.Contains(
			t,
			a.do(
				"POST",
				"/admin/v1/config/import?dry_run=true",
				`{"budgets":[{"id":"`+out.str("budgets", 0, "id")+`","tenantId":"other"}]}`,
			).requireRefusal(
				400,
				"invalid_value",
			),
			"tenantId of an existing budget cannot be changed",
		)

		doc := strings.NewReplacer(
			`"url":"https://guard`, `"secret":"0123456789abcdef","url":"https://guard`,
			`"url":"https://hooks`, `"secret":"0123456789abcdef","url":"https://hooks`,
			`"url":"https://agents`, `"headers":{"X-Api-Key":"0123456789abcdef"},"url":"https://agents`,
		).Replace(out.text)
		b := newAPI(t, storetest.Open(t, storetest.CreateSQLite(t)))
		b.do("POST", "/admin/v1/routes", `{"model_pattern":"old","providers":[{"provider":"mock"}]}`).is(201)
		dry := b.do("POST", "/admin/v1/config/import?prune=true&dry_run=true", doc).is(200)
		assert.Equal(t, 11, dry.len("changes"), dry.text)
		assert.Equal(t, 1, b.do("GET", "/admin/v1/routes", nil).len("data"), "a dry run changes nothing")
		b.do("POST", "/admin/v1/config/import?prune=true", doc).is(200)
		assert.JSONEq(t, out.text, b.do("GET", "/admin/v1/config/export", nil).is(200).text)
		assert.Equal(t, "ACTIVE", b.do("GET", p, nil).is(200).str("status"))
		assert.Contains(t, b.events(""), "CONFIG_IMPORTED")

		diff := b.do("POST", "/admin/v1/config/import?dry_run=true", `{"tenants":[{"id":"`+tenant+`","name":"two"}]}`).is(200)
		assert.Equal(t, "update", diff.str("changes", 0, "action"))
		assert.Equal(t, []any{"name"}, diff.field("changes", 0, "fields"))
		assert.Equal(t, 1, diff.len("changes"))
	})
}

func TestWhatIsWrongWithAnImportIsSaidBeforeAnythingChanges(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for name, bad := range map[string]string{
			"an unknown kind":     `{"tenants":[{"id":"a","name":"a"}],"things":[]}`,
			"no id":               `{"tenants":[{"id":"a","name":"a"},{"name":"b"}]}`,
			"an id twice":         `{"tenants":[{"id":"a","name":"a"},{"id":"a","name":"b"}]}`,
			"an unknown field":    `{"tenants":[{"id":"a","name":"a"},{"id":"b","colour":"red"}]}`,
			"a wrong type":        `{"tenants":[{"id":"a","name":7}]}`,
			"an unknown state":    `{"tenants":[{"id":"a","name":"a"},{"id":"b","name":"b","status":"Suspended"}]}`,
			"an overlong name":    `{"tenants":[{"id":"a","name":"` + strings.Repeat("x", 201) + `"}]}`,
			"a bad weight":        `{"tenants":[{"id":"a","name":"a"}],"routes":[{"id":"r","model_pattern":"m","providers":[{"provider":"mock","weight":-1}]}]}`,
			"no period":           `{"tenants":[{"id":"a","name":"a"}],"budgets":[{"id":"b","name":"b","limitUsd":1,"period":"YEARLY"}]}`,
			"a share above 100 %": `{"tenants":[{"id":"a","name":"a"}],"budgets":[{"id":"b","name":"b","limitUsd":1,"softLimitPct":101}]}`,
			"no patience":         `{"tenants":[{"id":"a","name":"a"}],"guardrail_plugins":[{"id":"g","name":"g","url":"https://g.example.com","secret":"0123456789abcdef","timeout_ms":-5}]}`,
			"an unknown policy":   `{"tenants":[{"id":"a","name":"a"}],"policies":[{"id":"p","name":"p","dsl":"","status":"GONE"}]}`,
			"an id with a path":   `{"tenants":[{"id":"a/../b","name":"a"}]}`,
		} {
			t.Log(name)
			refused := a.do("POST", "/admin/v1/config/import", bad).is(400)
			assert.Equal(t, "invalid_value", refused.str("error", "code"))
			param := refused.str("error", "param")
			assert.True(t, strings.HasPrefix(refused.str("error", "message"), param+": "), "%s: %s", param, refused.text)
			assert.NotEmpty(t, param)
		}
		assert.Equal(t, 0, a.do("GET", "/admin/v1/tenants", nil).is(200).len("data"))
		_, err := a.db.Tenants().Upsert(t.Context(), store.Tenant{ID: "filed", Name: "f", Status: "active", Source: "file"})
		require.NoError(t, err)
		a.do("POST", "/admin/v1/config/import", `{"tenants":[{"id":"filed","name":"b"}]}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.license.most = 9
		own := a.tenant("own")
		a.sendAs(
			"anybody@"+own,
			"POST",
			"/admin/v1/config/import",
			`{"tenants":[{"id":"`+a.tenant("other")+`","name":"b"}]}`,
		).requireRefusal(
			409,
			"conflict",
		)
		a.sendAs("policy-admin", "GET", "/admin/v1/config/export", nil).requireRefusal(403, "FORBIDDEN")
	})
}
