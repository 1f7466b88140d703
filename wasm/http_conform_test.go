package wasm_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/conform"
)

func TestAnHTTPWasmModuleIsHeldAgainstTheRulesOfAnyGuest(t *testing.T) {
	for file, broken := range map[string]string{
		"tinygo-log": "",
		"router":     "it imports what the host offers and its manifest asks for",
	} {
		b, err := os.ReadFile(filepath.Join("testdata", "http-wasm", file+".wasm"))
		require.NoError(t, err)
		r, err := conform.Run(t.Context(), conform.Options{Source: b, File: file})
		require.NoError(t, err)
		assert.Equal(t, "http-wasm", r.Kind)
		for _, rule := range r.Results {
			if rule.Rule == broken {
				assert.Equal(t, conform.Broken, rule.State)
				assert.Contains(t, rule.Detail, "set_uri")
				continue
			}
			assert.NotEqual(t, conform.Broken, rule.State, "%s: %s: %s", file, rule.Rule, rule.Detail)
		}
	}
}
