package proxy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/policy"
)

// A guardrail that holds nothing back finds a word after it was sent. A rule that removes the word from whole answers
// withholds all of a streamed one and refuses it.
func TestWhatIsFoundTooLateToBeTakenOutIsNeverSent(t *testing.T) {
	const rules = "version: 1\nname: p\nrules:\n  - {id: out, phase: response, action: REDACT, params: {types: [PROJECT]}}\n"
	for _, s := range speakers {
		for _, said := range []string{"the zanzibar77 files", "nothing odd"} {
			for _, m := range []manner{wholly, streamed} {
				t.Run(s.name+"/"+string(m)+"/"+said, func(t *testing.T) {
					finds, err := guardrail.New(
						block("stream: {hold: false}\ndetectors: [{type: keywords, name: PROJECT, words: [zanzibar77], action: flag, phases: [response]}]"),
					)
					require.NoError(t, err)
					up := newFake(t, says(s.answer(said, m == streamed)))
					g := open(t, setup{provider: newProvider(t, s.provider, up.url), chain: func(tok core.Tokens) []chain.Link {
						takes, err := policy.New(nil, policy.Deps{Now: time.Now, Chain: []string{"policy", "guardrail"}, Policies: oneSource(rules)})
						require.NoError(t, err)
						return []chain.Link{link("policy", takes, core.Request, core.Target, core.Response), link("words", finds, core.Response)}
					}})
					path, body := s.request(m == streamed)
					a := g.callPath(path, body)
					assert.NotContains(t, joinStrings(t, a.body), "zanzibar77")
					if m == streamed && said != "nothing odd" && s.name != "generateContent" { // in one piece it is found in time
						assert.Equal(t, 403, a.status)
						assert.Contains(t, a.body, core.CodePolicyDenied)
						return
					}
					assert.Equal(t, 200, a.status, a.body)
					if said == "nothing odd" {
						assert.Contains(t, joinStrings(t, a.body), said)
					} else {
						assert.Contains(t, joinStrings(t, a.body), "{{PII_PROJECT_")
					}
				})
			}
		}
	}
}
