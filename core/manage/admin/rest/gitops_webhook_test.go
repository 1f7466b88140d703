package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnImportRotatesTheSecretsThatADocumentGives(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/config/import"
		document := func(more string) string {
			return `{"webhooks":[{"id":"h","name":"h","url":"https://hooks.example.com/x","event_types":["POLICY_DENIAL"]` + more + `}],` +
				`"guardrail_plugins":[{"id":"g","name":"g","url":"https://guards.example.com/x"` + more + `}]}`
		}
		const first, second = `,"secret":"secret-one-0123456"`, `,"secret":"secret-two-0123456"`
		a.do("POST", path, document("")).requireRefusal(400, "invalid_value")
		a.do("POST", path, document(first)).is(200)
		for _, c := range []struct {
			name, more string
			fields     []any // of both records
		}{
			{"the same secret", first, nil},
			{"no secret", "", nil},
			{"a secret that is null", `,"secret":null`, nil},
			{"another secret, first tried", second, []any{"secret"}},
			{"the same secret again", second, nil},
			{"another secret and another name", `,"secret":"secret-three-0123","enabled":false`, []any{"enabled", "secret"}},
		} {
			for _, query := range []string{"?dry_run=true", ""} {
				out := a.do("POST", path+query, document(c.more)).is(200)
				if c.fields == nil {
					assert.Equal(t, 0, out.len("changes"), c.name)
					continue
				}
				require.Equal(t, 2, out.len("changes"), c.name)
				for i := range 2 {
					assert.Equal(t, c.fields, out.field("changes", i, "fields"), c.name)
				}
				assert.NotContains(t, out.text, "0123456")
			}
		}
		for _, of := range []string{"/admin/v1/webhooks/h", "/admin/v1/guardrail-plugins/g"} {
			assert.Contains(t, a.do("GET", of, nil).is(200).text, "previous_secret_until", "the previous secret signs for a while")
		}
		assert.NotContains(t, a.events(""), "0123456")
		a.do("POST", path, document(`,"secret":"short"`)).requireRefusal(400, "invalid_value")
	})
}

func TestAnAddressThatIsACredentialIsComparedByAnImport(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const path, one, two = "/admin/v1/config/import", "https://hooks.slack.com/services/T0/B0/one", "https://hooks.slack.com/services/T0/B0/two"
		document := func(url, more string) string {
			return `{"webhooks":[{"id":"s","name":"s","format":"slack","url":"` + url + `","event_types":["POLICY_DENIAL"]` + more + `}]}`
		}
		a.do("POST", path, document(one, "")).is(200)
		assert.Equal(t, 0, a.do("POST", path, document(one, "")).is(200).len("changes"), "the sealed address is compared")
		shown := a.do("GET", "/admin/v1/webhooks/s", nil).is(200).str("url")
		assert.NotContains(t, shown, "T0")
		assert.Equal(t, 0, a.do("POST", path, document(shown, "")).is(200).len("changes"), "what an export contains is no change")
		assert.Equal(t, []any{"url"}, a.do("POST", path, document(two, "")).is(200).field("changes", 0, "fields"))
		assert.Equal(t, 0, a.do("POST", path, document(two, "")).is(200).len("changes"))
		assert.Contains(t, a.do("POST", path, document(two, `,"secret":"0123456789abcdef"`)).requireRefusal(400, "invalid_value"), "omit it")
	})
}

func TestAnImportIsRefusedWholeForWhatIsWrongWithAWebhookOrAPlugin(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/config/import"
		a.subscribers.publicOnly.Store(true)
		const good = `"tenants":[{"id":"acme","name":"acme"}]`
		hook := func(more string) string {
			return `{` + good + `,"webhooks":[{"id":"h","name":"h","url":"https://hooks.example.com/x","secret":"0123456789abcdef","event_types":["POLICY_DENIAL"]` +
				more + `}]}`
		}
		plugin := func(more string) string {
			return `{` + good + `,"guardrail_plugins":[{"id":"g","name":"g","url":"https://guards.example.com/x","secret":"0123456789abcdef"` + more + `}]}`
		}
		refused := func(name, doc, code, says string) {
			t.Helper()
			for _, query := range []string{"?dry_run=true", ""} {
				assert.Contains(t, a.do("POST", path+query, doc).requireRefusal(400, code), says, name)
				a.do("GET", "/admin/v1/tenants/acme", nil).is(404)
			}
		}
		refused("a local address", `{`+good+`,"webhooks":[{"id":"h","name":"h","url":"http://127.0.0.1/x","secret":"0123456789abcdef","event_types":["POLICY_DENIAL"]}]}`,
			"invalid_value", "webhooks[0].url")
		refused("a local guard", `{`+good+`,"guardrail_plugins":[{"id":"g","name":"g","url":"http://10.0.0.1/x","secret":"0123456789abcdef"}]}`,
			"invalid_value", "guardrail_plugins[0].url")
		refused("no secret", `{`+good+`,"webhooks":[{"id":"h","name":"h","url":"https://hooks.example.com/x","event_types":["POLICY_DENIAL"]}]}`,
			"missing_required_parameter", "secret")
		refused("an unknown event", `{`+good+`,"webhooks":[{"id":"h","name":"h","url":"https://hooks.example.com/x","secret":"0123456789abcdef","event_types":["NO"]}]}`,
			"invalid_value", "webhooks[0].event_types")
		a.do("POST", path, `{"webhooks":`+hook("")[len(`{`+good+`,"webhooks":`):]).is(200)
		a.do("POST", path, `{"guardrail_plugins":`+plugin("")[len(`{`+good+`,"guardrail_plugins":`):]).is(200)
		refused("a change to a local address", `{`+good+`,"webhooks":[{"id":"h","url":"http://127.0.0.1/x"}]}`, "invalid_value", "webhooks[0].url")
		refused("a change of a guard", `{`+good+`,"guardrail_plugins":[{"id":"g","url":"http://10.0.0.1/x"}]}`, "invalid_value", "guardrail_plugins[0].url")
		refused("a short secret of a guard", `{`+good+`,"guardrail_plugins":[{"id":"g","secret":"0123"}]}`, "invalid_value", "secret")
	})
}
