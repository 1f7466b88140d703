package clients

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// freePort returns a port of loopback on which nothing listens.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { assert.NoError(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port
}

// startPeer starts a server until the test ends, and waits until it listens on the port.
func startPeer(t *testing.T, port int, name string, args ...string) *output {
	t.Helper()
	out := new(output)
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // it was killed
	})
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, patience, 50*time.Millisecond, "%s: %s", name, out)
	return out
}

// TestTheOfficialA2APeers has a client of the official SDK talk to an agent of the official SDK through a gateway, in both versions
// of the protocol: messages, streams, tasks and push notifications.
func TestTheOfficialA2APeers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	dir := filepath.Join("testdata", "python")
	python := installPython(ctx, t, filepath.Join(dir, "a2a.txt"))
	agentPort, hookPort, port := freePort(t), freePort(t), freePort(t)
	agent := startPeer(t, agentPort, python, "-B", filepath.Join(dir, "a2a_agent.py"), fmt.Sprint(agentPort))
	addr := serveWith(t, fmt.Sprintf(`server: {listen: "127.0.0.1:%d", metrics_listen: "", public_url: "http://127.0.0.1:%d"}
providers: {mock: {}}
routes: [{model_pattern: "mock-*", providers: [{provider: mock}]}]
tenants: [{id: default, keys: [{name: dev, key: %s, scopes: []}]}]
agents:
  echo: {url: "http://127.0.0.1:%d/", allow_private: true, push_to: ["http://127.0.0.1:%d/hook"]}
chain:
  - stage: policy
  - stage: pii
  - stage: guardrail
`, port, port, gatewayKey, agentPort, hookPort), "")
	out, err := exec.CommandContext(ctx, python, "-B", filepath.Join(dir, "a2a_client.py"),
		"http://"+addr+"/a2a/echo", gatewayKey, fmt.Sprint(hookPort), card).CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, agent)
	assert.Contains(t, string(out), "ok 1.0")
	assert.Contains(t, string(out), "ok 0.3")
	heard := agent.String()
	assert.Equal(t, 10, strings.Count(heard, "heard "), heard)
	assert.NotContains(t, heard, card)
	assert.Regexp(t, token, heard)
	assert.Contains(t, heard, `push url: "http://`+addr+`/a2a/echo/push/`)
	for _, own := range []string{"own-token", "own-credentials", "/hook"} {
		assert.NotContains(t, heard, own, "the agent does not learn where its client listens")
	}
}
