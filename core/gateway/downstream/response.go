package downstream

import (
	"net/http"
	"strconv"
	"time"
)

// response writes an answer byte for byte as net/http would, for everything the gateway's handlers do. It belongs to
// the connection, which reuses it: a handler must not retain it.
type response struct {
	k      *conn
	body   *body // of the request; nil if it has none
	header http.Header
	out    *[]byte // queued bytes; nil if there are none
	tail   *[]byte // the start of a body of unknown length
	err    error   // of the connection

	status      int   // 0: not set yet
	length      int64 // of the body; -1: unknown
	written     int64 // bytes of the body written by the handler
	lengthFound bool  // the length was determined at the end
	typed       bool  // the handler has set a content type or encoding
	dated       bool  // the handler has set a date
	closeSent   bool  // the handler has set Connection: close
	framed      bool  // the head is complete
	chunked     bool
	noBody      bool // the status has no body
	last        bool // the connection closes after this answer
	read        bool // the handler has set a read deadline
	write       bool // the handler has set a write deadline
}

// reset prepares the response for the next request.
func (r *response) reset() {
	*r = response{k: r.k, header: r.header, length: -1}
	clear(r.header)
}

// Header returns the header that is sent with the status.
func (r *response) Header() http.Header { return r.header }

// WriteHeader starts the answer.
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
	if (r.noBody || r.length >= 0 && r.typed) && !r.hasUnread() {
		r.finishHead(nil)
	}
}

// hasUnread reports whether a part of the request's body is still to come.
func (r *response) hasUnread() bool { return r.body != nil && r.body.left.Load() > 0 }

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
		if !r.framed && (r.hasUnread() || r.tail != nil || !r.typed) {
			// The unread rest of the request is dropped when the handler returns, if the answer can wait; and the
			// content type is detected from as much of the body as possible.
			return r.bufferBody(p)
		}
		if !r.framed {
			r.finishHead(p)
		}
		return r.send(p)
	}
	return r.bufferBody(p)
}

// WriteString writes s.
func (r *response) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// Flush sends everything written so far.
func (r *response) Flush() {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	r.flushBody(nil)
	r.flush()
}

// FlushError is Flush with the connection's error.
func (r *response) FlushError() error {
	r.Flush()
	return r.err
}

// SetReadDeadline limits how long the request body may take to arrive.
func (r *response) SetReadDeadline(t time.Time) error {
	r.read = true
	return r.k.cl.Conn.SetReadDeadline(t)
}

// SetWriteDeadline limits how long the client may take to receive the answer.
func (r *response) SetWriteDeadline(t time.Time) error {
	r.write = true
	return r.k.cl.Conn.SetWriteDeadline(t)
}

// finish sends the rest of the answer, and reports whether another request may follow.
func (r *response) finish() bool {
	if r.body != nil && r.body.end() {
		r.last = true
	}
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if !r.framed && r.length < 0 && !r.noBody {
		r.length, r.lengthFound = int64(len(r.getBufferedBody())), true
	}
	r.flushBody(nil)
	if r.chunked {
		_, _ = r.send(lastChunk)
	}
	if !r.noBody && r.length >= 0 && r.written != r.length {
		r.last = true // the client waits for more; only closing the connection tells it otherwise
	}
	r.flush()
	r.free()
	unread := r.hasUnread()
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

// resetDeadlines clears the deadlines that the handler set.
func (r *response) resetDeadlines() bool {
	if r.read && r.k.cl.Conn.SetReadDeadline(time.Time{}) != nil {
		return false
	}
	return !r.write || r.k.cl.Conn.SetWriteDeadline(time.Time{}) == nil
}
