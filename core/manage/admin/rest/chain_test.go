package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheChainIsArrangedAndPutBack(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("GET", "/admin/v1/chain", nil).is(200)
		assert.Equal(t, "file", r.str("source"))
		require.Equal(t, 3, r.len("links"))
		assert.Equal(t, "policy", r.str("links", 0, "name"))
		old := r.header.Get("ETag")

		const body = `{"links":[{"name":"pii"},{"name":"policy","mode":"shadow"},{"name":"answers"}]}`
		dry := a.do("PUT", "/admin/v1/chain?dry_run=true", body).is(200)
		assert.Equal(t, "pii", dry.str("links", 0, "name"))
		assert.Equal(t, "file", a.do("GET", "/admin/v1/chain", nil).is(200).str("source"), "a dry run changes nothing")

		r = a.do("PUT", "/admin/v1/chain", body, "If-Match", old).is(200)
		assert.Equal(t, "layout", r.str("source"))
		assert.Equal(t, json.Number("1"), r.field("version"))
		assert.Equal(t, "shadow", r.str("links", 1, "mode"))
		assert.JSONEq(t, r.text, a.do("GET", "/admin/v1/chain", nil).is(200).text)
		a.do("PUT", "/admin/v1/chain", body, "If-Match", old).requireRefusal(412, "precondition_failed")

		assert.Contains(
			t,
			a.do("PUT", "/admin/v1/chain", `{"links":[{"name":"answers"},{"name":"pii"}]}`).requireRefusal(400, "invalid_value"),
			"cache",
			"an order that leaks is refused",
		)
		for name, bad := range map[string]string{
			"an unknown link": `{"links":[{"name":"nothing"}]}`,
			"a link twice":    `{"links":[{"name":"pii"},{"name":"pii"}]}`,
			"an unknown mode": `{"links":[{"name":"pii","mode":"off"}]}`,
			"no links":        `{"links":[]}`,
		} {
			t.Log(name)
			a.do("PUT", "/admin/v1/chain", bad).requireRefusal(400, "invalid_value")
		}
		a.do("DELETE", "/admin/v1/chain", nil).is(204)
		r = a.do("GET", "/admin/v1/chain", nil).is(200)
		assert.Equal(t, "file", r.str("source"))
		assert.Equal(t, "policy", r.str("links", 0, "name"))
		a.sendAs("policy-admin", "GET", "/admin/v1/chain", nil).is(200)
		a.sendAs("viewer@t", "GET", "/admin/v1/chain", nil).requireRefusal(403, "FORBIDDEN")
		assert.Contains(t, a.events(""), "CONFIG_CHANGED")
	})
}

func TestAStageIsAddedToTheChainAndRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const links = `{"name":"policy"},{"name":"pii"},{"name":"answers"}`
		added := `{"links":[{"name":"words","stage":"guardrail","mode":"shadow","config":{"detectors":[{"type":"keywords","words":["zugzwang"]},` +
			`{"type":"system_prompt_leak","canaries":["nightingale"]}]}},` + links + `]}`
		r := a.do("PUT", "/admin/v1/chain", added).is(200)
		require.Equal(t, 4, r.len("links"))
		assert.Equal(t, "words", r.str("links", 0, "name"))
		assert.Equal(t, "shadow", r.str("links", 0, "mode"))
		assert.Equal(t, true, r.field("links", 0, "added"))
		assert.Contains(t, r.text, "zugzwang")
		event := a.do("GET", "/admin/v1/audit/events?limit=1", nil).is(200)
		assert.Contains(t, event.text, "zugzwang")
		assert.NotContains(t, event.text, "nightingale", "canaries are secrets of a prompt")

		r = a.do("PUT", "/admin/v1/chain", `{"links":[`+links+`,{"name":"words"}]}`).is(200)
		assert.Equal(t, "words", r.str("links", 3, "name"))
		assert.Equal(t, "shadow", r.str("links", 3, "mode"), "it keeps its mode")
		assert.Contains(t, r.text, "zugzwang", "and its settings")

		a.do("PUT", "/admin/v1/chain", `{"links":[`+links+`,{"name":"words","config":{"detectors":[{"type":"keywords","words":["gambit"]}]}}]}`).is(200)
		event = a.do("GET", "/admin/v1/audit/events?limit=1", nil).is(200)
		changes := event.field(0, "payload", "changes").(map[string]any)
		require.Equal(t, []string{"links"}, slices.Collect(maps.Keys(changes)), "order and source are the same")
		was, now := event.field(0, "payload", "changes", "links", "before"), event.field(0, "payload", "changes", "links", "after")
		require.Len(t, was, 1, "links that did not change are left out")
		assert.Contains(t, fmt.Sprint(was), "zugzwang")
		assert.NotContains(t, fmt.Sprint(was), "gambit")
		assert.Contains(t, fmt.Sprint(now), "gambit")
		assert.NotContains(t, fmt.Sprint(now), "zugzwang")

		for name, c := range map[string]struct{ body, says string }{
			"a name that the file has":    {`{"links":[{"name":"pii","stage":"guardrail"}]}`, "the file has a link of this name"},
			"a name twice":                {`{"links":[{"name":"words"},{"name":"words"}]}`, "appears twice"},
			"a stage that cannot be":      {`{"links":[` + links + `,{"name":"more","stage":"cache"}]}`, "stage"},
			"settings that are wrong":     {`{"links":[` + links + `,{"name":"more","stage":"guardrail","config":{"types":"NOTHING"}}]}`, "NOTHING"},
			"a rule of order that breaks": {`{"links":[{"name":"answers"},{"name":"pii"}]}`, "cache"},
		} {
			t.Log(name)
			assert.Contains(t, a.do("PUT", "/admin/v1/chain", c.body).requireRefusal(400, "invalid_value"), c.says, name)
		}
		r = a.do("PUT", "/admin/v1/chain", `{"links":[`+links+`]}`).is(200)
		assert.Equal(t, 3, r.len("links"), "an added link that is left out is removed")
		assert.Equal(t, "file", r.str("source"))
		a.sendAs("policy-admin", "GET", "/admin/v1/chain/stages", nil).is(200)
		a.sendAs("viewer@t", "GET", "/admin/v1/chain/stages", nil).requireRefusal(403, "FORBIDDEN")
	})
}

func TestAChangeOfSecretSettingsIsAuditedWithoutTheirValues(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const first = "nightingale kim@example.com"
		for _, c := range []struct{ does, values string }{
			{"add", first},
			{"change the canaries", "blackbird kim@example.com"},
			{"change the allowed values", "blackbird lee@example.com"},
			{"change both back", first},
		} {
			canary, value, _ := strings.Cut(c.values, " ")
			a.do("PUT", "/admin/v1/chain", `{"links":[{"name":"policy"},{"name":"pii"},`+
				`{"name":"leak","stage":"guardrail","config":{"detectors":[{"type":"system_prompt_leak","canaries":["`+canary+`"]}]}},`+
				`{"name":"people","stage":"pii","config":{"types":["EMAIL"],"allow":{"values":["`+value+`"]}}},{"name":"answers"}]}`).is(200)
			event := a.do("GET", "/admin/v1/audit/events?limit=1", nil).is(200)
			links := fmt.Sprint(event.field(0, "payload", "changes", "links", "after"))
			assert.Contains(t, links, "(masked ", c.does)
			for _, secret := range []string{"nightingale", "blackbird", "kim@", "lee@"} {
				assert.NotContains(t, event.text, secret, c.does)
			}
		}
		reader := a.sendAs("auditor", "GET", "/admin/v1/chain", nil).is(200)
		assert.NotContains(t, reader.text, "kim@")
		assert.Contains(t, a.do("GET", "/admin/v1/chain", nil).is(200).text, "kim@", "who changes the chain sees its settings")
	})
}
