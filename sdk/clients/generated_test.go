package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/oapi-codegen/runtime" // the generated client imports it
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const adminToken = "headgate_pat_clientsOwner0123456789abcdef0123456789abcdef"

const administered = `server: {listen: 127.0.0.1:0, metrics_listen: ""}
providers: {mock: {}}
routes:
  - {model_pattern: "*mock*", providers: [{provider: mock}]}
tenants:
  - {id: default, keys: [{name: dev, key: ` + gatewayKey + `, scopes: []}]}
plugins: {dir: plugins, trust: open, cache_dir: cache}
mcp_servers: {tools: {url: "http://127.0.0.1:1/mcp", allow_private: true}}
agents: {filed: {url: "http://127.0.0.1:1/planner", allow_private: true}}
gateway: {internal: {secret: ` + gatewayKey + `}}
chain:
  - stage: policy
`

func TestAGeneratedClientCallsEveryEndpoint(t *testing.T) {
	t.Setenv("HEADGATE_ADMIN_TOKEN", adminToken)
	t.Setenv("HEADGATE_ENCRYPTION_MASTER_PASSWORD", "clients-master-password-0123456789")
	base := "http://" + serveWith(t, administered, "")
	for _, name := range []string{"public", "internal"} {
		t.Run(name, func(t *testing.T) {
			outcomes := runGenerated(t, base, name)
			done := 0
			for id, o := range outcomes {
				assert.NotZero(t, o.Status, "%s: %s", id, o.Says)
				assert.Less(t, o.Status, http.StatusInternalServerError, "%s: %s", id, o.Says)
				assert.True(t, o.Typed, "%s: the client has no type for the answer %d: %s", id, o.Status, o.Says)
				if o.Status < http.StatusMultipleChoices {
					done++
				}
			}
			assert.GreaterOrEqual(
				t,
				done,
				map[string]int{"public": len(outcomes) / 2, "internal": 2}[name],
				"most calls do what they ask for; what is sealed is refused",
			)
			t.Logf("%d operations were called, %d of them with success", len(outcomes), done)
		})
	}
}

// outcome is what came of an operation.
type outcome struct {
	Operation, Says string
	Status          int
	Typed           bool
}

// runGenerated makes a client of a document, has it call every operation, and gives what came of them.
func runGenerated(t *testing.T, base, name string) map[string]outcome {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, base+"/v3/api-docs/"+name, http.NoBody)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+gatewayKey)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	operations := 0
	for _, methods := range doc.Paths {
		operations += len(methods)
	}
	dir, err := os.MkdirTemp("testdata", "generated-")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	file := filepath.Join(dir, "document.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	run := func(args ...string) []byte {
		var errs bytes.Buffer
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Stderr = &errs
		out, err := cmd.Output()
		require.NoError(t, err, errs.String())
		return out
	}
	run("tool", "oapi-codegen", "-generate", "types,client", "-package", "main", "-o", filepath.Join(dir, "client.go"), file)
	program, err := os.ReadFile(filepath.Join("testdata", "generated", "main.go.txt"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), program, 0o600))
	outcomes := map[string]outcome{}
	lines := bufio.NewScanner(bytes.NewReader(run("run", "./"+filepath.ToSlash(dir), base, adminToken, gatewayKey, file)))
	for lines.Scan() {
		var o outcome
		require.NoError(t, json.Unmarshal(lines.Bytes(), &o))
		outcomes[o.Operation] = o
	}
	require.NoError(t, lines.Err())
	require.Len(t, outcomes, operations, "each operation is called once")
	return outcomes
}
