package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// startLimit bounds how long a process may take to be ready: the gateway first compiles its Wasm modules.
const startLimit = 60 * time.Second

// stopLimit bounds how long a process may take to exit after SIGTERM.
const stopLimit = 15 * time.Second

// child is a process that the harness started.
type child struct {
	name string
	cmd  *exec.Cmd
	log  string        // the file its output goes to
	gone chan struct{} // closed when it has ended
	err  error         // how it ended; set before gone is closed
}

// startChild starts argv on a core in the folder dir; its output goes to dir/name.log. The caller must have locked its
// goroutine to its thread.
func startChild(name, dir string, core, nice int, argv []string) (*child, error) {
	c := &child{name: name, log: filepath.Join(dir, name+".log"), gone: make(chan struct{})}
	out, err := os.OpenFile(c.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer func() { _ = out.Close() }() // the child has its own descriptor
	c.cmd = exec.Command(argv[0], argv[1:]...)
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr, c.cmd.Env = dir, out, out, buildChildEnv(os.Environ())
	isolateChild(c.cmd)
	if err := runOnCore(core, c.cmd.Start); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.gone)
	}()
	if err := setNice(c.pid(), nice); err != nil && c.isAlive() {
		_ = c.stop() // the reason to stop it is the more useful error
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return c, nil
}

// buildChildEnv returns the environment of every process of a run: one scheduler thread, and no outside variable that could tune
// a system or configure the gateway.
func buildChildEnv(env []string) []string {
	out := []string{"GOMAXPROCS=1"}
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case name == "GOMAXPROCS", name == "GOGC", name == "GOMEMLIMIT", name == "GODEBUG", strings.HasPrefix(name, "HEADGATE_"):
		default:
			out = append(out, e)
		}
	}
	return out
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// isAlive reports whether the process is still running.
func (c *child) isAlive() bool {
	select {
	case <-c.gone:
		return false
	default:
		return true
	}
}

// waitReady waits until url answers 200.
func (c *child) waitReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		if _, err := fetchURL(ctx, url); err == nil {
			return nil
		}
		select {
		case <-c.gone:
			return fmt.Errorf("%s ended before it was ready (%w): %s", c.name, c.err, c.lastLog())
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready in time: %s", c.name, c.lastLog())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop ends the process, with SIGTERM first, and returns how it ended.
func (c *child) stop() error {
	if !c.isAlive() {
		return c.err
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop %s: %w", c.name, err)
	}
	select {
	case <-c.gone:
		return c.err
	case <-time.After(stopLimit):
	}
	_ = c.cmd.Process.Kill() // it may have just ended
	<-c.gone
	return fmt.Errorf("%s did not end within %s of SIGTERM", c.name, stopLimit)
}

// lastLog returns the end of the process's output.
func (c *child) lastLog() string {
	b, err := os.ReadFile(c.log)
	if err != nil {
		return "(no output)"
	}
	return strings.TrimSpace(string(b[max(0, len(b)-2000):]))
}

// statusError is an answer other than 200.
type statusError int

func (e statusError) Error() string {
	return fmt.Sprintf("status %d %s", int(e), http.StatusText(int(e)))
}
