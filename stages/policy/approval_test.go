package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// consents are the approvals by rule.
type consents struct {
	given map[string]bool
	asked []string
}

func (c *consents) Approved(_, _, rule, model string) bool { return c.given[rule+" "+model] }

func (c *consents) Ask(_, _, rule, model string) { c.asked = append(c.asked, rule+" "+model) }

func TestARuleThatAsksForApprovalRefusesUntilThereIsOne(t *testing.T) {
	b := newBench(
		t,
		alone,
		active(rule(`{id: ask, conditions: {model.denylist: ["gpt-5"]}, action: REQUIRE_APPROVAL, deny_message: "Ask first."}`)),
	)
	c := &consents{given: map[string]bool{}}
	b.stage.deps.Approvals = c

	_, d := b.request(hello)
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, core.CodePolicyDenied, d.Err.Code)
	assert.Equal(t, "Ask first.", d.Err.Public)
	assert.Equal(t, []string{"p/ask gpt-5"}, c.asked)

	c.given["p/ask gpt-5"] = true
	_, d = b.request(hello)
	assert.NotEqual(t, core.Block, d.Action)
	assert.Len(t, c.asked, 1)

	_, d = b.request(`{"model":"other","messages":[{"role":"user","content":"x"}]}`)
	assert.NotEqual(t, core.Block, d.Action, "the rule is about another model")
}
