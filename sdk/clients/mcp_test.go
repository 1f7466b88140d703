package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheOfficialMCPPeers has clients of the official SDKs for Python and TypeScript use servers of the same SDKs through a gateway:
// lists, a call with progress, a resource and a prompt. Clients and servers speak the legacy era, the modern one, or both; the gateway
// bridges where they differ.
func TestTheOfficialMCPPeers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	scripts := filepath.Join("testdata", "python")
	python := installPython(ctx, t, filepath.Join(scripts, "mcp.txt"))
	dir := installNode(ctx, t, filepath.Join("testdata", "mcp"))

	servers := []string{"python", "typescript-v1", "typescript-v2"}
	ports := []any{freePort(t), freePort(t), freePort(t)}
	node := filepath.Join(dir, "server.mjs")
	peers := []*output{
		startPeer(t, ports[0].(int), python, "-B", filepath.Join(scripts, "mcp_server.py"), fmt.Sprint(ports[0])),
		startPeer(t, ports[1].(int), "node", node, fmt.Sprint(ports[1]), "v1"),
		startPeer(t, ports[2].(int), "node", node, fmt.Sprint(ports[2]), "v2"),
	}
	addr := serveWith(t, fmt.Sprintf(`server: {listen: 127.0.0.1:0, metrics_listen: ""}
providers: {mock: {}}
routes: [{model_pattern: "mock-*", providers: [{provider: mock}]}]
tenants: [{id: default, keys: [{name: dev, key: `+gatewayKey+`, scopes: []}]}]
mcp_servers:
  python: {url: "http://127.0.0.1:%d/mcp", allow_private: true}
  typescript-v1: {url: "http://127.0.0.1:%d/mcp", allow_private: true}
  typescript-v2: {url: "http://127.0.0.1:%d/mcp", allow_private: true}
chain:
  - stage: policy
  - stage: pii
  - stage: guardrail
`, ports...), "")
	args := []string{gatewayKey, card}
	for _, name := range servers {
		args = append(args, "http://"+addr+"/mcp/"+name)
	}
	for _, line := range [][]string{
		{python, "-B", filepath.Join(scripts, "mcp_client.py")},
		{"node", filepath.Join(dir, "client.mjs")},
	} {
		out, err := exec.CommandContext(ctx, line[0], append(line[1:], args...)...).CombinedOutput()
		require.NoError(t, err, "%s\n%s\n%s\n%s", out, peers[0], peers[1], peers[2])
		t.Log(string(out))
	}
	for i, peer := range peers {
		heard := peer.String()
		assert.Equal(t, 14, strings.Count(heard, "heard "), "%s: a call and a prompt of 7 clients\n%s", servers[i], heard)
		assert.NotContains(t, heard, card, servers[i])
		assert.Regexp(t, token, heard, servers[i])
	}
}

// installNode has npm install the packages of a lock file beside copies of the files of a folder, and returns their folder.
func installNode(ctx context.Context, t *testing.T, from string) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "npm is not installed: the peers cannot be run")
		t.Skip("SKIPPED: npm is not installed: the peers are not run")
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}
