package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzLoad holds that any bytes, flag and variable give either a configuration
// that loads again the same way, or problems, each with a file and a message;
// and that no secret is in them.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text, "server.listen=127.0.0.1:1", "SERVER_LISTEN=127.0.0.1:2")
	}
	f.Add([]byte("a: &a [*a]\n<<: *a\n"), "chain[0].config.a=[1]", "CHAIN={")
	f.Add([]byte("chain: [{stage: pii}]"), "chain.pii.for={}", "LLM_GATEWAY_X=1")
	f.Fuzz(func(t *testing.T, text []byte, set, variable string) {
		src := Source{
			Default: text, Name: "fuzz.yaml", Known: known, Set: []string{set},
			Environ: []string{"SECRET=hunter2", "HEADGATE_" + variable},
		}
		cfg, warnings, err := Load(src)
		if err != nil {
			var problems *Problems
			require.ErrorAs(t, err, &problems)
			require.Nil(t, cfg)
			require.NotEmpty(t, problems.List)
			for _, p := range problems.List {
				assert.NotEmpty(t, p.File)
				assert.NotEmpty(t, p.Message)
			}
			shown := err.Error() + lines(warnings)
			if !strings.Contains(string(text)+set+variable, "hunter2") {
				assert.NotContains(t, shown, "hunter2")
			}
			return
		}
		for _, l := range cfg.Chain {
			assert.NotEmpty(t, l.Name)
			assert.NotEmpty(t, l.Kind())
			if raw, err := l.Config.JSON(); err == nil {
				assert.True(t, json.Valid(raw))
			}
			var free map[string]any
			require.NoError(t, l.Config.Decode(&free))
		}
		again, _, err := Load(src)
		require.NoError(t, err)
		assert.Equal(t, cfg.Digest, again.Digest)
	})
}

// FuzzExpand holds that text without ${ stays, and that what a variable holds is
// taken once, as it is.
func FuzzExpand(f *testing.F) {
	f.Add("a ${A} $${A} ${B:-x}", "v")
	f.Add("${", "")
	f.Fuzz(func(t *testing.T, text, held string) {
		vars := newVariables([]string{"A=" + held})
		got, from, faults := vars.expand(text)
		if !strings.Contains(text, "${") {
			assert.Equal(t, text, got)
			assert.Empty(t, from)
			assert.Empty(t, faults)
		}
		if whole, _, _ := vars.expand("${A:-}"); len(held) < maxExpanded/4 {
			assert.Equal(t, held, whole)
		}
		if escaped, _, bad := vars.expand(strings.ReplaceAll(text, "${", "$${")); !strings.Contains(text, "$${") {
			assert.Empty(t, bad)
			assert.Equal(t, text, escaped)
		}
	})
}
