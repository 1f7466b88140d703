package plugins_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/wasm"
)

func TestTheRoleOfAModuleIsReadFromItsManifest(t *testing.T) {
	t.Parallel()
	const manifest = `{"name":"x","kind":"detector","role":"pii","labels":["badge"],"max_match":8}`
	module := []byte("\x00asm\x01\x00\x00\x00")
	packed, err := wasm.WithManifest(module, []byte(manifest))
	require.NoError(t, err)
	dir := t.TempDir()
	for name, body := range map[string][]byte{
		"packed.wasm": packed, "beside.wasm": module, "beside.wasm.yaml": []byte("name: x\nkind: detector\nrole: pii\nlabels: [badge]\nmax_match: 8\n"),
		"none.wasm": module, "broken.wasm": []byte("\x00asm"), "wrong.wasm": module, "wrong.wasm.yaml": []byte("role: router\n"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), body, 0o600))
	}
	for file, want := range map[string]string{
		"packed.wasm": "pii", "beside.wasm": "pii", "none.wasm": "", "broken.wasm": "", "wrong.wasm": "", "absent.wasm": "", "../packed.wasm": "",
	} {
		assert.Equal(t, want, plugins.FindRole(dir, file), file)
	}
}

func TestAManifestWithAnUnknownRoleIsRefused(t *testing.T) {
	t.Parallel()
	_, err := plugins.ReadManifest([]byte("name: x\nkind: detector\nrole: router\nlabels: [a]\nmax_match: 8\n"))
	require.ErrorContains(t, err, "role must be one of pii, policy, guardrail, ratelimit, budget, cache")
}
