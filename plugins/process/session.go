package process

import (
	"context"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// queue is how many messages may wait to be sent. If the queue is full, callers wait.
const queue = 64

// endTime is how long a process may take to exit before it is killed.
const endTime = 2 * time.Second

// session is one running process and the stream to it.
type session struct {
	p      *process
	child  *child
	client *plugin.Client
	began  time.Time
	stream grpc.ClientStream
	cancel context.CancelFunc
	out    chan frame

	sending sync.Mutex    // held while a message is written to the stream
	last    atomic.Uint64 // id of the newest call

	mu     sync.Mutex
	calls  map[uint64]*call
	unread int    // bytes of unanswered calls
	cause  *Error // why it ended
	blamed bool   // a call may have ended it
	spent  bool   // its start has timed out

	doubting sync.Mutex    // held while a canary runs; guards rested
	rested   time.Duration // no further canary runs before
	heard    atomic.Uint64 // number of received messages

	ended   chan struct{} // closed when cause is set
	hello   chan *pb.Hello
	greeted bool // Hello arrived; used by receive only
}

// silent discards go-plugin's log, because it contains paths and what a plugin has written. Its level keeps go-plugin
// from parsing lines.
type silent struct{ hclog.Logger }

func (silent) GetLevel() hclog.Level            { return hclog.Off }
func (s silent) Named(string) hclog.Logger      { return s }
func (s silent) With(...any) hclog.Logger       { return s }
func (s silent) ResetNamed(string) hclog.Logger { return s }

// launch starts the process and connects to it. The caller must end the session.
func (p *process) launch() *session {
	s := &session{
		p: p, began: time.Now(), out: make(chan frame, queue), calls: map[uint64]*call{},
		ended: make(chan struct{}), hello: make(chan *pb.Hello, 1),
	}
	s.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: plugin.HandshakeConfig{ProtocolVersion: pb.Version, MagicCookieKey: pb.CookieKey, MagicCookieValue: pb.CookieValue},
		Plugins:         plugin.PluginSet{}, AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS: !p.spec.Plaintext, SkipHostEnv: true, StartTimeout: p.spec.StartTimeout + endTime,
		Logger: silent{hclog.NewNullLogger()}, SyncStdout: p.out, SyncStderr: p.out,
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.child = newChild(p, cmd.Env, s.spent)
			return s.child, nil
		},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(pb.MaxMessage), grpc.MaxCallSendMsgSize(pb.MaxMessage)),
			grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(), grpc.WithDisableHealthCheck(),
			grpc.WithIdleTimeout(0), grpc.WithNoProxy(),
			// Measuring the window would cost a ping per message.
			grpc.WithStaticStreamWindowSize(pb.FlowWindow), grpc.WithStaticConnWindowSize(pb.FlowWindow),
		},
	})
	return s
}

// connect waits for the handshake, opens the stream, and agrees with the plugin on what it may read. late abandons it.
func (s *session) connect(late <-chan time.Time) (*pb.Hello, *Error) {
	up := make(chan struct{ err *Error }, 1)
	go func() { up <- struct{ err *Error }{s.dial()} }()
	select {
	case got := <-up:
		if got.err != nil {
			return nil, got.err
		}
	case <-late:
		s.abandonStart()
		<-up // it fails, now that the process has ended
		return nil, s.newSlowError()
	}
	var hello *pb.Hello
	select {
	case hello = <-s.hello:
	case <-s.ended:
		return nil, s.newEarlyExitError()
	case <-late:
		return nil, s.newSlowError()
	}
	return hello, nil
}

// dial starts the process and opens the stream.
func (s *session) dial() *Error {
	rpc, err := s.client.Client()
	if err != nil {
		switch {
		case s.child == nil:
			return s.p.newFault(OutcomeStart, "the gateway cannot create a certificate or a folder for its socket")
		case s.child.pid.Load() == 0:
			return s.p.newFault(OutcomeStart, "the file cannot be run: it is not a program for this machine, or its interpreter is missing")
		}
		s.child.end()
		if <-s.child.judged; s.child.refused != nil {
			return s.child.refused
		}
		return s.p.newFault(OutcomeStart, "the gateway cannot connect to it")
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	if s.stream, err = rpc.(*plugin.GRPCClient).Conn.NewStream(ctx, &pb.RunDesc, pb.Method, grpc.ForceCodecV2(codec{})); err != nil {
		return s.p.newFault(OutcomeStart, "the gateway cannot connect to it, or it does not serve %s", pb.Service)
	}
	go s.send()
	go s.receive()
	go func() {
		<-s.child.exited
		s.fail(s.p.newFault(OutcomeCrash, "the plugin's process ended"))
	}()
	return nil
}

// abandonStart abandons a start in progress.
func (s *session) abandonStart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent = true
	if s.child != nil {
		s.child.end()
	}
}

// newSlowError returns the fault of a start that took too long.
func (s *session) newSlowError() *Error {
	return s.p.newFault(OutcomeSlowStart, "the plugin was not ready within %s; start_timeout: gives it more time", s.p.spec.StartTimeout)
}

// newEarlyExitError returns the fault of a process that exited before it was ready.
func (s *session) newEarlyExitError() *Error {
	if s.cause.Outcome == OutcomeCrash {
		return s.p.newFault(OutcomeStart, "the plugin ended before it was ready; the log has its output")
	}
	return s.cause
}

// send writes queued frames until the session ends.
func (s *session) send() {
	for {
		select {
		case <-s.ended:
			s.sending.Lock()
			_ = s.stream.CloseSend() // the stream may be broken
			s.sending.Unlock()
			return
		case f := <-s.out:
			s.sending.Lock()
			err := s.stream.SendMsg(f)
			s.sending.Unlock()
			if err != nil {
				return // receive gets the error
			}
		}
	}
}

// receive handles incoming messages until the session ends.
func (s *session) receive() {
	for {
		m := new(pb.FromPlugin)
		if err := s.stream.RecvMsg(m); err != nil {
			s.fail(s.newStreamError(err))
			return
		}
		s.heard.Add(1)
		if err := s.deliverMessage(m); err != nil {
			s.fail(err)
			return
		}
	}
}

// reapTime is how long after the end of its stream the end of a process may be noticed.
const reapTime = 200 * time.Millisecond

// newStreamError describes the end of the stream, without the plugin's own words.
func (s *session) newStreamError(err error) *Error {
	if code := status.Code(err); code == codes.Unavailable || code == codes.Canceled {
		select {
		case <-s.child.exited:
			return s.p.newFault(OutcomeCrash, "the plugin's process ended")
		case <-time.After(reapTime):
		}
	}
	switch {
	case err == io.EOF: // gRPC returns it unwrapped
		return s.p.newFault(OutcomeCrash, "the plugin ended the stream")
	case status.Code(err) == codes.ResourceExhausted:
		return s.p.newFault(OutcomeOversized, "the plugin sent a message of more than %d bytes", pb.MaxMessage)
	case status.Code(err) == codes.Unimplemented:
		return s.p.newFault(OutcomeHandshake, "the plugin does not serve %s", pb.Service)
	case status.Code(err) == codes.Internal:
		return s.p.newFault(OutcomeGarbage, "the plugin sent something that is not a message")
	}
	return s.p.newFault(OutcomeCrash, "the connection to it broke")
}

// fail ends the session for a reason, of which the first counts. All calls in flight get it as their error.
func (s *session) fail(cause *Error) {
	s.mu.Lock()
	if s.cause != nil {
		s.mu.Unlock()
		return
	}
	s.cause = cause
	var keys []string
	for _, c := range s.calls {
		s.blamed = true
		if c.key != noKey {
			keys = append(keys, c.key)
		}
	}
	s.mu.Unlock()
	if len(keys) > 0 && !s.p.ofWard && cause.Outcome != OutcomeClosed {
		s.p.suspects.add(false, keys...)
	}
	close(s.ended)
	if cause.Outcome != OutcomeClosed {
		s.child.end()
	}
}

// end ends the process, by force if necessary, and waits until nothing is left of it. A process that was asked to close
// has a short time to exit.
func (s *session) end() {
	if s.child != nil {
		s.fail(s.p.newFault(OutcomeClosed, "the plugin is being closed"))
	}
	done := make(chan struct{})
	go func() {
		s.client.Kill()
		close(done)
	}()
	if s.child != nil {
		wait := time.NewTimer(endTime)
		if s.stream == nil {
			s.child.end() // it could not be asked to close
		}
		select {
		case <-done:
		case <-wait.C:
			s.child.end()
		}
		wait.Stop()
	}
	<-done
	if s.cancel != nil {
		s.cancel()
	}
}
