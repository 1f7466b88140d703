package policy

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

func TestATenantsPoliciesAreItsOwn(t *testing.T) {
	deny := rule(`{id: no, action: DENY}`)
	_, d := newBench(t, alone, record("t-b", policydoc.Active, deny)).request(hello)
	assert.Equal(t, core.Pass, d.Action)
	_, d = newBench(t, alone, record("t-a", policydoc.Active, deny)).request(hello)
	assert.Equal(t, core.Block, d.Action)
	_, d = newBench(t, alone, record("t-a", policydoc.Draft, deny)).request(hello)
	assert.Equal(t, core.Pass, d.Action)
}

func TestAnAllowExemptsWhatItNames(t *testing.T) {
	deny := rule(`{id: no, action: DENY}`)
	allow := "version: 1\nname: q\nrules:\n  - {id: yes, conditions: {key.tags_any: [batch]}, action: ALLOW, params: {exempts: [no]}}"
	_, d := newBench(t, alone, record("t-a", policydoc.Active, deny), record("t-a", policydoc.Active, allow)).request(hello)
	assert.Equal(t, core.Pass, d.Action)
	_, d = newBench(t, alone, active(deny), record("t-a", policydoc.Active, allow)).request(hello)
	assert.Equal(t, core.Block, d.Action, "a tenant cannot exempt itself from the platform")
	t.Run("when it is known later, the rule waits for it", func(t *testing.T) {
		allow := "version: 1\nname: q\nrules:\n  - {id: yes, conditions: {provider.in: [mock]}, action: ALLOW, params: {exempts: [no]}}"
		b := newBench(t, alone, active(deny), active(allow))
		x, d := b.request(hello)
		require.Equal(t, core.Pass, d.Action)
		assert.Equal(t, core.Pass, b.target(x, "mock", "gpt-5", "").Action)
		assert.Equal(t, core.Block, b.target(x, "openai", "gpt-5", "").Action)
	})
}

func TestARuleThatFailsDeniesUnlessItSaysSkip(t *testing.T) {
	fails := `when: 'tenant.metadata.nothing == "x"', action: DENY`
	x, d := newBench(t, alone, active(rule(`{id: no, `+fails+`}`))).request(hello)
	require.Equal(t, core.Block, d.Action)
	assert.Contains(t, d.Err.Public, "could not be evaluated")
	assert.NotEmpty(t, x.Findings)
	_, d = newBench(t, alone, active(rule(`{id: no, on_error: skip, `+fails+`}`))).request(hello)
	assert.Equal(t, core.Pass, d.Action)
	_, d = newBench(t, alone, active(rule(`{id: no, when: 'tenant.metadata.nothing == "x"', action: FLAG}`))).request(hello)
	assert.Equal(t, core.Pass, d.Action)
}

func TestPoliciesThatDoNotCompileAreRefusedAndTheOldOnesStay(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: no, action: DENY}`)))
	require.ErrorContains(t, b.source.use([]policydoc.Record{active("rules: [{id: x, action: NOPE}]")}), "NOPE")
	_, d := b.request(hello)
	assert.Equal(t, core.Block, d.Action)
	require.NoError(t, b.source.use(nil))
	_, d = b.request(hello)
	assert.Equal(t, core.Pass, d.Action)
}

func TestModelsOfABatchAreHeldAgainstRulesOnModels(t *testing.T) {
	b := newBench(t, alone, active(`version: 1
name: p
rules:
  - {id: no, conditions: {model.denylist: ["gpt-3*"]}, action: DENY, deny_message: "Retired."}
  - {id: tools, conditions: {model.in: [gpt-5], request.has_tools: false}, action: DENY}
  - {id: where, conditions: {provider.denylist: [groq]}, action: DENY}
`))
	ctx := context.Background()
	e := b.stage.CheckModel(ctx, anna, "gpt-3.5", core.TargetRef{Provider: "openai", Model: "gpt-3.5"})
	require.NotNil(t, e)
	assert.Equal(t, "Retired.", e.Public)
	assert.Nil(
		t,
		b.stage.CheckModel(ctx, anna, "gpt-5", core.TargetRef{Provider: "openai", Model: "gpt-5"}),
		"what looks at a request says nothing of a line",
	)
	assert.NotNil(
		t,
		b.stage.CheckModel(ctx, anna, "alias", core.TargetRef{Provider: "openai", Model: "gpt-3.5"}),
		"another name does not hide a model",
	)
	assert.NotNil(t, b.stage.CheckModel(ctx, anna, "gpt-5", core.TargetRef{Provider: "groq", Model: "gpt-5"}))
}

func TestARuleThatAModelAloneFulfilsJudgesLinesToo(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: no, match: any, conditions: {model.denylist: [gpt-4], tokens.prompt_gt: 100}, action: DENY}`)))
	ctx := context.Background()
	assert.NotNil(t, b.stage.CheckModel(ctx, anna, "openai/gpt-4", core.TargetRef{Provider: "openai", Model: "gpt-4"}))
	assert.Nil(t, b.stage.CheckModel(ctx, anna, "gpt-5", core.TargetRef{Provider: "openai", Model: "gpt-5"}))
	b = newBench(t, alone, active(rule(`{id: no, match: any, conditions: {model.denylist: [gpt-4], response.tokens_gt: 100}, action: DENY}`)))
	assert.Nil(t, b.stage.CheckModel(ctx, anna, "gpt-4", core.TargetRef{Provider: "openai", Model: "gpt-4"}), "it is about answers")
}

// A large request's body is reused by another exchange while the provider answers: no fact that policies need later may
// share its memory.
func TestFactsDoNotLieInABodyThatIsGivenAway(t *testing.T) {
	shadow := active(rule(`{id: s, conditions: {model.in: [gpt-5]}, action: DENY}`))
	shadow.ID, shadow.Name, shadow.Status = "shadow", "shadow", policydoc.Shadow
	b := newBench(t, []string{"pii", Name}, active(`version: 1
name: p
rules:
  - {id: redact, conditions: {pii.types_any: [EMAIL]}, action: REDACT}
  - {id: no, conditions: {model.allowlist: [gpt-5], provider.in: [openai]}, action: DENY}
`), shadow)
	x := b.exchange(says("ann@example.com " + strings.Repeat("word ", 5000)))
	raw := x.Request.Raw
	require.Equal(t, core.Pass, b.chain.Request(context.Background(), x).Action)
	require.True(t, x.Compact())
	for i := range raw {
		raw[i] = '#' // what another tenant writes, say
	}
	assert.Equal(t, core.Pass, b.target(x, "openai", "gpt-5", "").Action)
	b.finish(x)
	b.stage.queue.close()
	events := b.source.events
	require.NotEmpty(t, events)
	assert.Equal(t, "gpt-5", events[0].Model)
}
