package policy

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/pii"
)

// newShadowPolicy returns a policy in shadow mode.
func newShadowPolicy(name, rules string) policydoc.Record {
	return record("", policydoc.Shadow, "version: 1\nname: "+name+"\n"+rules)
}

// events carries one request to its end, and returns the events of shadow policies.
func (b *bench) events(raw string) []policydoc.ShadowEvent {
	b.T.Helper()
	x, d := b.Send(raw)
	if d.Action == core.Pass {
		if b.SendTo(x, "openai", "gpt-5", "").Action == core.Pass {
			x.Response.Status, x.Response.Raw = 200, []byte(answer)
			require.NoError(b.T, openai.Chat{}.ScanResponse(x))
			if b.Chain.RunResponse(context.Background(), x).Action == core.Pass {
				x.Outcome.Kind = core.Served
			}
		}
	}
	b.Finish(x)
	x.Reset() // nothing of it may be needed any more
	for _, s := range b.stages {
		s.queue.close()
	}
	return b.source.events
}

func TestAShadowTellsHowItDiffers(t *testing.T) {
	deny := active("version: 1\nname: old\nrules:\n  - {id: no, conditions: {model.in: [gpt-5]}, action: DENY}")
	for _, c := range []struct {
		name       string
		active     []policydoc.Record
		rules      string
		divergence string
		rule       string
		decisions  [2]string
	}{
		{"it denies", nil, `rules: [{id: a, action: DENY}]`, "shadow_deny_active_allow", "a", [2]string{"ALLOWED", "DENIED"}},
		{"it agrees", nil, `rules: [{id: a, conditions: {model.in: [other]}, action: DENY}]`, "", "", [2]string{"ALLOWED", "ALLOWED"}},
		{"it replaces the policy that denies", []policydoc.Record{deny}, `{replaces: old, rules: [{id: a, conditions: {model.in: [other]}, action: DENY}]}`, "shadow_allow_active_deny", "no", [2]string{"DENIED", "ALLOWED"}},
		{"it cannot undo another", []policydoc.Record{deny}, `rules: [{id: a, action: FLAG}]`, "", "no", [2]string{"DENIED", "DENIED"}},
		{"it redacts", nil, `rules: [{id: a, action: REDACT, params: {types: [EMAIL]}}]`, "shadow_redact_differs", "a", [2]string{"ALLOWED", "ALLOWED"}},
		{"it routes", nil, `rules: [{id: a, action: ROUTE, params: {model: m}}]`, "shadow_route_differs", "a", [2]string{"ALLOWED", "ALLOWED"}},
		{"it limits", nil, `rules: [{id: f, action: FLAG}, {id: a, action: CAP_TOKENS, params: {max_tokens: 5}}]`, "shadow_cap_differs", "a", [2]string{"ALLOWED", "ALLOWED"}},
		{"it warns", nil, `rules: [{id: a, action: WARN_AGENT}]`, "shadow_warn_differs", "a", [2]string{"ALLOWED", "ALLOWED"}},
		{"it fails", nil, `rules: [{id: a, when: 'tenant.metadata.none == 1', action: DENY}]`, "shadow_error", "a", [2]string{"ALLOWED", "DENIED"}},
		{"it looks at the answer", nil, `rules: [{id: a, conditions: {response.finish_reason_in: [length]}, action: DENY}]`, "shadow_deny_active_allow", "a", [2]string{"ALLOWED", "DENIED"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := c.rules
			if rules[0] == '{' {
				rules = "replaces: old\nrules:" + rules[len("{replaces: old, rules:"):len(rules)-1]
			}
			b := newBench(t, alone, append(c.active, newShadowPolicy("s", rules))...)
			got := b.events(hello)
			require.Len(t, got, 1)
			e := got[0]
			assert.Equal(t, c.divergence, e.Divergence)
			assert.Equal(t, c.divergence != "", e.Diverged)
			assert.Equal(t, c.rule, e.Rule)
			assert.Equal(t, c.decisions[0], e.Active)
			assert.Equal(t, c.decisions[1], e.Shadow)
			assert.Equal(t, [4]string{"id-s", "x-1", "t-a", "gpt-5"}, [4]string{e.Policy, e.Request, e.Tenant, e.Model})
		})
	}
}

func TestAShadowWithoutItsInputsIsNotEvaluated(t *testing.T) {
	no := active("version: 1\nname: old\nrules:\n  - {id: no, action: DENY}")
	b := newBench(t, alone, no, newShadowPolicy("s", "replaces: old\nrules: [{id: a, conditions: {response.tokens_gt: 1}, action: DENY}]"))
	assert.Empty(t, b.events(hello), "a denied request has no answer")
}

// around is the chain that docs/stages.md recommends: a link before the detectors and one after them.
var around = []string{Name, pii.Name, Name}

func TestShadowsAreEvaluatedWhereTwoLinksShareTheWork(t *testing.T) {
	finds := active("version: 1\nname: old\nrules:\n  - {id: no, conditions: {pii.types_any: [CREDIT_CARD]}, action: DENY}")
	elsewhere := active("version: 1\nname: place\nrules:\n  - {id: us, conditions: {region.in: [us-east]}, action: DENY}")
	card, mail := says("4111 1111 1111 1111"), says("ann@example.com")
	for _, c := range []struct {
		name, rules, body, divergence, rule string
	}{
		{"a request that passes", `rules: [{id: a, conditions: {model.in: [gpt-5]}, action: DENY}]`, hello, divergeDeny, "a"},
		{"a request that the second link refuses", "replaces: old\nrules: [{id: a, conditions: {model.in: [other]}, action: DENY}]", card, divergeAllow, "no"},
		{"a rule on what was found", `rules: [{id: a, conditions: {pii.types_any: [EMAIL]}, action: DENY}]`, mail, divergeDeny, "a"},
		{"a rule on what was not", `rules: [{id: a, conditions: {pii.types_any: [EMAIL]}, action: DENY}]`, hello, "", ""},
		{"a rule on the answer", `rules: [{id: a, conditions: {response.finish_reason_in: [length]}, action: DENY}]`, hello, divergeDeny, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := newBench(t, around, finds, elsewhere, newShadowPolicy("s", c.rules)).events(c.body)
			require.Len(t, got, 1)
			assert.Equal(t, c.divergence, got[0].Divergence)
			assert.Equal(t, c.rule, got[0].Rule)
		})
	}
}

func TestAShadowOfTwoLinksLooksAtTheTargetThatWasCalled(t *testing.T) {
	b := newBench(
		t,
		around,
		newShadowPolicy(
			"s",
			`rules: [{id: a, conditions: {region.in: [us-east]}, action: DENY}, {id: m, conditions: {model.in: [gpt-5-us]}, action: DENY}]`,
		),
	)
	x, d := b.Send(hello)
	require.Equal(t, core.Pass, d.Action)
	require.Equal(t, core.Pass, b.SendTo(x, "openai", "gpt-5-us", "us-east").Action)
	b.Finish(x)
	b.stages[0].queue.close()
	require.Len(t, b.source.events, 1)
	assert.Equal(t, divergeDeny, b.source.events[0].Divergence)
}

func TestAShadowNeverChangesAnExchange(t *testing.T) {
	b := newBench(
		t,
		alone,
		newShadowPolicy("s", "rules: [{id: a, action: DENY}, {id: w, action: WARN_AGENT}, {id: r, action: ROUTE, params: {model: m}}]"),
	)
	x, d := b.Send(hello)
	assert.Equal(t, core.Pass, d.Action)
	assert.Equal(t, "gpt-5", x.Model())
	assert.Empty(t, x.Header)
	assert.Empty(t, x.Findings)
}

func TestWhatAFullQueueDropsIsCounted(t *testing.T) {
	b := newBench(t, alone, newShadowPolicy("s", "rules: [{id: a, action: FLAG}]"))
	b.stage.queue.close() // the queue has no consumer any more
	size := cap(b.stage.queue.jobs)
	for range size + 3 {
		x, _ := b.Send(hello)
		b.Finish(x)
	}
	assert.Equal(t, int64(3), b.stage.queue.dropped.Load())
}
