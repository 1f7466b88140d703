package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// drainTime is how long to wait for the output of an exited process. A child of that process may keep the output open
// for ever.
const drainTime = time.Second

// child is one process, as go-plugin's runner. It waits for the process itself, so that no process is left behind,
// whatever happens to its output.
type child struct {
	p   *process
	env []string // variables added by go-plugin

	starting sync.Mutex // held while it is started or killed
	late     bool       // it is to be killed, or was killed
	pid      atomic.Int64
	stdout   *io.PipeReader // the first line only
	stderr   *io.PipeReader
	ends     []*io.PipeWriter
	exited   chan struct{}
	judged   chan struct{} // closed when the first line is known
	refused  *Error        // what was wrong with the line
}

var _ runner.Runner = (*child)(nil)

// newChild returns a process that is not started yet. If late is set, it is never started.
func newChild(p *process, env []string, late bool) *child {
	c := &child{p: p, env: env, late: late, judged: make(chan struct{}), exited: make(chan struct{})}
	out, outEnd := io.Pipe()
	errs, errsEnd := io.Pipe()
	c.stdout, c.stderr, c.ends = out, errs, []*io.PipeWriter{outEnd, errsEnd}
	return c
}

// Start starts the process. Linux kills the process when the thread that started it ends, so the thread is kept until
// the process has ended.
func (c *child) Start(context.Context) error {
	c.starting.Lock()
	defer c.starting.Unlock()
	if c.late {
		return errors.New("time is up")
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return errors.New("the gateway cannot create a pipe")
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		return errors.Join(errors.New("the gateway cannot create a pipe"), outR.Close(), outW.Close())
	}
	cmd := &exec.Cmd{
		Args: append([]string{c.p.exe.path}, c.p.spec.Args...), Dir: c.p.dir, Stdout: outW, Stderr: errW,
		Env: append(append([]string{}, c.p.spec.Env...), c.env...),
	}
	prepareCommand(cmd, c.p.exe)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			c.pid.Store(int64(cmd.Process.Pid))
		}
		started <- err
		if err == nil {
			c.wait(cmd, outR, errR)
		}
	}()
	err = <-started
	_, _ = outW.Close(), errW.Close() // the process has its own copies
	if err != nil {
		_, _ = outR.Close(), errR.Close()
		c.close()
		return err // the caller describes it
	}
	go c.readHandshake(outR)
	go func() {
		c.p.out.read(errR)
		_ = errR.Close() // only read
	}()
	return nil
}

// wait waits for the end of the process and of all processes that it started.
func (c *child) wait(cmd *exec.Cmd, out, errs *os.File) {
	_ = cmd.Wait() // the exit status does not matter
	killGroup(cmd.Process.Pid)
	late := time.Now().Add(drainTime)
	_, _ = out.SetReadDeadline(late), errs.SetReadDeadline(late)
	c.close()
}

func (c *child) close() {
	for _, e := range c.ends {
		_ = e.Close() // never fails
	}
	close(c.exited)
}

// readHandshake passes on the first line if it is a handshake, and logs all other lines.
func (c *child) readHandshake(out *os.File) {
	defer func() { _ = out.Close() }() // only read
	b := bufio.NewReaderSize(out, maxHandshake)
	line, err := b.ReadSlice('\n')
	wrong := c.p.newFault(OutcomeHandshake, "the plugin's first line is longer than %d bytes, so it is not a handshake", maxHandshake)
	if !errors.Is(err, bufio.ErrBufferFull) {
		if wrong = c.checkGreeting(string(line)); err != nil {
			wrong = c.p.newFault(OutcomeStart, "the plugin ended before its handshake; the log has its output")
			c.p.out.writeLine(line)
		}
	}
	c.refused = wrong
	close(c.judged)
	if wrong != nil {
		c.end()
	} else {
		_, _ = c.ends[0].Write(line) // no one reads it if the start was abandoned
	}
	c.p.out.read(b)
}

// end kills the process and all processes that it started. If it is just being started, it is killed as soon as it has
// been started.
func (c *child) end() {
	c.starting.Lock()
	defer c.starting.Unlock()
	c.late = true
	select {
	case <-c.exited: // its PID may belong to another process by now
	default:
		if pid := c.pid.Load(); pid != 0 {
			killGroup(int(pid))
		}
	}
}

// Kill ends the process.
func (c *child) Kill(context.Context) error { c.end(); return nil }

// Wait waits until the process has ended.
func (c *child) Wait(context.Context) error { <-c.exited; return nil }

// Stdout returns the pipe of the handshake.
func (c *child) Stdout() io.ReadCloser { return c.stdout }

// Stderr returns an empty stream: go-plugin would parse what is written there, and panics at some of it.
func (c *child) Stderr() io.ReadCloser { return c.stderr }

// Name returns the name of the process, which go-plugin uses in messages that it discards.
func (c *child) Name() string { return "plugin" }

// ID returns the PID of the process.
func (c *child) ID() string { return strconv.FormatInt(c.pid.Load(), 10) }

// Diagnose returns nothing.
func (c *child) Diagnose(context.Context) string { return "" }

// PluginToHost returns the address unchanged.
func (c *child) PluginToHost(network, addr string) (string, string, error) { return network, addr, nil }

// HostToPlugin returns the address unchanged.
func (c *child) HostToPlugin(network, addr string) (string, string, error) { return network, addr, nil }
