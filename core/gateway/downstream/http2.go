package downstream

import (
	"io"
	"net/http"
	"time"
)

// Clients whose TLS session has agreed on HTTP/2 are served by net/http. What bounds one of them, beside the timeouts of all:
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
	k.cl = nil
	k.s.handoff.give(k.session)
}

// serveStream serves a request of HTTP/2 with the timeouts of its own stream.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	if s.o.Body > 0 && r.Body != nil && r.ContentLength != 0 {
		b := &streamBody{ReadCloser: r.Body, step: s.o.Body}
		b.timer = time.AfterFunc(s.o.Body, func() { _ = rc.SetReadDeadline(time.Now()) }) // the stream may have ended
		b.timer.Stop()
		defer b.timer.Stop()
		r.Body = b
	}
	if s.o.Send > 0 {
		t := time.AfterFunc(s.o.Send, func() { _ = rc.SetWriteDeadline(time.Now()) }) // as above
		t.Stop()
		defer t.Stop()
		w = &streamWriter{ResponseWriter: w, rc: rc, timer: t, step: s.o.Send}
	}
	s.o.Handler.ServeHTTP(w, r)
}

// streamBody is the body of a request of HTTP/2. Its timer runs from the first read to the end.
type streamBody struct {
	io.ReadCloser
	timer *time.Timer
	step  time.Duration
	came  int // bytes since the timer was set; 0: it is not set
}

// Read returns os.ErrDeadlineExceeded once the body has come too slowly.
func (b *streamBody) Read(p []byte) (int, error) {
	if b.came == 0 {
		b.timer.Reset(b.step)
	}
	n, err := b.ReadCloser.Read(p)
	if b.came += n; err != nil || b.came >= bodyStep {
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
// client is not responsible for a model that produces little.
type streamWriter struct {
	http.ResponseWriter
	rc    *http.ResponseController
	timer *time.Timer
	step  time.Duration
}

// Unwrap lets handlers reach the stream's controls.
func (w *streamWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write writes one piece of the answer after the other.
func (w *streamWriter) Write(p []byte) (n int, err error) {
	for {
		piece := p[:min(len(p), answerStep)]
		w.timer.Reset(w.step)
		k, err := w.ResponseWriter.Write(piece)
		w.timer.Stop()
		n += k
		if p = p[len(piece):]; err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// Flush sends what was written.
func (w *streamWriter) Flush() {
	w.timer.Reset(w.step)
	_ = w.rc.Flush() // the next write fails too
	w.timer.Stop()
}
