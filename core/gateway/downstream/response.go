package downstream

import (
	"net/http"
	"strconv"
	"time"
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

	status      int   // 0: none yet
	length      int64 // of the body; -1: not known
	written     int64 // of the body, by the handler
	lengthFound bool  // the length was found at the end
	typed       bool  // the handler says what the body is, or that it is encoded
	dated       bool  // the handler has set a date
	closeSent   bool  // the handler says that the connection ends
	framed      bool  // the head is complete
	chunked     bool
	noBody      bool // the status has no body
	last        bool // the connection ends with this answer
	read        bool // a deadline for reading was set
	write       bool // a deadline for writing was set
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
		r.sendInterim(status)
		return
	}
	r.status = status
	r.noBody = status == http.StatusNoContent || status == http.StatusNotModified
	r.writeHead()
	if (r.noBody || r.length >= 0 && r.typed) && !r.unread() {
		r.finishHead(nil)
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
	if r.noBody {
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
			return r.hold(p)
		}
		if !r.framed {
			r.finishHead(p)
		}
		return r.send(p)
	}
	return r.hold(p)
}

// WriteString is Write.
func (r *response) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// Flush sends what there is of the answer.
func (r *response) Flush() {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	r.release(nil)
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
	if !r.framed && r.length < 0 && !r.noBody {
		r.length, r.lengthFound = int64(len(r.heldBody())), true
	}
	r.release(nil)
	if r.chunked {
		_, _ = r.send(lastChunk)
	}
	if !r.noBody && r.length >= 0 && r.written != r.length {
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
	return r.resetDeadlines()
}

// resetDeadlines takes back the deadlines of a request.
func (r *response) resetDeadlines() bool {
	if r.read && r.k.cl.Conn.SetReadDeadline(time.Time{}) != nil {
		return false
	}
	return !r.write || r.k.cl.Conn.SetWriteDeadline(time.Time{}) == nil
}
