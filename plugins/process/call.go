package process

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// call is a call to the plugin that has not been answered.
type call struct {
	reply chan *pb.FromPlugin
	help  help                    // what the plugin may ask for
	wake  chan struct{}           // has room for one: there is work; nil if help has no facts
	work  []func(context.Context) // for the goroutine that waits; guarded by session.mu
	key   string                  // the key of the caller
	asks  int                     // number of state calls; counted by receive
	wants int                     // number of questions about the exchange; counted by receive
	bytes int                     // size of the message and of answers to questions; guarded by session.mu
	left  bool                    // no one waits for the answer; guarded by session.mu
}

// noKey is the key of the host's own calls. No client has it.
const noKey = "\x00"

// ask makes a call for a key and waits for the answer, at most until ctx ends. parent is the context of the request.
func (s *session) ask(ctx, parent context.Context, key string, m *pb.FromHost, h help) (*pb.FromPlugin, error) {
	m.Id = s.last.Add(1)
	f, err := encodeFrame(m)
	switch {
	case err != nil:
		e := s.p.newFault(OutcomeFailed, "a text is not UTF-8")
		e.excused = true
		return nil, e
	case len(*f.buf) > pb.MaxMessage:
		f.drop()
		e := s.p.newFault(OutcomeOversized, "its input has more than %d bytes", pb.MaxMessage)
		e.excused = true
		return nil, e
	}
	c := &call{reply: make(chan *pb.FromPlugin, 1), help: h, key: key, bytes: len(*f.buf)}
	if h.facts != nil {
		c.wake = make(chan struct{}, 1)
	}
	heard := s.heard.Load()
	s.mu.Lock()
	if cause := s.cause; cause != nil {
		s.mu.Unlock()
		f.drop()
		return nil, s.newEndedError(false)
	}
	s.calls[m.Id] = c
	s.unread += c.bytes
	s.mu.Unlock()
	if !s.sendNow(f) {
		select {
		case s.out <- f:
		case <-s.ended:
			f.drop()
			return nil, s.newEndedError(true)
		case <-ctx.Done():
			f.drop()
			s.dropCall(m.Id)
			return nil, s.newLateError(parent)
		}
	}
	for waiting := true; waiting; {
		select {
		case r := <-c.reply:
			return r, nil
		case <-c.wake:
			s.answerQuestions(ctx, c)
		case <-s.ended:
			select {
			case r := <-c.reply: // the answer arrived in time
				return r, nil
			default:
			}
			return nil, s.newEndedError(true)
		case <-ctx.Done():
			waiting = false
		}
	}
	if parent.Err() == nil && s.heard.Load() == heard { // it sent nothing at all meanwhile: test whether it answers anything
		s.verifySession()
	}
	s.abandonCall(m.Id, c)
	switch {
	case s.isRunning():
		return nil, s.newLateError(parent)
	case s.p.ofWard: // no other call can have blocked it
		e := s.newLateError(parent)
		e.ended = true
		return nil, e
	}
	return nil, s.newEndedError(true)
}

// newEndedError returns the error of a call whose process ended before it answered.
func (s *session) newEndedError(sent bool) *Error {
	e := *s.cause
	e.ended, e.unsent = true, !sent
	return &e
}

// direct is how many unsent bytes may be in flight for a caller to write its message to the stream itself: gRPC accepts
// twice that amount without blocking. Above that, the plugin may have stopped reading, and the message waits in the queue,
// where the caller can abandon it.
const direct = 32 << 10

// sendNow writes a message to the stream, unless another one is being written or too much is unread.
func (s *session) sendNow(f frame) bool {
	if !s.sending.TryLock() {
		return false
	}
	defer s.sending.Unlock()
	s.mu.Lock()
	little := s.unread <= direct // it is counted before it is sent, so no one can send more meanwhile
	s.mu.Unlock()
	if !little {
		return false
	}
	_ = s.stream.SendMsg(f) // receive gets the error
	return true
}

func (s *session) dropCall(id uint64) {
	s.mu.Lock()
	s.remove(id)
	s.mu.Unlock()
}

// remove removes a call from the table. The caller holds the lock.
func (s *session) remove(id uint64) {
	if c := s.calls[id]; c != nil {
		s.unread -= c.bytes
		delete(s.calls, id)
	}
}

// abandonCall stops waiting for a call. The plugin is notified and must answer nevertheless: a plugin that does not is
// hanging, and is killed.
func (s *session) abandonCall(id uint64, c *call) {
	s.mu.Lock()
	c.left, c.work = true, nil
	_, open := s.calls[id]
	s.mu.Unlock()
	if !open {
		return
	}
	if f, err := encodeFrame(&pb.FromHost{Id: id, Body: &pb.FromHost_Cancel{Cancel: &pb.Cancel{}}}); err == nil {
		select {
		case s.out <- f:
		default: // it is not reading, so it will not miss the message
			f.drop()
		}
	}
	time.AfterFunc(s.p.patience, func() {
		s.mu.Lock()
		_, open := s.calls[id]
		s.mu.Unlock()
		if open {
			s.fail(s.p.newFault(OutcomeHang, "the plugin did not answer a call for %s after its timeout, and was killed", s.p.patience))
		}
	})
}

// newLateError returns the error of a call that timed out or whose caller left.
func (s *session) newLateError(parent context.Context) *Error {
	if parent.Err() != nil {
		return s.p.newCanceledError(parent)
	}
	return s.p.newFault(OutcomeTimeout, "the plugin did not answer in time")
}

// deliverMessage delivers a message to the call that waits for it.
func (s *session) deliverMessage(m *pb.FromPlugin) *Error {
	if h := m.GetHello(); h != nil && m.Id == 0 {
		if s.greeted {
			return s.p.newFault(OutcomeGarbage, "the plugin says Hello twice")
		}
		s.greeted = true
		s.hello <- h
		return nil
	}
	s.mu.Lock()
	c := s.calls[m.Id]
	ask := m.GetState()
	if c != nil && ask == nil && m.Body != nil && m.GetHello() == nil { // otherwise it belongs to the calls that may have ended the process
		s.remove(m.Id)
	}
	left := c != nil && c.left
	s.mu.Unlock()
	switch {
	case c == nil:
		return s.p.newFault(OutcomeUnknown, "the plugin answered a call that was never made, or answered one twice")
	case m.Body == nil || m.GetHello() != nil:
		return s.p.newFault(OutcomeGarbage, "the plugin answered a call with something that is not an answer")
	case ask != nil && left:
		return nil // the exchange may have ended
	case ask != nil:
		return s.serve(m.Id, c, ask)
	case !left:
		c.reply <- m
	}
	return nil
}
