package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRulesForHostedToolsAreRead(t *testing.T) {
	load := func(route, tenant string) (*Config, error) {
		cfg, _, err := Load(Source{Known: Known{Providers: []string{"mock"}}, Default: []byte(`hosted_tools: strip
providers: {mock: {}}
routes: [{model_pattern: "*", providers: [{provider: mock}], hosted_tools: ` + route + `}]
tenants: [{id: a, metadata: {hosted_tools: ` + tenant + `}}]
`)})
		return cfg, err
	}
	cfg, err := load("pass", "refuse")
	require.NoError(t, err)
	assert.Equal(t, HostedStrip, cfg.HostedTools)
	assert.Equal(t, HostedPass, cfg.Routes[0].HostedTools)
	_, err = load("allow", "refuse")
	require.ErrorContains(t, err, "refuse, strip")
	_, err = load("pass", "allow")
	require.ErrorContains(t, err, "tenants[0].metadata.hosted_tools: unknown rule allow; write refuse, strip or pass")
}
