package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFileIsLaidOverAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "over.yaml")
	over := func(s *Source) { s.Over, s.Known = path, allStages }
	const first = `
server: {listen: 127.0.0.1:1, max_body: 1MiB}
providers: {mock: {}, other: {type: openai, api_key: k}}
chain: [{stage: pii, config: {action: flag}}, {stage: guardrail, name: g, config: {detectors: []}}, {stage: cache}]
`
	require.NoError(
		t,
		os.WriteFile(path, []byte("server: {max_body: 2MiB}\nchain: [{stage: guardrail}, {stage: pii, config: {types: [EMAIL]}}]\n"), 0o600),
	)
	cfg, _, err := load(first, over)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:1", cfg.Server.Listen, "a mapping is merged")
	assert.Equal(t, 2*MiB, cfg.Server.MaxBody)
	assert.Len(t, cfg.Providers, 2)
	require.Len(t, cfg.Chain, 2, "a list replaces the other")
	assert.Equal(t, []string{"guardrail", "pii"}, []string{cfg.Chain[0].Name, cfg.Chain[1].Name})
	one, err := cfg.Chain[0].Config.JSON()
	require.NoError(t, err)
	two, err := cfg.Chain[1].Config.JSON()
	require.NoError(t, err)
	assert.Equal(t, []string{`{}`, `{"types":["EMAIL"]}`}, []string{string(one), string(two)}, "nothing of the links that stood there is left")

	for text, says := range map[string]string{
		"- a\n":                       "over.yaml:1:1: the file is a list where a mapping is wanted; write chain: […]",
		"chian: []\n":                 "over.yaml:1:1: chian: unknown key; did you mean chain?",
		"chain: [{stage: pii, x: 1}]": "over.yaml:1:22: chain[0].x: unknown key",
		"chain: [\n":                  "over.yaml",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _, err := load(first, over)
		assert.ErrorContains(t, err, says, text)
	}
	_, _, err = load(first, func(s *Source) { s.Over = path + ".none" })
	assert.ErrorContains(t, err, "the file cannot be read")
}
