package plugintool

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins/oci"
	"github.com/headgate-dev/headgate/plugins/oci/ocitest"
	"github.com/headgate-dev/headgate/sdk/samples"
)

// run runs a command of "headgate plugin" and returns what it printed.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return runWith(t, new(node.Options), args...)
}

// runWith is run with a configuration.
func runWith(t *testing.T, f *node.Options, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c := NewCommand(f)
	c.SilenceUsage, c.SilenceErrors = true, true
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&out)
	err := c.ExecuteContext(t.Context())
	return strings.TrimSpace(out.String()), err
}

func TestAPluginIsPushedAndPulledWithItsSignature(t *testing.T) {
	registry := ocitest.New(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("plugins", 0o700))
	require.NoError(t, os.WriteFile(samples.EmployeeIDFile, samples.EmployeeID, 0o600))
	t.Setenv(pluginPasswordVar, "open sesame, please")
	for _, args := range [][]string{{"keygen"}, {"sign", samples.EmployeeIDFile}} {
		said, err := run(t, args...)
		require.NoError(t, err, said)
	}
	ref, err := run(t, "push", "--plain-http", samples.EmployeeIDFile, "oci://"+registry.Host+"/guards/employee-id:1.0.0")
	require.NoError(t, err, ref)
	require.Contains(t, ref, "/guards/employee-id@sha256:")

	old := filepath.Join("plugins", samples.EmployeeIDFile+".yaml") // of a version whose manifest stood beside it
	require.NoError(t, os.WriteFile(old, []byte("name: old"), 0o600))
	said, err := run(t, "pull", "--plain-http", "--pub", defaultKey+".pub", ref)
	require.NoError(t, err, said)
	got, err := os.ReadFile(filepath.Join("plugins", samples.EmployeeIDFile))
	require.NoError(t, err)
	assert.Equal(t, samples.EmployeeID, got)
	assert.FileExists(t, filepath.Join("plugins", samples.EmployeeIDFile+".sig"))
	assert.NoFileExists(t, old, "it is not the new module's")

	_, err = run(t, "pull", "--plain-http", "oci://"+registry.Host+"/guards/employee-id:1.0.0")
	require.ErrorContains(t, err, "names no digest")
}

func TestWhatIsNotSignedOrNoPluginIsPulledNowhere(t *testing.T) {
	registry := ocitest.New(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("plugins", 0o700))
	t.Setenv(pluginPasswordVar, "open sesame, please")
	said, err := run(t, "keygen")
	require.NoError(t, err, said)
	require.NoError(t, os.WriteFile(samples.EmployeeIDFile, samples.EmployeeID, 0o600))
	require.NoError(t, os.WriteFile("garbage.wasm", []byte("GIF89a"), 0o600))
	for _, c := range []struct {
		file, says string
		flags      []string
	}{
		{samples.EmployeeIDFile, "not signed", []string{"--pub", defaultKey + ".pub"}},
		{"garbage.wasm", "not a Wasm module", nil},
	} {
		ref, err := run(t, "push", "--plain-http", c.file, "oci://"+registry.Host+"/guards/x")
		require.NoError(t, err, ref)
		_, err = run(t, append([]string{"pull", "--plain-http", ref}, c.flags...)...)
		require.ErrorContains(t, err, c.says)
	}
	entries, err := os.ReadDir("plugins")
	require.NoError(t, err)
	assert.Empty(t, entries)
	_, err = run(t, "push", "--plain-http", "gateway.yaml", "oci://"+registry.Host+"/guards/x")
	require.ErrorContains(t, err, "it is not a .wasm file")
}

func TestPullAsksForTheSignaturesThatTheConfigurationRequires(t *testing.T) {
	registry := ocitest.New(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("plugins", 0o700))
	require.NoError(t, os.WriteFile(samples.EmployeeIDFile, samples.EmployeeID, 0o600))
	ref, err := run(t, "push", "--plain-http", samples.EmployeeIDFile, "oci://"+registry.Host+"/guards/employee-id")
	require.NoError(t, err, ref)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	require.NoError(t, err)
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	cfg := &config.Config{Plugins: config.Plugins{
		CosignKeys: []string{key}, Registries: map[string]config.PluginRegistry{registry.Host: {PlainHTTP: true, User: "bot", Password: "p"}},
	}}
	from, err := oci.ParseReference(ref)
	require.NoError(t, err)
	o, err := buildPullOptions(cfg, from, false)
	require.NoError(t, err)
	assert.Len(t, o.CosignKeys, 1)
	assert.True(t, o.PlainHTTP)
	assert.Equal(t, "bot", o.User)

	text := fmt.Sprintf("providers: {mock: {type: mock}}\nplugins: {trust: open, cosign_keys: [%q], artifacts: {%s: %q}}\n", key, samples.EmployeeIDFile, ref)
	require.NoError(t, os.WriteFile("gateway.yaml", []byte(text), 0o600))
	_, err = runWith(t, &node.Options{Config: "gateway.yaml"}, "pull", "--plain-http", ref)
	require.ErrorIs(t, err, oci.ErrUnsigned)
	entries, err := os.ReadDir("plugins")
	require.NoError(t, err)
	assert.Empty(t, entries)

	require.NoError(t, os.WriteFile("gateway.yaml", []byte("providers: {mock: {type: mock}}\nplugins: {trust: open}\n"), 0o600))
	said, err := runWith(t, &node.Options{Config: "gateway.yaml"}, "pull", "--plain-http", ref)
	require.NoError(t, err, said)
}
