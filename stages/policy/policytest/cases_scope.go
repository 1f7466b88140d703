package policytest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

const deny = "version: 1\nname: p\nrules: [{id: no, action: DENY}]"

func separateTenants(t *testing.T, by *Subject) {
	for tenant, want := range map[string]core.Action{"t-b": core.Pass, "t-a": core.Block, "": core.Block} {
		_, d := newBench(t, by, Alone, NewRecord(tenant, policydoc.Active, deny)).Send(Hello)
		assert.Equal(t, want, d.Action, tenant)
	}
}

func allowExempted(t *testing.T, by *Subject) {
	allow := "version: 1\nname: q\nrules: [{id: yes, conditions: {key.tags_any: [batch]}, action: ALLOW, params: {exempts: [no]}}]"
	_, d := newBench(t, by, Alone, NewRecord("t-a", policydoc.Active, deny), NewRecord("t-a", policydoc.Active, allow)).Send(Hello)
	assert.Equal(t, core.Pass, d.Action)
	_, d = newBench(t, by, Alone, NewActive(deny), NewRecord("t-a", policydoc.Active, allow)).Send(Hello)
	assert.Equal(t, core.Block, d.Action, "a tenant cannot exempt itself from the platform")
	for _, name := range []string{"p/no", "id-p/no"} {
		allow := "version: 1\nname: q\nrules: [{id: yes, action: ALLOW, params: {exempts: [" + name + "]}}]"
		x, d := newBench(t, by, Alone, NewActive(deny), NewActive(allow)).Send(Hello)
		assert.Equal(t, core.Pass, d.Action, name)
		require.Len(t, x.Findings, 1)
		assert.Equal(t, "q/yes", x.Findings[0].Label, "an exempted rule has no effect")
	}
	_, d = newBench(t, by, Alone, NewActive(deny), NewActive(`{version: 1, name: q, rules: [{id: yes, action: ALLOW, params: {exempts: [q/no]}}]}`)).Send(Hello)
	assert.Equal(t, core.Block, d.Action, "a rule of that id in another policy")
}

func awaitExemptions(t *testing.T, by *Subject) {
	allow := "version: 1\nname: q\nrules:\n  - {id: yes, conditions: {provider.in: [mock]}, action: ALLOW, params: {exempts: [no]}}"
	b := newBench(t, by, Alone, NewActive(deny), NewActive(allow))
	x, d := b.Send(Hello)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, core.Pass, b.SendTo(x, "mock", "gpt-5", "").Action)
	assert.Equal(t, core.Block, b.SendTo(x, "openai", "gpt-5", "").Action)
}

// check is a condition, and a request that fulfils it.
type check struct{ name, conditions, body string }

// runChecks checks that each condition is fulfilled by its request, that another one decides besides, and that it can be an exception.
func runChecks(t *testing.T, by *Subject, checks []check) {
	text := "version: 1\nname: p\nrules:\n"
	for i, c := range checks {
		text += fmt.Sprintf("  - {id: yes-%d, conditions: {%s}, action: FLAG}\n", i, c.conditions)
		text += fmt.Sprintf("  - {id: both-%d, conditions: {%s, model.in: [other]}, action: FLAG}\n", i, c.conditions)
		text += fmt.Sprintf("  - {id: not-%d, unless: {%s}, action: FLAG}\n", i, c.conditions)
	}
	b := newBench(t, by, Alone, NewActive(text))
	for i, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			x, d := b.try(c.body)
			require.Equal(t, core.Pass, d.Action)
			fired := listRules(x)
			assert.Contains(t, fired, fmt.Sprint("yes-", i))
			assert.NotContains(t, fired, fmt.Sprint("both-", i))
			assert.NotContains(t, fired, fmt.Sprint("not-", i))
		})
	}
}

// listRules lists the rules of the policy p that took effect.
func listRules(x *core.Exchange) (ids []string) {
	for i := range x.Findings {
		if id, ok := strings.CutPrefix(x.Findings[i].Label, "p/"); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// outcome is a rule, without its id and action, that a request fulfils or not.
type outcome struct {
	rule, body string
	fires      bool
}

// runRules checks which of several rules take effect.
func runRules(t *testing.T, by *Subject, kinds []string, outcomes []outcome) {
	text := "version: 1\nname: p\nrules:\n"
	for i, o := range outcomes {
		text += fmt.Sprintf("  - {id: r-%d, %s, action: FLAG}\n", i, o.rule)
	}
	b := newBench(t, by, kinds, NewActive(text))
	for i, o := range outcomes {
		x, d := b.try(o.body)
		require.Equal(t, core.Pass, d.Action)
		assert.Equal(t, o.fires, slices.Contains(listRules(x), fmt.Sprint("r-", i)), o.rule)
	}
}

func seeCaller(t *testing.T, by *Subject) {
	runChecks(t, by, []check{
		{"the tenant", `tenant.in: ["t-*"]`, Hello},
		{"metadata of the tenant", `tenant.metadata: {residency: eu}`, Hello},
		{"the key", `key.in: [k-1]`, Hello},
		{"tags of the key", `key.tags_any: [batch]`, Hello},
		{"metadata of the key", `key.metadata: {team: interns}`, Hello},
		{"one of its scopes", `key.scopes_any: [admin, "completions:*"]`, Hello},
		{"all of its scopes", `key.scopes_all: ["completions:*"]`, Hello},
		{"the time until it expires", `key.expires_within: 3d`, Hello},
		{"no end user", `user.missing: true`, Hello},
		{"an end user", `user.in: ["u-*"]`, `{"model":"gpt-5","user":"u-7","messages":[{"role":"user","content":"x"}]}`},
	})
}

func seeLineage(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(`{id: no, conditions: {key.in: [k-0]}, action: DENY}`)))
	x := b.Open(Hello)
	p := *Anna
	p.Lineage = "k-0"
	x.Principal = &p
	assert.Equal(t, core.Block, b.Chain.RunRequest(context.Background(), x).Action)
}

func judgeBatchModels(t *testing.T, by *Subject) {
	ctx := context.Background()
	check := func(b *Bench, model string, target core.TargetRef) *core.Error {
		return b.Chain.Links()[0].Stage.(core.ModelChecker).CheckModel(ctx, Anna, model, target)
	}
	b := newBench(t, by, Alone, NewActive(`version: 1
name: p
rules:
  - {id: no, conditions: {model.denylist: ["gpt-3*"]}, action: DENY, deny_message: "Retired."}
  - {id: tools, conditions: {model.in: [gpt-5], request.has_tools: false}, action: DENY}
  - {id: where, conditions: {provider.denylist: [groq]}, action: DENY}
`))
	e := check(b, "gpt-3.5", core.TargetRef{Provider: "openai", Model: "gpt-3.5"})
	require.NotNil(t, e)
	assert.Equal(t, "Retired.", e.Public)
	assert.Nil(t, check(b, "gpt-5", core.TargetRef{Provider: "openai", Model: "gpt-5"}), "what looks at a request says nothing of a line")
	assert.NotNil(t, check(b, "alias", core.TargetRef{Provider: "openai", Model: "gpt-3.5"}), "another name does not hide a model")
	assert.NotNil(t, check(b, "gpt-5", core.TargetRef{Provider: "groq", Model: "gpt-5"}))

	b = newBench(t, by, Alone, NewActive(FormatRule(`{id: no, match: any, conditions: {model.denylist: [gpt-4], tokens.prompt_gt: 100}, action: DENY}`)))
	assert.NotNil(t, check(b, "openai/gpt-4", core.TargetRef{Provider: "openai", Model: "gpt-4"}), "a model alone can fulfil a rule")
	assert.Nil(t, check(b, "gpt-5", core.TargetRef{Provider: "openai", Model: "gpt-5"}))
	b = newBench(t, by, Alone, NewActive(FormatRule(`{id: no, match: any, conditions: {model.denylist: [gpt-4], response.tokens_gt: 100}, action: DENY}`)))
	assert.Nil(t, check(b, "gpt-4", core.TargetRef{Provider: "openai", Model: "gpt-4"}), "it is about answers")
}
