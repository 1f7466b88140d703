package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// server answers the gateway's calls on its one stream.
type server struct {
	stage    core.Stage
	manifest Manifest
	over     chan struct{} // closed when the gateway has left
	work     chan func()   // to workers that are free
	once     sync.Once
	closing  sync.Once

	sending sync.Mutex
	stream  grpc.ServerStream

	mu      sync.Mutex
	calls   map[uint64]*call
	filters map[uint64]*filter
}

func newServer(stage core.Stage) *server {
	return &server{
		stage:    stage,
		manifest: buildManifest(stage),
		over:     make(chan struct{}),
		work:     make(chan func()),
		calls:    map[uint64]*call{},
		filters:  map[uint64]*filter{},
	}
}

// call is one that is being answered.
type call struct {
	s      *server
	id     uint64
	cancel context.CancelFunc

	mu     sync.Mutex
	done   bool
	number uint32
	asked  map[uint32]chan *pb.StateResult
	fields map[string]string // that were asked for, with their values

	body []byte // of the request or answer, or the answer that was kept
	keep uint32 // bytes of the answer that Finish is to bring, at most
}

// run is the stream, until the gateway ends it.
func (s *server) run(stream grpc.ServerStream) error {
	first := false
	s.once.Do(func() { first, s.stream = true, stream })
	if !first {
		return errors.New("a plugin has one stream")
	}
	defer close(s.over)
	defer s.close()
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	if err := s.send(&pb.FromPlugin{Body: &pb.FromPlugin_Hello{Hello: s.manifest.buildHello(s.stage)}}); err != nil {
		return err
	}
	for {
		m := new(pb.FromHost)
		if err := stream.RecvMsg(m); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err // gRPC does not report it
		}
		s.handleMessage(ctx, m)
	}
}

// handleMessage starts the call that a message asks for.
func (s *server) handleMessage(ctx context.Context, m *pb.FromHost) {
	switch b := m.Body.(type) {
	case *pb.FromHost_Cancel:
		if c := s.findCall(m.Id); c != nil {
			c.cancel()
		}
	case *pb.FromHost_State:
		if c := s.findCall(m.Id); c != nil {
			c.deliverState(b.State)
		}
	case *pb.FromHost_Configure:
		s.startCall(ctx, m.Id, 0, func(context.Context) *pb.FromPlugin { return s.configure(b.Configure) })
	case *pb.FromHost_Check:
		s.startCall(ctx, m.Id, b.Check.TimeoutMs, func(ctx context.Context) *pb.FromPlugin { return s.check(ctx, b.Check) })
	case *pb.FromHost_Finish:
		s.startCall(ctx, m.Id, b.Finish.TimeoutMs, func(ctx context.Context) *pb.FromPlugin { return s.finish(ctx, b.Finish) })
	case *pb.FromHost_Open:
		s.startCall(ctx, m.Id, b.Open.TimeoutMs, func(ctx context.Context) *pb.FromPlugin { return s.open(ctx, m.Id, b.Open) })
	case *pb.FromHost_Window:
		s.startCall(ctx, m.Id, b.Window.TimeoutMs, func(ctx context.Context) *pb.FromPlugin { return s.judgeWindow(ctx, b.Window) })
	case *pb.FromHost_End:
		s.startCall(ctx, m.Id, b.End.TimeoutMs, func(ctx context.Context) *pb.FromPlugin { return s.end(ctx, b.End) })
	case *pb.FromHost_Close:
		s.startCall(ctx, m.Id, 0, func(ctx context.Context) *pb.FromPlugin { return s.shutStream(ctx, b.Close) })
	default:
		s.startCall(ctx, m.Id, 0, func(context.Context) *pb.FromPlugin { return newFailureMessage(errors.New("unknown call")) })
	}
}

// startCall answers a call on a new goroutine.
func (s *server) startCall(ctx context.Context, id uint64, ms uint32, answer func(context.Context) *pb.FromPlugin) {
	c := &call{s: s, id: id}
	if ms > 0 {
		ctx, c.cancel = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
	} else {
		ctx, c.cancel = context.WithCancel(ctx)
	}
	s.mu.Lock()
	s.calls[id] = c
	s.mu.Unlock()
	s.runOnWorker(func() {
		defer c.cancel()
		m := recoverCall(context.WithValue(ctx, callKey{}, c), answer)
		m.Id = id
		c.end()
		s.mu.Lock()
		delete(s.calls, id)
		s.mu.Unlock()
		_ = s.send(m) // the stream has ended if this fails
	})
}

// runOnWorker runs a function on a goroutine that has run others, if one is free: its stack
// has grown already. There are as many as there were calls at once.
func (s *server) runOnWorker(f func()) {
	select {
	case s.work <- f:
		return
	default:
	}
	go func() {
		for {
			f()
			select {
			case f = <-s.work:
			case <-s.over:
				return
			}
		}
	}()
}

// recoverCall turns a panic into a failure. It drops the value of the panic, which may contain a prompt.
func recoverCall(ctx context.Context, answer func(context.Context) *pb.FromPlugin) (m *pb.FromPlugin) {
	defer func() {
		if r := recover(); r != nil {
			m = newFailureMessage(fmt.Errorf("panic with a value of type %T", r))
		}
	}()
	return answer(ctx)
}

func newFailureMessage(err error) *pb.FromPlugin {
	return &pb.FromPlugin{Body: &pb.FromPlugin_Failed{Failed: &pb.Failed{Reason: err.Error()}}}
}

func newDoneMessage() *pb.FromPlugin {
	return &pb.FromPlugin{Body: &pb.FromPlugin_Done{Done: &pb.Done{}}}
}

func (s *server) send(m *pb.FromPlugin) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.stream.SendMsg(m) // the stream has ended if this fails
}

func (s *server) findCall(id uint64) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[id]
}

// close closes a stage that holds resources.
func (s *server) close() {
	s.closing.Do(func() {
		if c, ok := s.stage.(core.Closer); ok {
			ctx, cancel := context.WithTimeout(context.Background(), endTime)
			defer cancel()
			_ = c.Close(ctx) // the process ends
		}
	})
}

func (s *server) configure(c *pb.Configure) *pb.FromPlugin {
	if t, ok := s.stage.(Grantee); ok {
		t.SetGrant(Grant{c.Fields, c.Texts, c.Capabilities, c.Scopes, c.Upstreams})
	}
	if t, ok := s.stage.(Configurer); ok {
		if err := t.Configure(c.Config); err != nil {
			return newFailureMessage(err)
		}
	} else if len(c.Config) > 0 {
		return newFailureMessage(errors.New("the plugin has no settings; remove the config block"))
	}
	return &pb.FromPlugin{Body: &pb.FromPlugin_Ready{Ready: &pb.Ready{}}}
}
