package downstream

import (
	"strconv"
	"sync"
)

const (
	outSize  = 8 << 10 // size of the output queue
	tailSize = 2 << 10 // held back of a body of unknown length; as in net/http
)

var (
	outs  = sync.Pool{New: func() any { b := make([]byte, 0, outSize); return &b }}
	tails = sync.Pool{New: func() any { b := make([]byte, 0, tailSize); return &b }}
)

// bufferBody keeps a part of a body until there is enough for a chunk.
func (r *response) bufferBody(p []byte) (int, error) {
	if r.tail == nil {
		r.tail, _ = tails.Get().(*[]byte)
	}
	n := len(p)
	for room := tailSize - len(*r.tail); len(p) > room; room = tailSize {
		if len(*r.tail) == 0 {
			r.flushBody(p)
			p = nil
			break
		}
		*r.tail = append(*r.tail, p[:room]...)
		p = p[room:]
		r.flushBody(nil)
	}
	*r.tail = append(*r.tail, p...)
	if r.err != nil {
		return 0, r.err
	}
	return n, nil
}

// flushBody sends what was held back, followed by more, as one chunk if the length is unknown.
func (r *response) flushBody(more []byte) {
	held := r.getBufferedBody()
	if !r.framed {
		r.chunked = r.length < 0 && !r.noBody
		r.finishHead(chooseNonEmpty(held, more))
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

var (
	crlf      = []byte("\r\n")
	lastChunk = []byte("0\r\n\r\n")
)

func (r *response) getBufferedBody() []byte {
	if r.tail == nil {
		return nil
	}
	return *r.tail
}

func chooseNonEmpty(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

// send queues bytes, and flushes the queue when they do not fit.
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
	r.recordWrite(r.k.writeBoth(*r.out, p))
	*r.out = (*r.out)[:0]
	if r.err != nil {
		return 0, r.err
	}
	return len(p), nil
}

// flush sends the queue.
func (r *response) flush() {
	if r.out == nil {
		return
	}
	if len(*r.out) > 0 && r.err == nil {
		r.recordWrite(r.k.write(*r.out))
	}
	r.freeOut()
}

// freeOut returns the queue's buffer to the pool, unless a long head has made it large.
func (r *response) freeOut() {
	if cap(*r.out) <= 2*outSize {
		*r.out = (*r.out)[:0]
		outs.Put(r.out)
	}
	r.out = nil
}

// recordWrite records the result of a write. An error ends the request.
func (r *response) recordWrite(err error) {
	if r.err = err; err != nil {
		r.k.life.end()
	}
}

// free returns the buffers to their pools.
func (r *response) free() {
	if r.out != nil {
		r.freeOut()
	}
	if r.tail != nil {
		*r.tail = (*r.tail)[:0]
		tails.Put(r.tail)
		r.tail = nil
	}
}
