package policytest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// Cases are what a stage of policies does.
var Cases = []Case{
	{"policies that make no sense are refused", checkPolicies},
	{"a denied request is told the deny message", explainDenial},
	{"the reported rule is the platform's, then that of higher priority, then the older", rankDenials},
	{"one condition is enough where a rule says so, and an exception takes out a rule", joinConditions},
	{"a tenant's policies are its own", separateTenants},
	{"an exemption takes out the rules that it names", allowExempted},
	{"a rule waits for an exemption that is known later", awaitExemptions},
	{"rules see the caller", seeCaller},
	{"rules see a rotated key by the first of its line", seeLineage},
	{"rules see what the request asks for", seeRequest},
	{"rules see headers", seeHeaders},
	{"rules see files", seeFiles},
	{"every shape of request is read", readShapes},
	{"rules see the time", seeTime},
	{"rules see what a call costs", seeCosts},
	{"rules see the budget", seeBudgets},
	{"a budget that cannot be read is a fault of the rules that look at it", failOnBudgets},
	{"rules have expressions, and deny when one fails unless they say skip", evalExpressions},
	{"effects of all rules are merged", mergeEffects},
	{"a routed model is held against the rules on models", judgeRoutes},
	{"a route names a provider or a region", routeElsewhere},
	{"a route that nobody serves can be left out", keepRoutes},
	{"a requirement on the region rules targets out", requireRegion},
	{"requirements refuse what does not meet them", requireMore},
	{"a schema of the answer can be required", requireSchema},
	{"a rule that asks for approval refuses until there is one", requireApproval},
	{"personal data is seen wherever the link stands", seeFindings},
	{"rules see what detectors found, and how sure they are", seeScores},
	{"an answer is held against rules on personal data", judgeAnswerFindings},
	{"an answer is held against rules on its length", judgeAnswerLength},
	{"an answer is held against rules on its finish reason", judgeFinishReason},
	{"a stream ends when a rule denies it", cutStream},
	{"a stream that could be denied at its end waits for it", withholdStream},
	{"a stream without rules passes as it came", passStream},
	{"a count at the beginning of a stream does not hide its length", countStream},
	{"a link for answers alone guards streams too", guardAnswersAlone},
	{"personal data is redacted by a rule", redactRequests},
	{"a value split over two parts is redacted", redactSplitValue},
	{"a rule on answers redacts each of them", redactAnswers},
	{"a rule redacts a stream as it does a whole answer", redactStreams},
	{"what could still fire redacts from the beginning", redactEarly},
	{"an exempted rule redacts no stream", allowUnredacted},
	{"a stream is cut where a value cannot be taken out", cutUnplaced},
	{"models in lines of a batch are held against the rules on models", judgeBatchModels},
}

func checkPolicies(t *testing.T, by *Subject) {
	for _, c := range []struct{ text, says string }{
		{"version: 1\nname: p\nrules: [{id: x, action: FLAG}]", ""},
		{"rules: [{id: x, action: NOPE}]", "NOPE"},
		{"rules: [{id: x, conditions: {model.colour: blue}, action: DENY}]", "model.colour"},
		{"rules: [{id: x, conditions: {model.in: []}, action: DENY}]", "model.in"},
		{"rules: [{id: x, conditions: {tools.count_gt: many}, action: DENY}]", "tools.count_gt"},
		{`rules: [{id: x, conditions: {time.window: {from: "25:00"}}, action: DENY}]`, "25:00"},
		{"rules: [{id: x, action: CAP_TOKENS}]", "max_tokens"},
		{"rules: [{id: x, action: ROUTE}]", "ROUTE"},
		{"rules: [{id: x, action: DENY}, {id: x, action: FLAG}]", "id"},
		{"rules: [{id: x, phase: request, conditions: {response.tokens_gt: 1}, action: DENY}]", "response.tokens"},
		{"rules: [{id: x, action: DENY, colour: blue}]", "colour"},
		{"colour: blue", "colour"},
	} {
		l, err := by.Build(t, Deps{Policies: []policydoc.Record{NewActive(c.text)}, Chain: Alone, Links: Alone})
		if c.says != "" {
			require.ErrorContains(t, err, c.says, c.text)
			continue
		}
		require.NoError(t, err)
		if s, ok := l.Stage.(core.Closer); ok {
			require.NoError(t, s.Close(t.Context()))
		}
	}
}

func explainDenial(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(`{id: no, conditions: {model.denylist: ["gpt-*"]}, action: DENY, deny_message: "Use another."}`)))
	x, d := b.Send(Hello)
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, 403, d.Err.HTTPStatus())
	assert.Equal(t, core.CodePolicyDenied, d.Err.Code)
	assert.Equal(t, "Use another.", d.Err.Public)
	require.Len(t, x.Findings, 1)
	assert.Equal(t, "p/no", x.Findings[0].Label)
	assert.Equal(t, core.FoundPolicy, x.Findings[0].Kind)

	b = newBench(t, by, Alone, NewActive(FormatRule(`{id: no, action: DENY}`)))
	_, d = b.Send(Hello)
	assert.Equal(t, "the policy rule p/no does not allow this request", d.Err.Public)
}

func rankDenials(t *testing.T, by *Subject) {
	old := NewActive("version: 1\nname: old\nrules: [{id: low, action: DENY}, {id: high, priority: 2, action: DENY}]")
	young := NewActive("version: 1\nname: young\nrules: [{id: late, priority: 2, action: DENY}]")
	own := NewRecord("t-a", policydoc.Active, "version: 1\nname: own\nrules: [{id: mine, priority: 99, action: DENY}]")
	for _, c := range []struct {
		policies []policydoc.Record
		want     string
	}{
		{[]policydoc.Record{own, old, young}, "old/high"},
		{[]policydoc.Record{young, old}, "young/late"},
		{[]policydoc.Record{own}, "own/mine"},
	} {
		x, d := newBench(t, by, Alone, c.policies...).Send(Hello)
		require.Equal(t, core.Block, d.Action)
		assert.Contains(t, d.Err.Public, "the policy rule "+c.want+" ")
		rules := 0
		for _, p := range c.policies {
			rules += map[string]int{"old": 2, "young": 1, "own": 1}[p.Name]
		}
		assert.Len(t, x.Findings, rules, "all of them are recorded")
	}
}

func joinConditions(t *testing.T, by *Subject) {
	runRules(t, by, Alone, []outcome{
		{`conditions: {model.in: [other], key.tags_any: [batch]}`, Hello, false},
		{`match: any, conditions: {model.in: [other], key.tags_any: [batch]}`, Hello, true},
		{`match: any, conditions: {model.in: [other], key.tags_any: [other]}`, Hello, false},
		{`match: any, conditions: {model.in: [other], provider.in: [openai]}`, Hello, true},
		{`unless: {key.tags_any: [batch]}`, Hello, false},
		{`unless: {key.tags_any: [batch], model.in: [other]}`, Hello, true},
		{`unless: {provider.in: [openai]}`, Hello, false},
		{`unless: {provider.in: [mock]}`, Hello, true},
		{`conditions: {response.tokens_gt: 0}`, Hello, false},
	})
}
