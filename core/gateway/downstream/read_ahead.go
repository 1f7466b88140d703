package downstream

import "sync"

// readAhead is what was read of a connection beyond what net/http asked for. It asks for
// 4 KiB, in which a prompt of some pages does not fit, and a second read costs more than
// to copy what a first one may bring as well.
type readAhead struct {
	buf  *[]byte // nil: nothing is left
	left []byte  // of buf
}

// readBufferSize is how much is read at once: head and body of most requests.
const readBufferSize = 16 << 10

// readBuffers are shared: a connection has one only while bytes are left in it.
var readBuffers = sync.Pool{New: func() any { b := make([]byte, readBufferSize); return &b }}

// take gives what is left.
func (a *readAhead) take(p []byte) int {
	n := copy(p, a.left)
	if a.left = a.left[n:]; len(a.left) == 0 {
		a.drop()
	}
	return n
}

// keep gives the beginning of what was read into b, and keeps the rest.
func (a *readAhead) keep(p []byte, b *[]byte, n int) int {
	k := copy(p, (*b)[:n])
	if a.buf, a.left = b, (*b)[k:n]; k == n {
		a.drop()
	}
	return k
}

func (a *readAhead) drop() {
	if a.buf != nil {
		readBuffers.Put(a.buf)
	}
	a.buf, a.left = nil, nil
}
