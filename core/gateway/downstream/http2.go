package downstream

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// Clients whose TLS session has agreed on HTTP/2 are served by net/http. Besides the timeouts of all clients, these
// limits apply:
//
//   - maxStreams requests at a time. Whoever begins and resets more of them gets ENHANCE_YOUR_CALM from net/http, which lets
//     only as many handlers run.
//   - receiveWindow bytes of all bodies of a connection that no handler has read.
//   - heads of MaxHeader bytes, continuations included.
//   - a stream is reset if its client takes less than answerStep bytes of an answer within the send timeout, and its body
//     fails if less than bodyStep bytes of it arrive within the body timeout. One that stalls does not hold up the others.
const (
	maxStreams    = 250
	receiveWindow = 1 << 20
	protocolHTTP2 = "h2"
)

// configureHTTP2 prepares a server for sessions of HTTP/2.
func configureHTTP2(s *http.Server) {
	s.Protocols = new(http.Protocols)
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetHTTP2(true)
	s.HTTP2 = &http.HTTP2Config{
		MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: receiveWindow, MaxReceiveBufferPerStream: receiveWindow / 2,
	}
}

// speaksHTTP2 reports whether the session has agreed on HTTP/2.
func (k *conn) speaksHTTP2() bool {
	return k.session != nil && k.base.TLS.NegotiatedProtocol == protocolHTTP2
}

// handOverHTTP2 passes a session of HTTP/2 to net/http. Its frames are not what the framing check reads.
func (k *conn) handOverHTTP2() {
	k.cl.frames.Store(true)
	k.cl.plain.Store(nil)
	k.handedOver = true
	k.s.handoff.deliver(k.session)
}

// serveStream serves an HTTP/2 request with timeouts per stream.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	if s.o.Body > 0 && r.Body != nil && r.ContentLength != 0 {
		t := newStreamTimer(func() { _ = rc.SetReadDeadline(time.Now()) }) // the stream may have ended
		defer t.close()
		r.Body = &streamBody{ReadCloser: r.Body, timer: t, step: s.o.Body, rest: r.ContentLength}
	}
	if s.o.Send > 0 {
		t := newStreamTimer(func() { _ = rc.SetWriteDeadline(time.Now()) }) // as above
		w = &streamWriter{ResponseWriter: w, rc: rc, timer: t, step: s.o.Send, left: s.o.Send}
		defer func() {
			t.close()
			_ = rc.SetWriteDeadline(time.Now().Add(s.o.Send)) // of what net/http sends when the handler has returned
		}()
	}
	s.o.Handler.ServeHTTP(w, r)
}

// streamTimer calls a function of a stream late, but never once the handler has returned: net/http's streams crash then.
type streamTimer struct {
	*time.Timer
	mu   sync.Mutex
	over bool
}

// newStreamTimer returns a timer that is not set.
func newStreamTimer(late func()) *streamTimer {
	t := new(streamTimer)
	t.Timer = time.AfterFunc(time.Hour, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.over {
			late()
		}
	})
	t.Stop()
	return t
}

// close ends the timer, and waits for a call in progress.
func (t *streamTimer) close() {
	t.Stop()
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
}

// streamBody is the body of a request of HTTP/2. Its timer runs from the first read to the end.
type streamBody struct {
	io.ReadCloser
	timer *streamTimer
	step  time.Duration
	came  int   // bytes since the timer was set; 0: it is not set
	rest  int64 // bytes of the announced length that have not come; negative: no length was announced
}

// Read returns os.ErrDeadlineExceeded once the body has come too slowly.
func (b *streamBody) Read(p []byte) (int, error) {
	if b.came == 0 && b.rest != 0 {
		b.timer.Reset(b.step)
	}
	n, err := b.ReadCloser.Read(p)
	b.came += n
	if b.rest > 0 {
		b.rest = max(b.rest-int64(n), 0)
	}
	if err != nil || b.rest == 0 || b.came >= bodyStep {
		b.timer.Stop()
		b.came = 0
	}
	return n, err
}

// Close ends the reading.
func (b *streamBody) Close() error {
	b.timer.Stop()
	return b.ReadCloser.Close()
}

// streamWriter writes an answer of HTTP/2 in pieces that a client must take in time. Its timer runs during writes only: a
// client is not responsible for a model that produces little. Small writes do not restart it, only progress does.
type streamWriter struct {
	http.ResponseWriter
	rc    *http.ResponseController
	timer *streamTimer
	step  time.Duration
	left  time.Duration // of step, for the rest of answerStep bytes
	taken int           // bytes since left was the whole step
}

// Unwrap lets handlers reach the stream's controls.
func (w *streamWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write writes one piece of the answer after the other.
func (w *streamWriter) Write(p []byte) (n int, err error) {
	for {
		piece := p[:min(len(p), answerStep)]
		began := w.startTimer()
		k, err := w.ResponseWriter.Write(piece)
		w.stopTimer(began, k)
		n += k
		if p = p[len(piece):]; err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// Flush sends what was written.
func (w *streamWriter) Flush() {
	began := w.startTimer()
	_ = w.rc.Flush() // the next write fails too
	w.stopTimer(began, 0)
}

func (w *streamWriter) startTimer() time.Time {
	w.timer.Reset(max(w.left, 0))
	return time.Now()
}

// stopTimer takes the time of a write, of n bytes, from what is left.
func (w *streamWriter) stopTimer(began time.Time, n int) {
	w.timer.Stop()
	w.left -= time.Since(began)
	if w.taken += n; w.taken >= answerStep {
		w.left, w.taken = w.step, 0
	}
}
