package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	gatewayKey  = "gw_clientsKeyForTests0123456789abc"
	providerKey = "sk-provider-secret-0123456789"
	card        = "4111 1111 1111 1111"
	patience    = time.Minute
)

var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "headgate-clients-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "headgate")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-tags", "nomsgpack,grpcnotrace", "-o", program, "./cmd/headgate")
	build.Dir = filepath.Join("..", "..")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the gateway:", err)
		return 1
	}
	return m.Run()
}

const config = `server: {listen: 127.0.0.1:0, metrics_listen: ""}
providers:
  mock: {}
  openai: {api_key: ` + providerKey + `, base_url: "UPSTREAM", models: [gpt-4o]}
routes:
  - {model_pattern: "mock-*", providers: [{provider: mock}]}
  - {model_pattern: "gpt-*", providers: [{provider: openai}]}
tenants:
  - {id: default, keys: [{name: dev, key: ` + gatewayKey + `, scopes: []}]}
plugins: {dir: plugins, trust: open, cache_dir: cache}
chain:
  - stage: pii
  - {wasm: employee-id.wasm, name: employees, timeout: 5s, config: {action: redact}}
`

// output is what a process has written so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *output) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *output) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// serve starts a gateway before the provider at upstream and gives its address.
func serve(t *testing.T, upstream string) string {
	t.Helper()
	return serveWith(t, config, upstream)
}

// serveWith is serve with another configuration.
func serveWith(t *testing.T, config, upstream string) string {
	t.Helper()
	return serveLogged(t, config, upstream, new(output))
}

// serveLogged is serveWith, with the log that the gateway writes to.
func serveLogged(t *testing.T, config, upstream string, out *output) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "plugins"), 0o755))
	module, err := os.ReadFile(filepath.Join("..", "samples", "employee-id", "employee-id.wasm"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugins", "employee-id.wasm"), module, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gateway.yaml"), []byte(strings.ReplaceAll(config, "UPSTREAM", upstream)), 0o600))

	cmd := exec.Command(program, "serve", "--config", "gateway.yaml")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case err := <-ended:
			assert.NoError(t, err, out.String())
		case <-time.After(patience):
			_ = cmd.Process.Kill() // as above
			assert.Fail(t, "the gateway did not end after SIGTERM")
		}
		for _, secret := range []string{gatewayKey, providerKey, card} {
			assert.NotContains(t, out.String(), secret)
		}
	})
	for began, tick := time.Now(), time.Tick(20*time.Millisecond); time.Since(began) < patience; <-tick {
		for line := range strings.Lines(out.String()) {
			var v struct{ Message, Listen string }
			if json.Unmarshal([]byte(line), &v) == nil && v.Message == "serving" {
				return v.Listen
			}
		}
		select {
		case err := <-ended:
			ended <- err
			require.FailNow(t, "the gateway ended", out.String())
		default:
		}
	}
	require.FailNow(t, "the gateway does not serve", out.String())
	return ""
}
