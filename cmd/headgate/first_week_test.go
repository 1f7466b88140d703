package main_test

import (
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// takenPort returns an address on which another program listens.
func takenPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() }) // the test is over
	return l.Addr().String()
}

func TestATakenPortNamesItsSettingAndOnlyThatOfTrafficEndsTheGateway(t *testing.T) {
	t.Parallel()
	s, taken := newSite(t), takenPort(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n")))
	f := s.run("serve", "--config", "gateway.yaml", "--set", "server.listen="+taken)
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "`server.listen`: another program listens on "+taken)

	g := s.serve("--config", "gateway.yaml", "--set", "console.listen="+taken, "--set", "server.metrics_listen="+taken)
	require.NoError(t, g.client(testKey).checkEcho("mock-echo", "hello"))
	assert.Contains(t, g.findLogLine("the console is not served")["error"], "`console.listen`: another program listens on")
	assert.Contains(t, g.findLogLine("an address is taken; the gateway serves without it")["error"], "`server.metrics_listen`")
}

func TestAnExportOfAnotherInstallationIsNotAccused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	require.NoError(t, g.client(testKey).checkEcho("mock-echo", "hello"))
	g.stop()
	public := strings.TrimSpace(s.run("audit", "key", "--config", "gateway.yaml").out)
	require.Equal(t, 0, s.run("audit", "export", "--config", "gateway.yaml", "-o", "export.json").code)
	export, err := os.ReadFile(s.path("export.json"))
	require.NoError(t, err)
	assert.Equal(t, 0, s.run("audit", "verify", "--config", "gateway.yaml", "--file", "export.json").code)

	alone := newSite(t)
	alone.write("export.json", export)
	f := alone.run("audit", "verify", "--file", "export.json")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "--public-key: write the key")
	files, err := os.ReadDir(alone.dir)
	require.NoError(t, err)
	assert.Len(t, files, 2, "reading creates nothing beside the export and the plugins folder: %v", files)
	assert.Equal(t, 0, alone.run("audit", "verify", "--file", "export.json", "--public-key", public).code)

	alone.configure("", "  - stage: pii\n")
	other := alone.serve("--config", "gateway.yaml")
	other.stop()
	f = alone.run("audit", "verify", "--config", "gateway.yaml", "--file", "export.json")
	assert.Equal(t, 1, f.code)
	assert.NotContains(t, f.out+f.err, "does NOT hold")
	assert.Contains(t, f.err, "written with another key")
	alone.write("export.json", []byte(strings.Replace(string(export), "mock-echo", "mock-else", 1)))
	assert.Contains(t, alone.run("audit", "verify", "--file", "export.json", "--public-key", public).out, "does NOT hold")
}

func TestAGuardrailPluginIsSealedWithTheKeyFileOfTheSample(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.env = append(s.env, "HEADGATE_ADMIN_TOKEN="+ownerToken)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	a, err := g.client(ownerToken).do("POST", "/admin/v1/guardrail-plugins",
		[]byte(`{"name":"words","url":"https://guard.example.com/check","secret":"0123456789abcdef0123"}`))
	require.NoError(t, err)
	assert.Equal(t, 201, a.status, a.body)
	g.stop()
	_ = s.serve("--config", "gateway.yaml") // it opens what it has sealed
}
