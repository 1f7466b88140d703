package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeProperty gives the four ways to write a property, as a file, its environment
// and its flags.
func writeProperty(p Property, value string) map[string]struct {
	file     string
	env, set []string
} {
	nested, parts := "", strings.Split(p.Name, ".")
	for i, part := range parts {
		nested += strings.Repeat("  ", i) + part + ":\n"
	}
	nested = strings.TrimSuffix(nested, "\n") + " " + value + "\n"
	const base = "providers: {mock: {}}\n"
	return map[string]struct {
		file     string
		env, set []string
	}{
		"nested":      {base + nested, nil, nil},
		"dotted":      {base + p.Name + ": " + value + "\n", nil, nil},
		"half dotted": {base + parts[0] + ": {" + strings.Join(parts[1:], ".") + ": " + value + "}\n", nil, nil},
		"variable":    {base, []string{p.listVariables()[0] + "=" + value}, nil},
		"variable without the marks": {
			base,
			[]string{strings.ReplaceAll(strings.Replace(p.listVariables()[len(p.listVariables())-1], "HEADGATE_", "HEADGATE#", 1), "_", "") + "=" + value},
			nil,
		},
		"flag": {base, nil, []string{p.Name + "=" + value}},
	}
}

func TestEveryPropertyIsKnownInEveryForm(t *testing.T) {
	require.NotEmpty(t, ListProperties())
	for _, p := range ListProperties() {
		value := "17"
		if strings.HasSuffix(p.Name, ".enabled") {
			value = "true"
		}
		if strings.HasSuffix(p.Name, "-uri") {
			value = "https://login.example.com"
		}
		if strings.HasSuffix(p.Name, ".secret") {
			value = "0123456789abcdefg"
		}
		for form, w := range writeProperty(p, value) {
			t.Run(fmt.Sprintf("%s, %s", p.Name, form), func(t *testing.T) {
				for i := range w.env {
					w.env[i] = strings.Replace(w.env[i], "HEADGATE#", "HEADGATE_", 1)
				}
				cfg, warnings, err := load(w.file, withEnv(w.env...), withSet(w.set...))
				assert.Empty(t, warnings)
				if p.Key == "" {
					require.ErrorContains(t, err, p.Name+": known property, but not built yet")
					return
				}
				require.NoError(t, err)
				assert.Equal(t, value, map[string]string{
					"headgate.llm-gateway.guardrail.default-max-response-tokens":        fmt.Sprint(cfg.Guardrail.DefaultMaxResponseTokens),
					"headgate.llm-gateway.providers.azure-openai.responses-api-version": cfg.Providers["azure-openai"].ResponsesAPIVersion,
					"headgate.llm-gateway.cache.in-memory.enabled":                      fmt.Sprint(cfg.Cache.Enabled),
					"headgate.flightdeck.security.rbac.enabled":                         fmt.Sprint(cfg.Admin.Auth.RBAC.Enabled),
					"headgate.flightdeck.security.oidc.issuer-uri":                      cfg.Admin.Auth.OIDC.Issuer,
					"gateway.internal.secret":                                           cfg.Fleet.Secret.Reveal(),
				}[p.Name])
			})
		}
	}
}

func TestANativeKeyExistsForEveryBuiltProperty(t *testing.T) {
	for _, p := range ListProperties() {
		if p.Key == "" {
			continue
		}
		_, ok := resolver{spelling: dotted}.find(&value{kind: mapping}, p.Key)
		assert.True(t, ok, p.Name)
	}
}

func TestAPropertyInTheEnvironmentWinsOverTheNativeKeyOfTheFile(t *testing.T) {
	cfg, _, err := load("{providers: {mock: {}}, guardrail: {default_max_response_tokens: 1}}",
		withEnv("HEADGATE_LLM_GATEWAY_GUARDRAIL_DEFAULT_MAX_RESPONSE_TOKENS=2"))
	require.NoError(t, err)
	assert.Equal(t, int64(2), cfg.Guardrail.DefaultMaxResponseTokens)
}

func TestUnknownPropertiesAreNamed(t *testing.T) {
	_, _, err := load("{providers: {mock: {}}, headgate: 5}")
	require.ErrorContains(t, err, "gateway.yaml:1:25: headgate: unknown property")
	_, _, err = load("{providers: {mock: {}}}", withSet("headgate.llm-gateway.cach.in-memory.enabled=true"))
	require.ErrorContains(t, err, "did you mean headgate.llm-gateway.cache.in-memory.enabled?")
	_, _, err = load("{providers: {mock: {}}, guardrail: 5, headgate.llm-gateway.guardrail.default-max-response-tokens: 3}")
	require.ErrorContains(t, err, "guardrail: is a single value where a mapping is wanted")
}
