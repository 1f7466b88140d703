package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gate is a running gateway.
type gate struct {
	*site
	cmd           *exec.Cmd
	addr, metrics string // host:port
	out, errs     said
	ended         chan struct{}
	killed        bool
}

// said collects what a process has written so far.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// launch starts a gateway without waiting for it.
func (s *site) launch(args ...string) *gate {
	s.t.Helper()
	g := &gate{site: s, ended: make(chan struct{})}
	g.cmd = exec.Command(program, append([]string{"serve"}, args...)...)
	g.cmd.Dir, g.cmd.Env, g.cmd.Stdout, g.cmd.Stderr = s.dir, s.env, &g.out, &g.errs
	require.NoError(s.t, g.cmd.Start())
	go func() {
		_ = g.cmd.Wait() // the state has the exit code
		close(g.ended)
	}()
	s.t.Cleanup(g.stop)
	return g
}

// serve starts a gateway and waits until it serves.
func (s *site) serve(args ...string) *gate {
	s.t.Helper()
	g := s.launch(args...)
	eventually(s.t, "the gateway serves", func() bool {
		select {
		case <-g.ended:
			require.FailNow(s.t, "the gateway ended", g.out.String()+g.errs.String())
		default:
		}
		line := g.findLogLine("serving")
		g.addr, _ = line["listen"].(string)
		g.metrics, _ = line["metrics"].(string)
		return g.addr != ""
	})
	return g
}

// findLogLine returns the last log line with the message, or nil.
func (g *gate) findLogLine(message string) (found map[string]any) {
	for line := range strings.Lines(g.out.String()) {
		if !strings.Contains(line, `"message":"`+message+`"`) {
			continue
		}
		var v map[string]any
		if json.Unmarshal([]byte(line), &v) == nil {
			found = v
		}
	}
	return found
}

func (g *gate) signal(sig os.Signal) {
	g.t.Helper()
	require.NoError(g.t, g.cmd.Process.Signal(sig))
}

// kill ends the process like a power failure.
func (g *gate) kill() {
	g.t.Helper()
	g.killed = true
	require.NoError(g.t, g.cmd.Process.Kill())
	<-g.ended
}

// stop shuts the process down, once, and checks the conditions of every run.
func (g *gate) stop() {
	if g.t.Failed() {
		for line := range strings.Lines(g.out.String()) {
			if !strings.Contains(line, `"message":"exchange"`) && !strings.Contains(line, `"message":"request"`) {
				g.t.Log(strings.TrimSpace(line))
			}
		}
	}
	select {
	case <-g.ended:
	default:
		_ = g.cmd.Process.Signal(syscall.SIGTERM) // it may have just ended
	}
	select {
	case <-g.ended:
	case <-time.After(patience):
		_ = g.cmd.Process.Kill() // as above
		<-g.ended
		assert.Fail(g.t, "the gateway did not end after SIGTERM")
	}
	if !g.killed && g.addr != "" {
		assert.Zero(g.t, g.cmd.ProcessState.ExitCode(), "the gateway's end: "+g.errs.String())
	}
	g.clean()
}

// clean checks that the log contains neither secrets nor signs of a broken program.
func (g *gate) clean() {
	out, errs := g.out.String(), g.errs.String()
	if before, _, ok := strings.Cut(errs, "Try it:"); ok { // the line to try contains a card number that is not secret
		_, after, _ := strings.Cut(errs, "or in a browser")
		errs = before + after
	}
	for _, secret := range []string{testKey, providerKey, card, strings.ReplaceAll(card, " ", ""), canary} {
		assert.NotContains(g.t, out, secret, "a secret in the log")
		assert.NotContains(g.t, errs, secret, "a secret on standard error")
	}
	for _, bad := range []string{"DATA RACE", "goroutine 1 [", "panicked", "fatal error:"} {
		assert.NotContains(g.t, errs, bad)
		assert.NotContains(g.t, out, bad)
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) (took time.Duration) {
	t.Helper()
	began := time.Now()
	looks := time.NewTicker(20 * time.Millisecond)
	defer looks.Stop()
	for !holds() { // on the goroutine of the test, which the condition may end
		if time.Since(began) > patience {
			require.FailNow(t, "it never came to be: "+what)
		}
		<-looks.C
	}
	return time.Since(began)
}
