package downstream

import (
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	outSize  = 8 << 10 // of what waits to be sent
	tailSize = 2 << 10 // of a body whose length is not known yet; as by net/http
)

var (
	outs  = sync.Pool{New: func() any { b := make([]byte, 0, outSize); return &b }}
	tails = sync.Pool{New: func() any { b := make([]byte, 0, tailSize); return &b }}
)

// response answers a request: what net/http would, byte for byte, for all that handlers here do. It is the connection's,
// and used again. A handler must not keep it.
type response struct {
	k      *conn
	body   *body // of the request; nil: there is none
	header http.Header
	out    *[]byte // waits to be sent; nil: nothing does
	tail   *[]byte // of the body, while nothing says how long it is
	err    error   // of the connection

	status  int   // 0: none yet
	length  int64 // of the body; -1: not known
	written int64 // of the body, by the handler
	told    bool  // the length was found at the end
	typed   bool  // the handler says what the body is, or that it is encoded
	dated   bool  // the handler has set a date
	parting bool  // the handler says that the connection ends
	framed  bool  // the head is complete
	chunked bool
	bare    bool // the status has no body
	last    bool // the connection ends with this answer
	read    bool // a deadline for reading was set
	write   bool // a deadline for writing was set
}

// begin makes the response ready for another request.
func (r *response) begin() {
	*r = response{k: r.k, header: r.header, length: -1}
	clear(r.header)
}

// Header is what is sent with the status.
func (r *response) Header() http.Header { return r.header }

// WriteHeader begins the answer.
func (r *response) WriteHeader(status int) {
	switch {
	case r.status != 0:
		r.k.s.o.Log.Printf("a handler has set a status twice: %d, then %d", r.status, status)
		return
	case status < 100 || status > 999:
		panic("downstream: a status of " + strconv.Itoa(status))
	case status < 200 && status != http.StatusSwitchingProtocols:
		r.inform(status)
		return
	}
	r.status = status
	r.bare = status == http.StatusNoContent || status == http.StatusNotModified
	r.open()
	if (r.bare || r.length >= 0 && r.typed) && !r.unread() {
		r.frame(nil)
	}
}

// unread reports whether a part of the request's body is still to come.
func (r *response) unread() bool { return r.body != nil && r.body.left.Load() > 0 }

// Write sends a part of the body.
func (r *response) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if r.bare {
		return 0, http.ErrBodyNotAllowed
	}
	r.written += int64(len(p))
	if r.length >= 0 {
		if r.written > r.length {
			return 0, http.ErrContentLength
		}
		if !r.framed && (r.unread() || r.tail != nil || !r.typed) {
			// What the client still sends is dropped when the handler has ended, if it can wait for that; and the type is
			// found in as much of the body as there is.
			return r.keep(p)
		}
		if !r.framed {
			r.frame(p)
		}
		return r.send(p)
	}
	return r.keep(p)
}

// WriteString is Write.
func (r *response) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// keep holds a part of a body back, until it is long enough for a chunk.
func (r *response) keep(p []byte) (int, error) {
	if r.tail == nil {
		r.tail, _ = tails.Get().(*[]byte)
	}
	n := len(p)
	for room := tailSize - len(*r.tail); len(p) > room; room = tailSize {
		if len(*r.tail) == 0 {
			r.pass(p)
			p = nil
			break
		}
		*r.tail = append(*r.tail, p[:room]...)
		p = p[room:]
		r.pass(nil)
	}
	*r.tail = append(*r.tail, p...)
	if r.err != nil {
		return 0, r.err
	}
	return n, nil
}

// pass sends what was held back, and more behind it, in one chunk if there is no length.
func (r *response) pass(more []byte) {
	held := r.held()
	if !r.framed {
		r.chunked = r.length < 0 && !r.bare
		r.frame(either(held, more))
	}
	n := len(held) + len(more)
	if n == 0 {
		return
	}
	if r.chunked {
		var size [18]byte
		_, _ = r.send(append(strconv.AppendUint(size[:0], uint64(n), 16), "\r\n"...))
	}
	_, _ = r.send(held)
	_, _ = r.send(more)
	if r.chunked {
		_, _ = r.send(crlf)
	}
	if r.tail != nil {
		*r.tail = (*r.tail)[:0]
	}
}

var crlf = []byte("\r\n")

func (r *response) held() []byte {
	if r.tail == nil {
		return nil
	}
	return *r.tail
}

func either(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

// send queues bytes, and sends what is queued when they do not fit.
func (r *response) send(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.out == nil {
		r.out, _ = outs.Get().(*[]byte)
	}
	if len(*r.out)+len(p) <= outSize {
		*r.out = append(*r.out, p...)
		return len(p), nil
	}
	both := net.Buffers{*r.out, p}
	_, err := both.WriteTo(r.k.cl.Conn)
	r.failed(err)
	*r.out = (*r.out)[:0]
	if r.err != nil {
		return 0, r.err
	}
	return len(p), nil
}

// flush sends what is queued.
func (r *response) flush() {
	if r.out == nil {
		return
	}
	if len(*r.out) > 0 && r.err == nil {
		_, err := r.k.cl.Conn.Write(*r.out)
		r.failed(err)
	}
	r.put()
}

// put gives the buffer of what is queued back, unless a long head has made it large.
func (r *response) put() {
	if cap(*r.out) <= 2*outSize {
		*r.out = (*r.out)[:0]
		outs.Put(r.out)
	}
	r.out = nil
}

// failed ends the request of a client that takes no more.
func (r *response) failed(err error) {
	if r.err = err; err != nil {
		r.k.life.end()
	}
}

// Flush sends what there is of the answer.
func (r *response) Flush() {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	r.pass(nil)
	r.flush()
}

// FlushError is Flush that tells how it went.
func (r *response) FlushError() error {
	r.Flush()
	return r.err
}

// SetReadDeadline bounds how long the request's body may take to arrive.
func (r *response) SetReadDeadline(t time.Time) error {
	r.read = true
	return r.k.cl.Conn.SetReadDeadline(t)
}

// SetWriteDeadline bounds how long the client may take to receive.
func (r *response) SetWriteDeadline(t time.Time) error {
	r.write = true
	return r.k.cl.Conn.SetWriteDeadline(t)
}

// finish sends what is left of the answer, and reports whether another request may follow.
func (r *response) finish() bool {
	if r.body != nil && r.body.end() {
		r.last = true
	}
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if !r.framed && r.length < 0 && !r.bare {
		r.length, r.told = int64(len(r.held())), true
	}
	r.pass(nil)
	if r.chunked {
		_, _ = r.send(lastChunk)
	}
	if !r.bare && r.length >= 0 && r.written != r.length {
		r.last = true // the client waits for more, which only the connection's end can tell it not to do
	}
	r.flush()
	r.free()
	unread := r.unread()
	r.body = nil
	if r.err != nil {
		return false
	}
	if r.last || unread {
		if unread {
			r.k.linger()
		}
		return false
	}
	return r.lift()
}

var lastChunk = []byte("0\r\n\r\n")

// lift takes back the deadlines of a request.
func (r *response) lift() bool {
	if r.read && r.k.cl.Conn.SetReadDeadline(time.Time{}) != nil {
		return false
	}
	return !r.write || r.k.cl.Conn.SetWriteDeadline(time.Time{}) == nil
}

// free gives the buffers back.
func (r *response) free() {
	if r.out != nil {
		r.put()
	}
	if r.tail != nil {
		*r.tail = (*r.tail)[:0]
		tails.Put(r.tail)
		r.tail = nil
	}
}
