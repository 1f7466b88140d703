package downstream

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"runtime"
)

// readHead reads until the whole head of a request has arrived, and returns its length. plain is false if something
// else arrived; n is 0 with plain if the connection has ended.
func (k *conn) readHead(first bool) (n int, plain bool) {
	if k.hasEarly {
		k.hasEarly = false
		k.appendByte(k.early[0])
	}
	most := 0 // line ends that some clients send after a body; net/http drops the same number
	if k.head.method == http.MethodPost {
		most = 4
	}
	ends := most
	for looked, counts := 0, false; ; {
		for ends > 0 && k.w-k.r >= 2 && string((*k.buf)[k.r:k.r+2]) == "\r\n" {
			k.r, ends = k.r+2, ends-2
		}
		if ends > 0 && k.w-k.r == 1 && (*k.buf)[k.r] == '\r' {
			counts = false // the rest of a line end may follow
		} else if k.w > k.r {
			if k.cl.waits.Load()&3 == forRequest {
				k.cl.recordWait(forHead)
			}
			have := (*k.buf)[k.r:k.w]
			from := max(looked-3, 0)
			if i := bytes.Index(have[from:], headEnd); i >= 0 {
				return from + i + 4, k.parse(from + i + 4)
			}
			// net/http recognizes a second request only at its fourth byte.
			if counts = first || len(have)+most-ends >= 4; counts {
				if have[0] != 'P' && have[0] != 'G' || endsBare(have, looked) {
					return 0, false
				}
				looked = len(have)
			}
			if k.compact(); k.w == len(*k.buf) {
				return 0, false
			}
		} else if !first {
			runtime.Gosched() // yield: a fast client has sent its next request by then
		}
		if !k.fill() {
			return 0, k.w == k.r || !counts // net/http judges a request that was cut off
		}
	}
}

// endsBare reports whether a line of the head, from a byte on, ends without a carriage return. Such a head might never
// contain headEnd.
func endsBare(head []byte, from int) bool {
	for i := from; i < len(head); i++ {
		if head[i] == '\n' && (i == 0 || head[i-1] != '\r') {
			return true
		}
	}
	return false
}

var headEnd = []byte("\r\n\r\n")

// fill appends bytes from the connection to the unconsumed ones.
func (k *conn) fill() bool {
	var n int
	var err error
	if k.r == k.w {
		k.releaseBuffer()
	}
	switch {
	case k.buf == nil && k.session == nil && k.cl.socket != nil:
		var b *[]byte
		if b, n, err = k.cl.socket.pull(k.cl.Conn); err == nil {
			k.buf, k.r, k.w = b, 0, 0
		}
		k.cl.received.Add(int64(n))
	case k.buf == nil:
		// A session decrypts a whole record even for one byte, and no buffer waits for it.
		if n, err = k.read(k.early[:1]); n == 1 {
			k.acquireBuffer()
			(*k.buf)[0] = k.early[0]
		}
	default:
		n, err = k.read((*k.buf)[k.w:])
	}
	k.w += n
	return n > 0 || err == nil
}

// appendByte adds a byte after the unconsumed ones. There is room: a head was consumed since the buffer was filled.
func (k *conn) appendByte(b byte) {
	k.acquireBuffer()
	k.compact()
	(*k.buf)[k.w] = b
	k.w++
}

// compact moves the unconsumed bytes to the start of the buffer.
func (k *conn) compact() {
	if k.r > 0 {
		k.r, k.w = 0, copy(*k.buf, (*k.buf)[k.r:k.w])
	}
}

// acquireBuffer ensures that the connection holds a buffer.
func (k *conn) acquireBuffer() {
	if k.buf == nil {
		k.buf, _ = readBuffers.Get().(*[]byte)
		k.r, k.w = 0, 0
	}
}

// releaseBuffer returns the buffer to the pool.
func (k *conn) releaseBuffer() {
	if k.buf != nil {
		readBuffers.Put(k.buf)
	}
	k.buf, k.r, k.w = nil, 0, 0
}

// maxKept is the longest head, in bytes, that a connection retains between two requests.
const maxKept = 1 << 10

// clearHead drops references to the last request's head.
func (k *conn) clearHead() {
	clear(k.fields)
	k.head, k.target, k.url = head{method: k.head.method}, "", nil
}

// isClosed reports whether err means that the connection has ended, not that a read was interrupted.
func isClosed(err error) bool {
	var t net.Error
	return err != nil && !(errors.As(err, &t) && t.Timeout())
}
