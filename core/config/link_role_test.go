package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheRoleOfAModuleIsThatOfItsManifestUnlessTheLinkSaysOne(t *testing.T) {
	asked := 0
	known := func(s *Source) {
		s.Known = allStages
		s.Known.Role = func(dir, file string) string {
			asked++
			assert.Equal(t, "plugins", dir)
			assert.Equal(t, "my-pii.wasm", file)
			return "pii"
		}
	}
	_, _, err := load("providers: {mock: {}}\nchain: [{stage: cache}, {wasm: my-pii.wasm}]\n", known)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "CACHE_BEFORE_PII")
	assert.Equal(t, 1, asked)
	cfg, _, err := load("providers: {mock: {}}\nchain: [{stage: cache}, {wasm: my-pii.wasm, role: guardrail}]\n", known)
	require.NoError(t, err)
	assert.False(t, cfg.Chain[1].IsPII())
	assert.Equal(t, 1, asked, "the link says it")
	cfg, _, err = load("providers: {mock: {}}\nchain: [{wasm: my-pii.wasm}, {stage: cache}]\n", known)
	require.NoError(t, err)
	assert.True(t, cfg.Chain[0].IsPII())
}

func TestARoleIsForLinksThatRunOnePlugin(t *testing.T) {
	for _, c := range []struct{ name, link, want string }{
		{"a compiled-in stage has its own", "{stage: pii, role: guardrail}", "chain[0].role: is for plugins"},
		{"a folder has many", `{plugins: "*", role: pii}`, "chain[0].role: is for a link that runs one plugin"},
		{"a role that does not exist", "{wasm: a.wasm, role: router}", "chain[0].role"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := load("providers: {mock: {}}\nchain: ["+c.link+"]\n", func(s *Source) { s.Known = allStages })
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}
