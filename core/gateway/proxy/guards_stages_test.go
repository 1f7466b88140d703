package proxy_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/pii"
	"github.com/headgate-dev/headgate/stages/policy"
)

// keyword returns a chain of the guardrail stage, which searches the texts of every role for one word.
func keyword(action, word string) func(testing.TB) func(core.Tokens) []chain.Link {
	return func(t testing.TB) func(core.Tokens) []chain.Link {
		st, err := guardrail.New(block("roles: [user, tool, assistant, system, definition]\n" +
			"detectors: [{type: keywords, words: [" + word + "], action: " + action + ", phases: [request, response]}]"))
		require.NoError(t, err)
		return func(core.Tokens) []chain.Link { return []chain.Link{link("words", st, core.Request, core.Response)} }
	}
}

// linkPolicy returns a chain of a PII stage that only records its findings, and a policy that acts on them.
func linkPolicy(rules string) func(testing.TB) func(core.Tokens) []chain.Link {
	return func(t testing.TB) func(core.Tokens) []chain.Link {
		return func(tok core.Tokens) []chain.Link {
			finds, err := pii.New(block("action: flag\nresponse: redact"), tok)
			require.NoError(t, err)
			st, err := policy.New(nil, policy.Deps{
				Now: time.Now, Chain: []string{"policy", "pii", "policy"}, Place: 2,
				Policies: oneSource("version: 1\nname: p\nrules:\n" + rules),
			})
			require.NoError(t, err)
			answers, err := policy.New(nil, policy.Deps{
				Now: time.Now, Chain: []string{"policy", "pii", "policy"}, Place: 0,
				Policies: oneSource("version: 1\nname: p\nrules:\n" + rules),
			})
			require.NoError(t, err)
			// Answers pass the links in reverse: their findings exist only after the first policy link.
			return []chain.Link{
				link("answers", answers, core.Request, core.Target, core.Response), link("pii", finds, core.Request, core.Response),
				link("policy", st, core.Request, core.Target, core.Response),
			}
		}
	}
}

// oneSource is a source of one active policy of the platform.
type oneSource string

func (s oneSource) Watch(use func([]policydoc.Record) error) (func(), error) {
	return func() {}, use([]policydoc.Record{{ID: "p", Name: "p", DSL: string(s), Status: policydoc.Active, Version: 1}})
}

func (oneSource) StoreShadowEvents(context.Context, []policydoc.ShadowEvent, int) {}
