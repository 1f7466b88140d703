package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPoliciesAreChecked(t *testing.T) {
	const base = "providers: {mock: {}}\nroutes: [{model_pattern: \"*\", providers: [{provider: mock}]}]\n"
	load := func(text string) (*Config, []Warning, error) {
		return Load(Source{Default: []byte(text), Known: Known{Providers: []string{"mock"}, Stages: []string{"pii", "policy"}}})
	}
	for _, c := range []struct{ name, policies, says string }{
		{"a file", `[{id: a, file: a.yaml}]`, ""},
		{"a text", `[{id: a, dsl: "rules: []"}]`, ""},
		{"neither", `[{id: a}]`, "policies[0]: has no text"},
		{"both", `[{id: a, dsl: x, file: y}]`, "both file and dsl"},
		{"no id", `[{dsl: x}]`, "policies[0].id: is missing"},
		{"an id that is used", `[{id: a, dsl: x}, {id: a, dsl: y}]`, "already used"},
		{"a state that there is not", `[{id: a, dsl: x, status: on}]`, "active, shadow, draft"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg, warnings, err := load(base + "chain: [{stage: policy}]\npolicies: " + c.policies)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			assert.Empty(t, warnings)
			assert.Equal(t, "a", cfg.Policies[0].Name)
			assert.Equal(t, PolicyActive, cfg.Policies[0].Status)
		})
	}
	_, warnings, err := load(base + `policies: [{id: a, dsl: x}]`)
	require.NoError(t, err)
	assert.Empty(t, warnings, "the gateway adds the link")
}
