package downstream

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"runtime"
)

// readHead reads until the head of a request is there, and says how long it is. Without plain something else has come; when
// neither is so the connection has ended.
func (k *conn) readHead(first bool) (n int, plain bool) {
	if k.hasEarly {
		k.hasEarly = false
		k.append(k.early[0])
	}
	most := 0 // ends of lines that some clients send behind a body; net/http drops as many
	if k.head.method == http.MethodPost {
		most = 4
	}
	ends := most
	for looked, counts := 0, false; ; {
		for ; ends > 0 && k.w > k.r && isEnd((*k.buf)[k.r]); ends-- {
			k.r++
		}
		if k.w > k.r {
			if k.cl.waits.Load()&3 == forRequest {
				k.cl.wait(forHead)
			}
			have := (*k.buf)[k.r:k.w]
			from := max(looked-3, 0)
			if i := bytes.Index(have[from:], headEnd); i >= 0 {
				return from + i + 4, k.parse(from + i + 4)
			}
			// Of a second request net/http takes no notice before the fourth byte.
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
			runtime.Gosched() // others go first, and a client that is quick has sent its next request by then
		}
		if !k.fill() {
			return 0, k.w == k.r || !counts // what has ended in the middle is net/http's to judge
		}
	}
}

// endsBare reports whether a line of a head, from some byte on, ends without a return. Such a head need not have the end
// that is waited for.
func endsBare(head []byte, from int) bool {
	for i := from; i < len(head); i++ {
		if head[i] == '\n' && (i == 0 || head[i-1] != '\r') {
			return true
		}
	}
	return false
}

func isEnd(c byte) bool { return c == '\r' || c == '\n' }

var headEnd = []byte("\r\n\r\n")

// fill reads what there is behind what was not taken yet.
func (k *conn) fill() bool {
	var n int
	var err error
	if k.r == k.w {
		k.free()
	}
	if k.buf == nil && k.cl.socket != nil {
		var b *[]byte
		if b, n, err = k.cl.socket.pull(k.cl.Conn); err == nil {
			k.buf, k.r, k.w = b, 0, 0
		}
	} else {
		k.take()
		n, err = k.cl.Conn.Read((*k.buf)[k.w:])
	}
	k.w += n
	k.cl.received.Add(int64(n))
	return n > 0 || err == nil
}

// append puts a byte behind what was read. There is room: the head of a request was taken since the buffer was filled.
func (k *conn) append(b byte) {
	k.take()
	k.compact()
	(*k.buf)[k.w] = b
	k.w++
}

// compact moves what was not taken yet to the beginning of the buffer.
func (k *conn) compact() {
	if k.r > 0 {
		k.r, k.w = 0, copy(*k.buf, (*k.buf)[k.r:k.w])
	}
}

// take has the connection hold a buffer.
func (k *conn) take() {
	if k.buf == nil {
		k.buf, _ = readBuffers.Get().(*[]byte)
		k.r, k.w = 0, 0
	}
}

// free gives the buffer back.
func (k *conn) free() {
	if k.buf != nil {
		readBuffers.Put(k.buf)
	}
	k.buf, k.r, k.w = nil, 0, 0
}

// mostKept is how long the head of the last request may be for the connection to keep its text until the next.
const mostKept = 1 << 10

// forget drops what refers to the head of the last request.
func (k *conn) forget() {
	clear(k.fields)
	k.head, k.target, k.url = head{method: k.head.method}, "", nil
}

// isClosed reports whether err says that the connection has ended, rather than that a read was broken off.
func isClosed(err error) bool {
	var t net.Error
	return err != nil && !(errors.As(err, &t) && t.Timeout())
}
