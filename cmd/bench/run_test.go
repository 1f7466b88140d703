package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childVariable makes the test binary act as the programs that a run starts.
const childVariable = "BENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "serve":
		fakeGateway(os.Args[3])
	case "audit":
		b, err := os.ReadFile("counts.json")
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(string(b))
	default:
		os.Exit(realMain(os.Args[1:], os.Stderr))
	}
}

// fakeGateway redacts one address, restores it, and counts as the gateway does.
func fakeGateway(config string) {
	b, err := os.ReadFile(config)
	if err != nil {
		os.Exit(1)
	}
	field := func(name string) string {
		return string(regexp.MustCompile(`\b` + name + `: "([^"]+)"`).FindSubmatch(b)[1])
	}
	upstream, key, chain := field("base_url"), field("key"), bytes.Contains(b, []byte("stage: pii"))
	var served atomic.Int64
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_ = serveFloor(ctx, field("metrics_listen"), "", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			n := served.Load()
			_, _ = fmt.Fprintf(w, "%s %d\n%s %d\n%s %d\n", metricAudit, 2*n, metricUsage, n, metricWasm, n)
		}))
	}()
	_ = serveFloor(ctx, field("listen"), "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if chain {
			body = bytes.ReplaceAll(body, []byte(promptEmail), []byte(testPlaceholder))
		}
		res, err := http.Post(upstream+r.URL.Path, "application/json", bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer func() { _ = res.Body.Close() }()
		answer, _ := io.ReadAll(res.Body)
		served.Add(1)
		_, _ = w.Write(bytes.ReplaceAll(answer, []byte(testPlaceholder), []byte(promptEmail)))
	}))
	n := served.Load()
	_ = os.WriteFile("counts.json", fmt.Appendf(nil, `{"records":%d,"usage":%d}`, 2*n, n), 0o600)
}

// testOptions are those of a short run without pinning: it shows that the parts fit together, not how fast they are.
func testOptions(t *testing.T) runOptions {
	t.Helper()
	t.Setenv(childVariable, "1")
	t.Setenv("TMPDIR", t.TempDir())
	self, err := os.Executable()
	require.NoError(t, err)
	return runOptions{
		headgate: self, self: self, detector: self, systems: listSystems(), rounds: 1, connections: 4,
		measure: 100 * time.Millisecond, gatewayCore: -1, loadCore: -1,
	}
}

func TestAWholeRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	o := testOptions(t)
	o.only = []string{"plain_1k", "stream_1k", "empty_chain_1k"}
	o.minCPU = 50 * time.Millisecond // so that each system uses some
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := executeRun(t.Context(), o)
	require.NoError(t, err)
	for _, c := range r.Checks {
		if c.Name != "enough was measured" { // that depends on the machine
			assert.True(t, c.OK, "%v", c)
		}
	}
	assert.Len(t, r.Samples, 7)
	for _, key := range o.only {
		assert.Positive(t, r.Ratio[key], key)
		assert.Contains(t, r.Pass, key)
	}
	require.NotNil(t, r.Anon)
	assert.Positive(t, *r.Anon)
	require.NotNil(t, r.Gateway)
	assert.Equal(t, runtime.Version(), r.Gateway.GoVersion)
	_, err = json.Marshal(r)
	require.NoError(t, err)
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, left, "the run leaves no folder behind")
}

func TestARunWhoseGatewayDoesNotStartSaysWhy(t *testing.T) {
	o := testOptions(t)
	o.systems, o.detector = []string{sysEmpty}, ""
	o.headgate = "/bin/false"
	if _, err := os.Stat(o.headgate); err != nil {
		t.Skip("needs /bin/false")
	}
	_, err := executeRun(t.Context(), o)
	require.ErrorContains(t, err, "headgate-empty ended before it was ready")

	o.headgate += "-no-such-file"
	_, err = executeRun(t.Context(), o)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.True(t, strings.HasPrefix(err.Error(), "-headgate"), "the flag to change is named")
}

func TestAnInterruptedRunEnds(t *testing.T) {
	o := testOptions(t)
	o.systems, o.measure = []string{sysRevproxy}, time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := executeRun(ctx, o)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
