package dsl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A rule about gpt-4o applies to GPT-4o too, whether the client, the author or a tenant's metadata uses either
// spelling.
func TestAnExpressionComparesModelsIgnoringTheirCase(t *testing.T) {
	for _, when := range []string{
		`model.name == "gpt-4o"`, `"GPT-4o" == model.name`, `model.name == "GPT-4O"`, `model["name"] == "gPT-4o"`, `model.?name.orValue("") == "GPT-4o"`,
		`model.name == " ＧＰＴ-4o "`, `model.name in ["x", "GPT-4o"]`, `model.name.startsWith("GPT-")`, `model.name.endsWith("-4O")`,
		`model.name.contains("T-4O")`, `model.name.matches("^GPT-\\d[A-Z]$")`, `!(model.name != "GPT-4o")`, `model.routed == "GPT-4o"`,
		`["GPT-4o", "X"].exists(m, m == model.name)`, `["GPT-"].exists(m, model.name.startsWith(m))`, `[model.name].exists(n, n == "GPT-4o")`,
		`["X", "GPT-4O"].filter(m, m == model.name).size() == 1`, `[model.name].map(n, n + "!")[0] == "GPT-4O!"`,
		`(tokens.prompt > 5 ? model.name : "X") == "GPT-4o"`, `"OpenAI/" + model.name == "openai/GPT-4O"`, `"openai/" + model.name > "openai/gpt-4n"`,
		`string(model.name) == "GPT-4o" && tenant.id == "Acme"`, `tenant.metadata["Plan"] == "Gold" && model.name == "GPT-4o"`,
		`model.name == tenant.metadata.model`, `model.name in tenant.metadata.models`, `model.name in {"GPT-4O": 1}`, `model.name.matches(tenant.metadata.like)`,
		`["x", tenant.metadata.model].exists(m, model.name == m)`, `[model.name] == ["GPT-4O"]`, `size(model.name) == 6`,
		`(model.name == "GPT-4o" ? "Gold" : "Free") == tenant.metadata["Plan"]`, `tools.names.exists(n, n == "Find") && model.name == "GPT-4o"`,
		`["a"].exists(model, model == "a") && model.name == "GPT-4o"`, `[["GPT-4O"]].exists(l, model.name in l)`,
	} {
		for _, asked := range []string{"gpt-4o", "GPT-4o", "Gpt-4O"} {
			context := `{"model":"` + asked + `","tenant":{"id":"Acme","metadata":{"Plan":"Gold","model":"gPT-4O","models":["GPT-4o"],"like":"^GPT"}},` +
				`"tokens":{"prompt":7},"tools":["Find"]}`
			r := Decide(parseRule(t, `{id: r, when: '`+when+`', action: DENY}`), facts(t, context, true))
			assert.Equal(t, Denied, r.Status, "%s about %s", when, asked)
			assert.Empty(t, r.Notes, when)
		}
	}
}

// Anything that is not a model's name is compared exactly.
func TestAnExpressionFoldsNothingButModels(t *testing.T) {
	for _, when := range []string{
		`model.name == "gpt-4o-mini"`, `tenant.id == "acme" && model.name == "gpt-4o"`, `model.name.matches("^\\D+$")`, `key.name == "GPT-4o"`,
		`["key"].exists(n, n == key.name)`, `["A"].exists(model, model == "a")`, `(model.name == "gpt-4o" ? "gold" : "free") == tenant.metadata.plan`,
		`{"a": "Gold"}["a"] == "gold"`, `tenant.metadata.plan.matches("gold")`,
	} {
		f := facts(t, `{"model":"GPT-4o","tenant":{"id":"Acme","metadata":{"plan":"Gold"}},"key":{"id":"k","name":"Key"}}`, true)
		r := Decide(parseRule(t, `{id: r, when: '`+when+`', action: DENY}`), f)
		assert.Equal(t, Allowed, r.Status, when)
		assert.Empty(t, r.Notes, when)
	}
}

// Rewritten comparisons keep their position in error messages, and the functions that they call cannot be called
// directly.
func TestErrorsOfRewrittenExpressionsSayWhereTheyAre(t *testing.T) {
	_, err := compileExpression(`model.name == missing`)
	require.ErrorContains(t, err, "(column 15)")
	_, err = compileExpression(`model.nam == "x"`)
	require.ErrorContains(t, err, "did you mean model.name?")
	_, err = compileExpression(`@name("x") == "x"`)
	require.Error(t, err)
	_, err = compileExpression(strings.Repeat("model.name == 'x' || ", 90) + "model.name.contains('y')")
	require.NoError(t, err)
}
