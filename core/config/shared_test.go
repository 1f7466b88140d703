package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const central = `
role: control-plane
server: {listen: 127.0.0.1:7000}
store: {url: "sqlite:central.db"}
fleet: {secret: 0123456789abcdef}
providers:
  mock: {}
  openai: {api_key: "${OPENAI_API_KEY}"}
routes: [{model_pattern: "gpt-*", providers: [{provider: openai}]}]
tenants: [{id: acme, metadata: {number: 017, text: "017", dollar: "${MONEY}"}, keys: [{name: k, expires_at: 2030-01-01}]}]
plugins: {dir: central-plugins, trust: pinned, candidate: {for: 10m}}
chain: [{stage: pii, config: {action: redact, note: 'a: b # c'}}]
`

// A node has what the control plane hands out, but for what is its own.
func TestANodeTakesTheControlPlanesConfiguration(t *testing.T) {
	cfg, _, err := load(central, withEnv("OPENAI_API_KEY=sk-1: #*", "MONEY=$${X} ${Y}"))
	require.NoError(t, err)
	shared, err := cfg.MarshalShared()
	require.NoError(t, err)
	assert.NotContains(t, string(shared), "0123456789abcdef")
	assert.NotContains(t, string(shared), "central")
	node, warnings, err := Load(Source{
		Default: []byte("role: gateway\nserver: {listen: 127.0.0.1:8000}\nplugins: {dir: mine}\n"), Node: true, Base: shared, Known: known,
	})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, RoleGateway, node.Role)
	assert.Equal(t, "127.0.0.1:8000", node.Server.Listen)
	assert.Equal(t, "mine", node.Plugins.Dir)
	assert.Equal(t, cfg.Plugins.Candidate, node.Plugins.Candidate)
	assert.Equal(t, cfg.Providers, node.Providers)
	assert.Equal(t, cfg.Routes, node.Routes)
	assert.Equal(t, cfg.Tenants, node.Tenants)
	var link struct {
		Action, Note string
	}
	require.NoError(t, node.Chain[0].Config.Decode(&link))
	assert.Equal(t, "a: b # c", link.Note)
	again, err := node.MarshalShared()
	require.NoError(t, err)
	assert.Equal(t, string(shared), string(again))
}

func TestANodesFileHoldsNothingOfTheControlPlanes(t *testing.T) {
	_, _, err := Load(Source{
		Default: []byte(
			"role: gateway\nplugins: {trust: open}\nproviders: {mock: {}}\nx-note: 1\n",
		),
		Node:  true,
		Base:  []byte("{}"),
		Known: known,
	})
	require.ErrorContains(t, err, "2:1: plugins: comes from the control plane")
	require.ErrorContains(t, err, "3:1: providers: comes from the control plane")
	assert.NotContains(t, err.Error(), "x-note")
}

func TestAFleetIsChecked(t *testing.T) {
	const long = "0123456789abcdef"
	for name, c := range map[string]struct{ text, says string }{
		"a secret that is too short":             {"fleet: {secret: short}", "fleet.secret: is too short"},
		"an open listener without a secret":      {"server: {listen: \":8080\"}", "fleet.secret: is not set"},
		"an open control plane without a secret": {"role: control-plane\nserver: {listen: \"10.0.0.1:8080\"}", "fleet.secret: is not set"},
		"an open gateway without one":            {"role: gateway\nserver: {listen: \":8080\"}", ""},
		"a listener on this machine without one": {"server: {listen: \"[::1]:8080\"}", ""},
		"an open listener with a secret":         {"server: {listen: \":8080\"}\nfleet: {secret: " + long + "}", ""},
		"a control plane of a role that is none": {"fleet: {secret: " + long + ", control_plane: \"https://a\"}", "fleet.control_plane: is for nodes"},
		"a control plane that is not an address": {"role: gateway\nfleet: {secret: " + long + ", control_plane: \"a:1\"}", "fleet.control_plane: is not an http or https URL"},
		"a control plane with a password":        {"role: gateway\nfleet: {secret: " + long + ", control_plane: \"https://u:p@a\"}", "fleet.control_plane: contains a user"},
		"a node without a secret":                {"role: gateway\nfleet: {control_plane: \"https://a\"}", "fleet.secret: is not set"},
		"a node without a file for its copy":     {"role: gateway\nstore: {url: \"sqlite::memory:\"}\nfleet: {secret: " + long + ", control_plane: \"https://a\"}", "store.url: is not an SQLite file"},
		"a node with a name that is none":        {"fleet: {node: \"a b\"}", "fleet.node: is not a name"},
		"a node with all that it needs":          {"role: gateway\nfleet: {secret: " + long + ", control_plane: \"https://a\"}", ""},
		"a role that is none":                    {"role: worker", "role"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := load("providers: {mock: {}}\n" + c.text + "\n")
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), long)
		})
	}
}
