package stdio

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/body/splice"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

const (
	// firstPause is the time between the end of a process and the next start; it doubles with each end up to maxPause.
	firstPause = 100 * time.Millisecond
	maxPause   = 30 * time.Second
	// healthyFor is how long a process must run for its failures to be counted from zero.
	healthyFor = time.Minute
)

// Server is a server over standard input and output. Its methods may be called from many goroutines.
type Server struct {
	spec    Spec
	refuses error
	log     func(text string)
	guard   mcp.Guard

	mu       sync.Mutex
	child    *child        // nil if no process runs
	starting chan struct{} // closed when the current start has ended; nil if none runs
	err      error         // of the last start
	ends     int           // consecutive
	rest     time.Time     // earliest time of the next start
	closed   bool
	simple   bool // it exited at the question about its era, so the gateway does not ask again
}

var (
	_ tools.Upstream = (*Server)(nil)
	_ tools.Lister   = (*Server)(nil)
)

func newServer(s Spec, refuses error, log func(string)) *Server {
	var secrets []upstream.Field
	for _, pair := range s.Env {
		secrets = append(secrets, splitEnv(pair))
	}
	return &Server{spec: s, refuses: refuses, log: log, guard: mcp.NewGuard(secrets)}
}

// errClosed means that the server is no longer part of the configuration.
var errClosed = errors.New("the server was removed from the configuration")

// wrapUnsent is the error of a message that reached no process.
func wrapUnsent(err error) error {
	return &upstream.Error{Phase: upstream.PhaseDial, Unsent: true, Err: err}
}

// ensureChild returns the running process, or starts one if none runs and the pause after the last failure is over.
func (v *Server) ensureChild(ctx context.Context) (*child, error) {
	for {
		v.mu.Lock()
		switch {
		case v.refuses != nil, v.closed:
			v.mu.Unlock()
			if v.refuses != nil {
				return nil, wrapUnsent(v.refuses)
			}
			return nil, wrapUnsent(errClosed)
		case v.child != nil:
			defer v.mu.Unlock()
			return v.child, nil
		case v.starting == nil && v.err != nil && time.Now().Before(v.rest):
			defer v.mu.Unlock()
			return nil, wrapUnsent(v.err)
		case v.starting == nil:
			v.starting = make(chan struct{})
			go v.start(v.starting)
		}
		starting := v.starting
		v.mu.Unlock()
		select {
		case <-starting:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// start starts a process and greets it. Hang-ups of clients do not stop it.
func (v *Server) start(done chan struct{}) {
	defer close(done)
	c, err := v.launch()
	v.mu.Lock()
	v.starting = nil
	switch {
	case err != nil:
		v.noteEnd(err, 0)
	case v.closed:
		err = errClosed
	default:
		v.child, v.err = c, nil
	}
	v.mu.Unlock()
	if c == nil {
		return
	}
	if err != nil {
		c.stop()
		return
	}
	go v.watch(c, time.Now())
}

// launch starts a process and greets it. If the process exits at the question about its era, it is started once more without the question.
func (v *Server) launch() (*child, error) {
	limit := v.spec.Timeouts.FirstByte
	if limit <= 0 {
		limit = mcp.DefaultFirstByte
	}
	for {
		c, err := startChild(v)
		if err != nil {
			return nil, errors.New("the command cannot be started: " + formatReason(err))
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err = c.openSession(ctx)
		cancel()
		if err == nil {
			return c, nil
		}
		c.stop()
		if !c.asked || v.simple {
			return nil, err
		}
		v.simple = true // only one start runs at a time
	}
}

// watch waits for the end of a process.
func (v *Server) watch(c *child, began time.Time) {
	<-c.done
	v.mu.Lock()
	v.child = nil
	if !v.closed {
		v.noteEnd(errEnded, time.Since(began))
	}
	v.mu.Unlock()
}

// noteEnd records that a process has ended or could not be started. The caller holds the lock.
func (v *Server) noteEnd(err error, ran time.Duration) {
	if ran > healthyFor {
		v.ends = 0
	}
	pause := min(firstPause<<min(v.ends, 16), maxPause)
	v.ends++
	v.err, v.rest = err, time.Now().Add(pause)
	v.log(err.Error() + "; the next call after " + pause.String() + " starts it again")
}

// close ends the process and waits for its end.
func (v *Server) close() {
	v.mu.Lock()
	v.closed = true
	c, starting := v.child, v.starting
	v.mu.Unlock()
	if starting != nil {
		<-starting // the start stops its own process
		v.mu.Lock()
		c = v.child
		v.mu.Unlock()
	}
	if c != nil {
		c.stop()
	}
}

// End does nothing: the process has one session, which all callers share.
func (*Server) End(context.Context, string, string) error { return nil }

// Probe says which era the process speaks.
func (v *Server) Probe(ctx context.Context) (dialect.Era, error) {
	c, err := v.ensureChild(ctx)
	if err != nil {
		return 0, err
	}
	return c.era, nil
}

// Send sends a message to the process.
func (v *Server) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	if m.Call.Form != dialect.Request {
		return mcp.NewAcceptedAnswer(), nil // messages about sessions: the process has one session for all callers
	}
	c, err := v.ensureChild(ctx)
	if err != nil {
		return nil, err
	}
	switch m.Call.Method {
	case dialect.MethodInitialize:
		return c.repeatGreeting(m), nil
	case dialect.MethodPing:
		return mcp.NewResultAnswer(m.Call.ID, []byte(`{}`)), nil
	case dialect.MethodSetLevel:
		return mcp.NewErrorAnswer(m.Call.ID, mcp.NumberMethodNotFound, "the log of the server is shared, so that its level cannot be set"), nil
	}
	return c.send(ctx, m)
}

// maxPages limits the pages of a list.
const maxPages = 100

// ListTools passes each page of the server's tools to the caller.
func (v *Server) ListTools(ctx context.Context, _ dialect.Era, page func(doc []byte, list []dialect.Definition) error) error {
	c, err := v.ensureChild(ctx)
	if err != nil {
		return err
	}
	cursor := []byte(nil)
	for range maxPages {
		params := []byte{'{'}
		if cursor != nil {
			params = append(append(params, `"cursor":`...), cursor...)
		}
		call, data, err := c.ask(ctx, dialect.MethodListTools, params)
		if err != nil {
			return err
		}
		if call.Answer.Failed {
			return errors.New("the server answered tools/list with an error")
		}
		if err := page(data, call.Answer.Definitions); err != nil {
			return err
		}
		if cursor = findMember(findMember(data, "result"), "nextCursor"); cursor == nil || string(cursor) == `""` || cursor[0] != '"' {
			return nil
		}
	}
	return mcp.ErrPages
}

// findMember returns the raw value of an object's member, or nil.
func findMember(doc []byte, name string) []byte {
	at, ok := findSpan(doc, splice.Span{End: len(doc)}, name)
	if !ok {
		return nil
	}
	return doc[at.Start:at.End]
}

// findSpan returns the span of a member of the object at an offset.
func findSpan(doc []byte, within splice.Span, names ...string) (splice.Span, bool) {
	for _, name := range names {
		var s splice.Scanner
		s.Reset(doc[within.Start:within.End])
		found := splice.Span{}
		if s.Kind() != splice.Object || !s.Enter() {
			return found, false
		}
		for s.Next() {
			isIt := string(s.Key()) == name
			if at := s.Skip(); isIt && s.Err() == nil {
				found = splice.Span{Start: within.Start + at.Start, End: within.Start + at.End}
			}
		}
		if !s.End() || found.Len() == 0 {
			return splice.Span{}, false
		}
		within = found
	}
	return within, true
}

// errEnded is the error of a process that has ended. A call in flight fails with it.
var errEnded error = endedError{}

type endedError struct{}

func (endedError) Error() string { return "the process of the server has ended" }
func (endedError) Unwrap() error { return io.ErrUnexpectedEOF }
