package main_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// activate stores a policy and puts it in force.
func (g *gate) activate(dsl string) (path string) {
	g.t.Helper()
	text := strings.ReplaceAll(strings.ReplaceAll(dsl, `"`, `\"`), "\n", `\n`)
	path = "/policies/" + g.admin(201, "POST", "/policies", `{"name":"here","dsl":"`+text+`"}`)["id"].(string)
	g.admin(200, "POST", path+"/status", `{"status":"ACTIVE"}`)
	return path
}

// An active policy is in force whether or not the chain names a link for it: for whole answers, for streams, for rules
// on findings in a request, and for rules on findings in an answer.
func TestAnActivePolicyIsEnforcedByAChainThatNamesNoPolicyLink(t *testing.T) {
	t.Parallel()
	for name, chain := range map[string]string{
		"detectors before a cache": "[{stage: pii, config: {action: flag, response: redact}}, {stage: cache}]",
		"a cache alone":            "[{stage: cache}]",
		"nothing":                  "[]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAdminSite(t)
			s.write("gateway.yaml", []byte(strings.Replace(configText("", ""), "chain:\n", "chain: "+chain+"\n", 1)))
			g := s.serve("--config", "gateway.yaml")
			c := g.client(testKey)
			stream := func(model, text string) answer {
				body := `{"model":"` + model + `","stream":true,"messages":[{"role":"user","content":"` + text + `"}]}`
				a, err := c.do("POST", "/v1/chat/completions", []byte(body))
				require.NoError(t, err)
				return a
			}
			require.Equal(t, 200, c.chat(t, "mock-echo", "hello").status)
			require.Equal(t, 200, stream("mock-echo", "hello").status)
			before := g.status().links()
			assert.NotContains(t, before, "policy", "an idle link is not shown")

			no := g.activate("rules: [{id: no, conditions: {model.denylist: [mock-echo]}, action: DENY, deny_message: Echoes are over.}]")
			eventually(t, "the policy is enforced", func() bool { return c.chat(t, "mock-echo", "hello").status == http.StatusForbidden })
			for _, a := range []answer{c.chat(t, "mock-echo", "hello"), stream("mock-echo", "hello")} {
				assert.Equal(t, http.StatusForbidden, a.status, a.body)
				assert.Equal(t, "POLICY_DENIED", a.code())
				assert.Contains(t, a.body, "Echoes are over.")
			}
			assert.Equal(t, 200, c.chat(t, "mock-json", "hello").status, "the rule is about another model")
			assert.Subset(t, g.status().links(), []string{"policy", "policy-on-findings"})
			g.admin(204, "DELETE", no, "")
			eventually(t, "the policy is out of force", func() bool { return c.chat(t, "mock-echo", "hello").status == 200 })
			assert.Equal(t, before, g.status().links())
			if !strings.Contains(chain, "pii") {
				return
			}

			in := g.activate("rules: [{id: in, conditions: {pii.types_any: [CREDIT_CARD]}, action: DENY, deny_message: No cards in.}]")
			eventually(t, "rules on findings in requests", func() bool { return c.chat(t, "mock-echo", card).status == http.StatusForbidden })
			assert.Contains(t, stream("mock-echo", card).body, "No cards in.")
			g.admin(204, "DELETE", in, "")
			eventually(t, "the policy is out of force", func() bool { return c.chat(t, "mock-echo", card).status == 200 })

			g.activate("rules: [{id: out, conditions: {response.pii_types_any: [CREDIT_CARD]}, action: DENY, deny_message: No cards out.}]")
			eventually(t, "rules on findings in answers", func() bool { return c.chat(t, "mock-echo", card).status == http.StatusForbidden })
			a := stream("mock-echo", card)
			assert.Contains(t, a.body, `"finish_reason":"content_filter"`, "the stream had begun")
			assert.NotContains(t, a.body, card)
		})
	}
}
