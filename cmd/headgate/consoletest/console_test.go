// Package consoletest drives the console with a real browser: each file of tests has its own gateway.
package consoletest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth/saml/samltest"
	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

// program is the gateway under test. It is never built with the race detector: the tests of core/manage/console run the
// pages' code under it, and those of cmd/headgate and its contract the whole program; here it would take most of the
// time.
var program string

// patience is the timeout of every step, on a busy machine.
const patience = 90 * time.Second

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer shared.Remove()
	if program = os.Getenv("CONSOLE_PROGRAM"); program != "" {
		return m.Run() // an existing build is tested
	}
	var err error
	if program, err = shared.Gateway(false); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// TestInTheBrowser runs each file of tests with node and Chromium, against a fresh gateway.
func TestInTheBrowser(t *testing.T) {
	node, chromium := browser(t)
	files, err := filepath.Glob("*.test.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".test.mjs"), func(t *testing.T) {
			g := start(t, strings.TrimSuffix(file, ".test.mjs"))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			c := exec.CommandContext(ctx, node, "--test", "--test-reporter=spec", file)
			c.Env = append(os.Environ(), append(g.env(), "CHROMIUM="+chromium)...)
			if file == "saml.test.mjs" {
				c.Env = append(c.Env, "SAML_URL="+samltest.Start(t).URL)
			}
			c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
			c.WaitDelay = 10 * time.Second
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\nthe gateway:\n%s", err, out, g.out.String())
			}
			if testing.Verbose() {
				t.Log(string(out))
			}
		})
	}
}

// browsers are the programs that show pages, in the order of choice. The shell is the same engine without a window: three
// files of tests took 33 s of CPU with it and 81 s with the whole browser.
var browsers = []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// browser finds the programs that the tests need. In CI none may be missing.
func browser(t *testing.T) (node, chromium string) {
	t.Helper()
	missing := func(what string) {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed", what)
		}
		t.Skipf("THE CONSOLE IS NOT TESTED: %s is not installed", what)
	}
	var err error
	if node, err = exec.LookPath("node"); err != nil {
		missing("node")
	}
	for _, name := range browsers {
		if chromium, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		missing("Chromium")
	}
	if _, err := os.Stat("node_modules/playwright-core"); err != nil {
		missing("what npm installs (make browser)")
	}
	return node, chromium
}

const (
	ownerToken = "headgate_pat_consoleOwner0123456789abcdef0123456789abcdef"
	fileKey    = "gw_consoleKeyOfTheFile0123456789abcdef"
)

// gateway is a running gateway.
type gateway struct {
	api, console, dir string
	licensors         string
	upstream          string // the address for a provider of the test, if it starts one
	out               output
}

// output collects what a process has written so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start runs a gateway until the test ends. A file NAME.yaml, if it exists, is its configuration.
func start(t *testing.T, name string) *gateway {
	t.Helper()
	return startIn(t, t.TempDir(), name)
}

// startIn runs a gateway whose files are in a directory.
func startIn(t testing.TB, dir, name string) *gateway {
	t.Helper()
	api, site := free(t), free(t)
	g := &gateway{api: "http://" + api, console: "http://" + site, dir: dir, upstream: free(t)}
	args := []string{
		"serve", "--set", "server.listen=" + api, "--set", "server.metrics_listen=", "--set", "console.listen=" + site, "--set",
		"log.access=false",
	}
	if text, err := os.ReadFile(name + ".yaml"); err == nil {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "gateway.yaml"), text, 0o600))
		args = append(args, "--config", "gateway.yaml")
	}
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir, c.Stdout, c.Stderr = g.dir, &g.out, &g.out
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HEADGATE_") && !strings.HasPrefix(v, "OPENAI_") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "HEADGATE_ADMIN_TOKEN="+ownerToken, "HEADGATE_DEV_KEY="+fileKey,
		"HEADGATE_ENCRYPTION_MASTER_PASSWORD=console-master-password-0123456789", "HEADGATE_LICENSE_KEYS="+g.licensor(t),
		"CONSOLE_UPSTREAM="+g.upstream)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 30 * time.Second
	require.NoError(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
		if err := <-ended; err != nil {
			t.Logf("the gateway ended: %v", err)
		}
	})
	require.Eventually(t, func() bool {
		return len(ended) > 0 || strings.Contains(g.out.String(), `"message":"serving"`)
	}, patience, 20*time.Millisecond, "%s", &g.out)
	require.Empty(t, ended, "the gateway did not start: %s", &g.out)
	return g
}

// licensor writes the key that signs the licences of the tests beside the gateway, and returns the public key as a list
// for the configuration.
func (g *gateway) licensor(t testing.TB) string {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	seed := base64.StdEncoding.EncodeToString(key.Seed())
	require.NoError(t, os.WriteFile(filepath.Join(g.dir, "licence.key"), []byte(seed+"\n"), 0o600))
	g.licensors = `["` + base64.StdEncoding.EncodeToString(public) + `"]`
	return g.licensors
}

// env is the environment of the tests.
func (g *gateway) env() []string {
	return []string{
		"CONSOLE_URL=" + g.console, "GATEWAY_URL=" + g.api, "GATEWAY_KEY=" + fileKey, "OWNER_TOKEN=" + ownerToken,
		"PLUGINS_DIR=" + filepath.Join(g.dir, "plugins"), "GATEWAY_DIR=" + g.dir, "GATEWAY_PROGRAM=" + program,
		"HEADGATE_LICENSE_KEYS=" + g.licensors, "CONSOLE_UPSTREAM=" + g.upstream, "SETUP_CODE=" + g.setupCode(),
	}
}

// setupLink matches the address of the page that creates the first owner in the gateway's output.
var setupLink = regexp.MustCompile(`/setup#([A-Z2-7]{26})`)

// setupCode returns the code that the gateway has printed, or "" if it has an owner.
func (g *gateway) setupCode() string {
	if m := setupLink.FindStringSubmatch(g.out.String()); m != nil {
		return m[1]
	}
	return ""
}

// free returns an address on which nothing listens.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }() // it must be free
	return l.Addr().String()
}
