package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/plugins/oci"
	"github.com/headgate-dev/headgate/plugins/oci/ocitest"
)

const fromRegistry = "  - stage: pii\n  - {wasm: employee-id.wasm, name: employees, config: {action: redact}}\n"

func TestAPluginOfTheConfigurationComesFromItsRegistryAndStaysWithoutIt(t *testing.T) {
	t.Parallel()
	registry := ocitest.New(t)
	to, err := oci.ParseReference("oci://" + registry.Host + "/guards/employee-id:1")
	require.NoError(t, err)
	ref, err := oci.Push(t.Context(), to, oci.Options{PlainHTTP: true}, []oci.File{{Name: "employee-id.wasm", Body: sample(t)}})
	require.NoError(t, err)

	s := newSite(t)
	configure := func(artifact string) {
		plugins := "plugins: {dir: plugins, trust: pinned, artifacts: {employee-id.wasm: \"" + artifact + "\"}, registries: {\"" +
			registry.Host + "\": {plain_http: true}}}"
		s.write("gateway.yaml", []byte(strings.Replace(configText("", fromRegistry), "plugins: {dir: plugins, trust: open}", plugins, 1)))
	}
	configure(ref.String())
	done := s.run("validate", "--config", "gateway.yaml")
	require.Zero(t, done.code, "it is valid before it was pulled: %s", done.err)
	assert.NoFileExists(t, s.path("plugins/employee-id.wasm"))

	g := s.serve("--config", "gateway.yaml")
	assert.Equal(t, digest(sample(t)), g.status().digest("employee-id.wasm"))
	require.NoError(t, g.client(testKey).checkEcho("mock-echo", "badge EMP-123456"))
	g.stop()

	registry.RequireUser("nobody") // it refuses everybody from now on
	asked := registry.CountRequests()
	g = s.serve("--config", "gateway.yaml")
	assert.Equal(t, digest(sample(t)), g.status().digest("employee-id.wasm"))
	assert.Equal(t, asked, registry.CountRequests(), "what is there needs no registry")

	require.NoError(t, os.RemoveAll(filepath.Join(s.dir, "plugins")))
	require.NoError(t, os.Mkdir(s.path("plugins"), 0o755))
	g.stop()
	g = s.serve("--config", "gateway.yaml")
	assert.True(t, g.status().warned("employee-id.wasm", "missing"), "the gateway starts, and the link's fault rule decides")
	a := g.client(testKey).chat(t, "mock-echo", "hello")
	assert.Equal(t, 503, a.status)
}
