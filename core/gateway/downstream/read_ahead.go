package downstream

import "sync"

// readAhead holds bytes that were read beyond what net/http asked for. net/http asks for 4 KiB, too little for a prompt
// of several pages, and a second read costs more than copying the bytes that the first one returns.
type readAhead struct {
	buf  *[]byte // nil if nothing is left
	left []byte  // of buf
}

// readBufferSize is how many bytes are read at once: the head and body of most requests.
const readBufferSize = 16 << 10

// readBuffers are shared: a connection holds one only while it has bytes left.
var readBuffers = sync.Pool{New: func() any { b := make([]byte, readBufferSize); return &b }}

// readBuffered copies buffered bytes into p.
func (a *readAhead) readBuffered(p []byte) int {
	n := copy(p, a.left)
	if a.left = a.left[n:]; len(a.left) == 0 {
		a.drop()
	}
	return n
}

// storeRest copies the start of the n bytes read into b to p, and keeps the rest.
func (a *readAhead) storeRest(p []byte, b *[]byte, n int) int {
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
