package dsl

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A rule about gpt-4o holds for GPT-4o too, whichever of the two the client and whichever the author has written.
func TestAnExpressionComparesModelsIgnoringTheirCase(t *testing.T) {
	for _, when := range []string{
		`model.name == "gpt-4o"`, `"GPT-4o" == model.name`, `model.name == "GPT-4O"`, `model["name"] == "gPT-4o"`, `model.?name.orValue("") == "GPT-4o"`,
		`model.name in ["x", "GPT-4o"]`, `model.name.startsWith("GPT-")`, `model.name.endsWith("-4O")`, `model.name.contains("T-4O")`,
		`model.name.matches("^GPT-\\d[A-Z]$")`, `!(model.name != "GPT-4o")`, `model.routed == "GPT-4o"`, `"GPT-4o" in model.names`,
		`["GPT-4o", "X"].exists(m, m == model.name)`, `["GPT-"].exists(m, model.name.startsWith(m))`, `model.names.exists(n, n == "GPT-4o")`,
		`["X", "GPT-4O"].filter(m, m == model.name).size() == 1`, `(tokens.prompt > 5 ? model.name : "X") == "GPT-4o"`,
		`string(model.name) == "GPT-4o" && tenant.id == "Acme"`, `tenant.metadata["Plan"] == "Gold" && model.name == "GPT-4o"`,
		`(model.name == "GPT-4o" ? "Gold" : "Free") == tenant.metadata["Plan"]`, `tools.names.exists(n, n == "Find") && model.name == "GPT-4o"`,
	} {
		for _, asked := range []string{"gpt-4o", "GPT-4o", "Gpt-4O"} {
			context := `{"model":"` + asked + `","tenant":{"id":"Acme","metadata":{"Plan":"Gold"}},"tokens":{"prompt":7},"tools":["Find"]}`
			r := Decide(one(t, `{id: r, when: '`+when+`', action: DENY}`), facts(t, context, true))
			assert.Equal(t, Denied, r.Status, "%s about %s", when, asked)
			assert.Empty(t, r.Notes, when)
		}
	}
	for _, when := range []string{
		`model.name == "gpt-4o-mini"`, `tenant.id == "acme" && model.name == "gpt-4o"`, `model.name.matches("^\\D+$")`, `key.name == "GPT-4o"`,
		`["key"].exists(n, n == key.name) && "GPT-4o" in model.names`,
	} {
		f := facts(t, `{"model":"GPT-4o","tenant":"Acme","key":{"id":"k","name":"Key"}}`, true)
		assert.Equal(t, Allowed, Decide(one(t, `{id: r, when: '`+when+`', action: DENY}`), f).Status, when)
	}
}

// A provider's prefix, a ROUTE and a route of the gateway give a model further names, which model.names holds.
func TestAnExpressionSeesAllNamesOfAModel(t *testing.T) {
	f := facts(t, `{"model":"OpenAI/GPT-4o","routed":"azure/Fast"}`, true)
	f.Sent[2] = "Deployment-1"
	for _, name := range []string{"openai/gpt-4o", "gpt-4o", "azure/fast", "fast", "deployment-1"} {
		assert.Equal(t, Denied, Decide(one(t, `{id: r, when: '"`+name+`" in model.names', action: DENY}`), f).Status, name)
	}
	assert.Equal(t, Allowed, Decide(one(t, `{id: r, when: '"" in model.names', action: DENY}`), f).Status)
	assert.Len(t, f.modelNames(), 5)
}
