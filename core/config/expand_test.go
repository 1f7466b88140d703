package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVariablesArePutIn(t *testing.T) {
	vars := newVariables([]string{"A=1", "EMPTY=", "NESTED=${A}", "EQ=x=y", "NOT A VARIABLE"})
	for text, want := range map[string]string{
		"plain":              "plain",
		"$A and $ and $$":    "$A and $ and $$",
		"${A}":               "1",
		"<${A}${A}>":         "<11>",
		"${EMPTY}":           "",
		"${EMPTY:-d}":        "d",
		"${NONE:-}":          "",
		"${NONE:-a:-b $ {c}": "a:-b $ {c",
		"${A:-d}":            "1",
		"$${A}":              "${A}",
		"$$${A}":             "$${A}",
		"$${A}${A}":          "${A}1",
		"${NESTED}":          "${A}",
		"${EQ}":              "x=y",
		"${NONE:-${A}}":      "${A}",
		"é${A}é":             "é1é",
	} {
		got, _, faults := vars.expand(text)
		assert.Empty(t, faults, text)
		assert.Equal(t, want, strings.TrimSuffix(got, "\n"), text)
	}
}

func TestBadReferencesAreFaults(t *testing.T) {
	vars := newVariables(nil)
	for text, want := range map[string]string{
		"${NONE}":     "${NONE} is not set",
		"${":          "not closed",
		"${A":         "not closed",
		"${}":         "not followed by the name",
		"${1A}":       "not followed by the name",
		"${A:?err}":   "not followed by the name",
		"${A B:-x}":   "not followed by the name",
		"a${NONE}${B": "${NONE} is not set",
	} {
		_, _, faults := vars.expand(text)
		require.NotEmpty(t, faults, text)
		assert.Contains(t, faults[0].message, want, text)
	}
}

func TestAVariableAddsNoStructure(t *testing.T) {
	cfg, _, err := load("providers: {mock: {}}\nregion:\n  id: eu\n  name: ${STRUCTURE}\ntenants: [{id: a, metadata: {x: '${STRUCTURE}'}}]\n")
	require.NoError(t, err)
	assert.Equal(t, "a: b # c", cfg.Region.Name)
	assert.Equal(t, map[string]any{"x": "a: b # c"}, cfg.Tenants[0].Metadata)
}

func TestAVariableMayHoldANumber(t *testing.T) {
	for name, text := range map[string]string{
		"bare":                 "providers: {mock: {}}\nguardrail:\n  default_max_response_tokens: ${PORT}\n",
		"quoted, as within {}": `{providers: {mock: {}}, guardrail: {default_max_response_tokens: "${PORT}"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			cfg, _, err := load(text)
			require.NoError(t, err)
			assert.Equal(t, int64(8081), cfg.Guardrail.DefaultMaxResponseTokens)
		})
	}
}

func TestVariablesInCommentsAndKeysStay(t *testing.T) {
	cfg, _, err := load("# ${NOT_SET}\nproviders: {mock: {}} # ${NOT_SET}\ntenants: [{id: a, metadata: {'${K}': 1}}]\n")
	require.NoError(t, err)
	assert.Contains(t, cfg.Tenants[0].Metadata, "${K}")
}

func TestAVariablesValueIsNeverShown(t *testing.T) {
	_, _, err := load(`
server: {listen: "${PASSWORD}", max_body: "${PASSWORD}", idle_timeout: "${PASSWORD}"}
log: {level: "${PASSWORD}", access: "${PASSWORD}"}
store: {url: "${PASSWORD}"}
providers: {mock: {type: "${PASSWORD}", base_url: "${PASSWORD}", headers: {a: "b\n${PASSWORD}"}}}
routes: [{model_pattern: x, providers: [{provider: "${PASSWORD}"}]}]
tenants: [{id: a b, keys: [{name: n, key: "${PASSWORD}", expires_at: "${PASSWORD}"}]}, {id: "${PASSWORD}"}, {id: "${PASSWORD}"}]
chain: [{stage: "${PASSWORD}"}, {plugins: "${PASSWORD}"}, {wasm: "${PASSWORD}"}, {stage: "${PASSWORD}"}]
`)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	assert.Contains(t, err.Error(), "the value of ${PASSWORD} is not one of trace, debug")
	var problems *Problems
	require.ErrorAs(t, err, &problems)
	assert.Greater(t, len(problems.List), 15)
}

func TestABareVariableWithinBracesIsExplained(t *testing.T) {
	_, _, err := load("providers:\n  mock: {api_key: ${SET}}\n")
	require.ErrorContains(t, err, `gateway.yaml:2: this is not YAML`)
	require.ErrorContains(t, err, `within {} and [] a variable is written in quotes: "${NAME}"`)
}
