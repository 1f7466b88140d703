package stdio

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

const (
	// politeTime is how long a process may take to exit after its input was closed, and again after a signal to terminate.
	politeTime = 2 * time.Second
	// drainTime is how long to read the output of an ended process: a child of it may hold the pipe open.
	drainTime = time.Second
	// queued is the number of messages that wait for a process to read them.
	queued = 64
)

// child is one process.
type child struct {
	server *Server
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	prefix string // of the gateway's ids: random, so that ids cannot be guessed
	out    chan []byte
	done   chan struct{} // closed when it has ended
	reads  sync.WaitGroup
	stop   func() // ends it, and returns when it has ended

	era      dialect.Era
	version  string
	greeting []byte // its result of initialize; nil if it is modern
	asked    bool   // about its era

	mu      sync.Mutex
	last    uint64
	waiting map[string]*answer // by the id on the wire
}

// startChild starts the command of a server.
func startChild(v *Server) (*child, error) {
	c := &child{
		server: v, prefix: "headgate-" + rand.Text() + "-", out: make(chan []byte, queued), done: make(chan struct{}),
		waiting: map[string]*answer{},
	}
	c.stop = sync.OnceFunc(c.end)
	c.cmd = exec.Command(v.spec.Command, v.spec.Args...)
	c.cmd.Env = append([]string{}, v.spec.Env...) // not nil, which would inherit the gateway's
	c.cmd.Dir = "/"
	prepareCommand(c.cmd)
	var err error
	var stdout, stderr io.ReadCloser
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if stdout, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if stderr, err = c.cmd.StderrPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.reads.Go(func() { c.read(stdout) })
	c.reads.Go(func() { newOutput(v).read(stderr) })
	go c.write()
	go c.wait(stdout, stderr)
	return c, nil
}

// formatReason describes why a command was not started, without its path.
func formatReason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}

// wait waits for the end of the process, kills its children, and fails the calls in flight.
func (c *child) wait(pipes ...io.Closer) {
	_, _ = c.cmd.Process.Wait()
	killGroup(c.cmd.Process.Pid)
	read := make(chan struct{})
	go func() {
		c.reads.Wait()
		close(read)
	}()
	select {
	case <-read: // its last output was delivered
	case <-time.After(drainTime):
	}
	for _, p := range pipes {
		_ = p.Close()
	}
	_ = c.stdin.Close()
	close(c.done)
}

// end closes the input of the process, then terminates it, then kills it with its children.
func (c *child) end() {
	_ = c.stdin.Close() // which ends a session by the specification
	for _, push := range []func(){func() { endGroup(c.cmd.Process.Pid) }, func() { killGroup(c.cmd.Process.Pid) }} {
		select {
		case <-c.done:
			return
		case <-time.After(politeTime):
			push()
		}
	}
	<-c.done
}

// write passes messages to the process in turn. A process that does not read delays only its own callers.
func (c *child) write() {
	for {
		select {
		case line := <-c.out:
			if _, err := c.stdin.Write(line); err != nil {
				return // it has ended, or is about to
			}
		case <-c.done:
			return
		}
	}
}

// post queues a message. A process that does not read its messages costs a caller no more than a server that does not answer.
func (c *child) post(ctx context.Context, line []byte) error {
	var late <-chan time.Time
	if limit := c.server.spec.Timeouts.FirstByte; limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-late:
		return &upstream.Error{Phase: upstream.PhaseHead, Timeout: true, Err: os.ErrDeadlineExceeded}
	case c.out <- line:
		return nil
	case <-c.done:
		return wrapUnsent(errEnded)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// register expects an answer and assigns its id.
func (c *child) register(a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	a.wire = c.prefix + strconv.FormatUint(c.last, 36)
	c.waiting[a.wire] = a
}

// forget removes an answer, and reports whether it was still expected.
func (c *child) forget(a *answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, waits := c.waiting[a.wire]
	delete(c.waiting, a.wire)
	return waits
}

// lookup returns the answer with an id on the wire.
func (c *child) lookup(wire string) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[wire]
}

// ask sends a request of the gateway itself and reads its response. params is an object without its closing brace.
func (c *child) ask(ctx context.Context, method string, params []byte) (*dialect.Call, []byte, error) {
	head := map[string][]string{}
	if c.era == dialect.Modern && method != dialect.MethodInitialize {
		if len(params) > 1 {
			params = append(params, ',')
		}
		params = append(params, `"_meta":{"io.modelcontextprotocol/protocolVersion":"`+dialect.ModernVersion+
			`","io.modelcontextprotocol/clientInfo":`+clientInfo+`,"io.modelcontextprotocol/clientCapabilities":{}}`...)
		head[dialect.HeaderVersion], head[dialect.HeaderMethod] = []string{dialect.ModernVersion}, []string{method}
	} else if c.version != "" {
		head[dialect.HeaderVersion] = []string{c.version}
	}
	x, call := &core.Exchange{}, &dialect.Call{}
	x.Request.Header = head
	x.Request.Raw = append(append([]byte(`{"jsonrpc":"2.0","id":"own","method":"`+method+`","params":`), params...), "}}"...)
	if e := call.Scan(x); e != nil {
		return nil, nil, e
	}
	a, err := c.send(ctx, &tools.Message{Call: call, Body: x.Request.Raw})
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = a.Close() }()
	data, err := a.Next(ctx, func([]byte) (bool, error) { return true, nil })
	if err != nil {
		return nil, nil, err
	}
	x.Response.Status, x.Response.Raw = a.Head().Status, data
	return call, data, call.ScanResponse(x)
}
