package main_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Secrets that must not appear in any log.
const (
	testKey     = "gw_e2eKeyForTests0123456789abcdef"
	providerKey = "sk-provider-secret-0123456789"
	card        = "4111 1111 1111 1111"
	canary      = "canary-prompt-text-7f3a"
)

// patience bounds every wait for an event. It is long to allow for a loaded machine; nothing waits longer than
// necessary.
const patience = 60 * time.Second

// site is a working directory with a configuration and a plugins folder.
type site struct {
	t   *testing.T
	dir string
	env []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	require.NoError(t, os.Mkdir(s.path("plugins"), 0o755))
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HEADGATE_") && !strings.HasPrefix(v, "OPENAI_") {
			s.env = append(s.env, v)
		}
	}
	s.env = append(s.env, "XDG_CACHE_HOME="+cache)
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

// write creates or replaces a file atomically, as careful tools do.
func (s *site) write(name string, b []byte) {
	s.t.Helper()
	tmp := s.path("." + filepath.Base(name) + ".tmp")
	require.NoError(s.t, os.WriteFile(tmp, b, 0o600))
	require.NoError(s.t, os.Rename(tmp, s.path(name)))
}

// copy writes a file piece by piece, as cp does.
func (s *site) copy(name string, b []byte) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(s.path(name), b, 0o600))
}

func (s *site) remove(name string) {
	s.t.Helper()
	require.NoError(s.t, os.Remove(s.path(name)))
}

// configure writes the configuration: the head that all tests share, and the chain.
func (s *site) configure(upstream, chain string) {
	s.t.Helper()
	s.write("gateway.yaml", []byte(configText(upstream, chain)))
}

func configText(upstream, chain string) string {
	if upstream == "" {
		upstream = "http://127.0.0.1:1"
	}
	return `server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0}
log: {level: debug}
providers:
  mock: {}
  real: {type: openai, api_key: ` + providerKey + `, base_url: "` + upstream + `"}
routes:
  - {model_pattern: "mock-*", providers: [{provider: mock}]}
  - {model_pattern: "gpt-*", providers: [{provider: real}]}
tenants:
  - {id: default, keys: [{name: dev, key: ` + testKey + `, scopes: []}]}
plugins: {dir: plugins, trust: open}
chain:
` + chain
}

// finished is the result of a command.
type finished struct {
	out, err string
	code     int
}

// run runs a command to its end.
func (s *site) run(args ...string) finished {
	s.t.Helper()
	return s.feed("", args...)
}

// feed runs a command to its end, with text on its standard input.
func (s *site) feed(stdin string, args ...string) finished {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, verbs, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.dir, s.env, strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	return finished{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// verifyAudit checks that the audit chain is whole, and returns the report.
func (s *site) verifyAudit(args ...string) string {
	s.t.Helper()
	f := s.run(append([]string{"audit", "verify"}, args...)...)
	require.Zero(s.t, f.code, f.out+f.err)
	require.Contains(s.t, f.out, "the audit chain is whole")
	return f.out
}
