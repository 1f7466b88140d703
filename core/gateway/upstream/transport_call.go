package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"sync"
	"time"
)

// call tracks the timeouts of one call over http.Transport. net/http reports each step, and each step restarts the single timer.
type call struct {
	caller context.Context
	ctx    context.Context // of net/http: ends with the caller's, or when a limit runs out
	cancel context.CancelFunc
	limits Timeouts
	head   time.Duration
	by     time.Time // when the call must have ended; zero: never
	secure bool

	mu      sync.Mutex
	phase   Phase
	first   time.Time // deadline for the start of the final answer
	timer   *time.Timer
	expired bool
	over    bool
	wrote   bool        // a connection was handed to the request
	unguard func() bool // stops the guard of a connection in its TLS handshake
	bodies  []*sending  // the request's body, once for each attempt of net/http
}

func newCall(ctx context.Context, limits Timeouts, head time.Duration) *call {
	k := &call{caller: ctx, limits: limits, head: head, by: limits.computeDeadline(readClock())}
	k.ctx, k.cancel = context.WithCancel(ctx)
	k.enterPhase(PhaseDial)
	return k
}

// enterPhase moves on to a phase and starts its timer. Reports come from several goroutines and sometimes late, so
// phases never go backwards.
func (k *call) enterPhase(p Phase) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p <= k.phase || k.over {
		return
	}
	if p >= PhaseWrite {
		k.wrote = true
	}
	k.phase = p
	switch p {
	case PhaseDial:
		k.setTimer(k.limits.Connect)
	case PhaseHandshake: // within the time of Connect
	case PhaseWrite:
		k.setTimer(k.limits.chooseWriteTimeout())
	case PhaseHead:
		k.setTimer(k.head)
	case PhaseBody:
		k.setTimer(0)
	}
}

// setTimer restarts the timer; 0 leaves only the end of the call's total time, or stops the timer if the call is over.
// The caller holds mu.
func (k *call) setTimer(d time.Duration) {
	if !k.over {
		d = measureTimeLeft(k.by, d)
	}
	switch {
	case d <= 0:
		if k.timer != nil {
			k.timer.Stop()
		}
	case k.timer == nil:
		k.timer = time.AfterFunc(d, k.expire)
	default:
		k.timer.Reset(d)
	}
}

// limitStep runs the timer for one step within a phase, unless the call has moved on.
func (k *call) limitStep(p Phase, d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.phase == p && !k.over {
		k.setTimer(d)
	}
}

// resumeWaiting resumes waiting after an interim answer.
func (k *call) resumeWaiting() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.phase != PhaseHead || k.over {
		return
	}
	k.phase = PhaseFirstByte
	if k.first.IsZero() {
		k.setTimer(0)
	} else {
		k.setTimer(max(time.Until(k.first), time.Nanosecond))
	}
}

func (k *call) expire() {
	k.mu.Lock()
	k.expired = true
	k.mu.Unlock()
	k.cancel()
}

// guard closes a connection if the call ends before its TLS handshake. Without TLS there is nothing to wait for.
func (k *call) guard(conn net.Conn) {
	if !k.secure {
		return
	}
	stop := context.AfterFunc(k.ctx, func() { _ = conn.Close() })
	k.mu.Lock()
	k.unguard = stop
	k.mu.Unlock()
}

// endGuard stops the guard: the connection may outlive the call from now on.
func (k *call) endGuard() {
	k.mu.Lock()
	stop := k.unguard
	k.unguard = nil
	k.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// releaseBodies takes the request's body away from net/http.
func (k *call) releaseBodies(failed bool) {
	k.mu.Lock()
	bodies := k.bodies
	k.mu.Unlock()
	for _, s := range bodies {
		s.release(failed)
	}
}

// newTraceContext returns the context for net/http.
func (k *call) newTraceContext() context.Context {
	ctx := context.WithValue(k.ctx, callKey{}, k)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeStart:    func() { k.enterPhase(PhaseHandshake) },
		TLSHandshakeDone:     k.endHandshake,
		GotConn:              func(httptrace.GotConnInfo) { k.enterPhase(PhaseWrite) },
		WroteRequest:         k.startFirstByteTimer,
		GotFirstResponseByte: func() { k.enterPhase(PhaseHead) },
		Got1xxResponse:       func(int, textproto.MIMEHeader) error { k.resumeWaiting(); return nil },
	})
}

// endHandshake is also called for a handshake that failed.
func (k *call) endHandshake(tls.ConnectionState, error) { k.endGuard() }

// startFirstByteTimer starts the wait for the first byte. It is also called for a write that failed, and sometimes only
// after an interim answer.
func (k *call) startFirstByteTimer(i httptrace.WroteRequestInfo) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i.Err != nil || k.over {
		return
	}
	if k.limits.FirstByte > 0 {
		k.first = time.Now().Add(k.limits.FirstByte)
	}
	if k.phase <= PhaseFirstByte {
		k.phase = PhaseFirstByte
		k.setTimer(k.limits.FirstByte)
	}
}

// end finishes the call and returns the error for its caller.
func (k *call) end(err error) *Error {
	k.mu.Lock()
	k.over = true
	k.setTimer(0)
	phase, expired, wrote := k.phase, k.expired, k.wrote
	spent := !k.by.IsZero() && !readClock().Before(k.by)
	k.mu.Unlock()
	k.cancel()
	var e *Error
	switch {
	case k.caller.Err() != nil:
		e = convertContextError(k.caller, phase)
	case expired && spent:
		e = &Error{Phase: phase, Timeout: true, Err: ErrTotal}
	case expired:
		e = &Error{Phase: phase, Timeout: true, Err: os.ErrDeadlineExceeded}
	case errors.Is(err, ErrMalformed):
		e = &Error{Phase: phase, Err: err}
	default:
		err = hideText(err)
		var unknown hiddenError
		if phase == PhaseBody || phase > PhaseWrite && !errors.As(err, &unknown) {
			err = convertToCut(err)
		}
		e = &Error{Phase: phase, Timeout: isTimeout(err), Err: err}
	}
	e.Unsent = !wrote
	return e
}

// finish finishes a call whose answer is complete.
func (k *call) finish() {
	k.mu.Lock()
	k.over = true
	k.setTimer(0)
	k.mu.Unlock()
	k.cancel()
}
