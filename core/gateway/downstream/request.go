package downstream

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// request holds what a plain request needs besides http.Request. It is allocated per request, because a handler may
// retain it. A handler must not retain the header: the connection reuses it.
type request struct {
	life requestContext
	body body
	url  url.URL
}

func withLocal(ctx context.Context, addr net.Addr) context.Context {
	return context.WithValue(ctx, http.LocalAddrContextKey, addr)
}

// parse parses the head, which is n bytes long, and reports whether it is plain.
func (k *conn) parse(n int) bool {
	clear(k.fields)
	k.size = n
	text := string((*k.buf)[k.r : k.r+n])
	lines := strings.Count(text, "\n")
	if lines > maxFields || !k.head.parse(text, k.fields, make([]string, 0, lines)) {
		return false
	}
	if k.head.target != k.target {
		u, err := url.ParseRequestURI(k.head.target)
		if err != nil {
			return false
		}
		k.target, k.url = k.head.target, u
	}
	k.r += n
	if k.r == k.w {
		k.releaseBuffer()
	}
	return true
}

// buildRequest builds the handler's request from the head read last.
func (k *conn) buildRequest() *http.Request {
	x := &request{url: *k.url}
	x.life.Context = k.base.Context()
	k.life = &x.life
	req := k.base.WithContext(k.life)
	req.Method, req.RequestURI, req.Host, req.URL = k.head.method, k.head.target, k.head.host, &x.url
	req.ContentLength, req.Body = k.head.length, http.NoBody
	k.res.reset()
	if k.head.length > 0 {
		x.body.k = k
		x.body.left.Store(k.head.length)
		req.Body, k.res.body = &x.body, &x.body
	} else {
		k.watchHangup()
	}
	return req
}

// body is the body of a request. Its lock serializes reads by the handler and by the server.
type body struct {
	mu   sync.Mutex
	k    *conn
	left atomic.Int64
	err  error
	over bool // the handler has ended
}

// Read returns what has arrived, or waits for more.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.read(p)
}

// read implements Read. mu is held.
func (b *body) read(p []byte) (int, error) {
	k, left := b.k, b.left.Load()
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	n := 0
	if k.w > k.r {
		n = copy(p, (*k.buf)[k.r:k.w])
		if k.r += n; k.r == k.w {
			k.releaseBuffer()
		}
	} else {
		n, b.err = k.read(p)
		if isClosed(b.err) {
			k.hangUp()
		}
		if b.err == io.EOF {
			b.err = io.ErrUnexpectedEOF
		}
	}
	if b.left.Store(left - int64(n)); left == int64(n) {
		b.err = io.EOF
		k.watchHangup()
	}
	return n, b.err
}

// Close stops the handler's reading. The rest is dropped once the request is answered.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = http.ErrBodyReadAfterClose
	}
	return nil
}

// maxDropped is the longest unread rest of a body that is read to keep the connection; net/http has the same limit.
const maxDropped = 256 << 10

// drop reads the rest, unless it arrives too slowly, and reports whether the connection can be reused. A handler that
// continues reading gets an error, not an early end.
func (b *body) drop() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.left.Load()
	if left == 0 {
		return true
	}
	if left >= maxDropped || b.err != nil && b.err != http.ErrBodyReadAfterClose { // its own
		return false
	}
	b.err = nil
	h := b.k.cl.hangup
	h.StartBodyTimeout()
	_, err := io.Copy(io.Discard, unlockedBody{b})
	if !h.FinishBody() || err != nil {
		return false
	}
	b.err = http.ErrBodyReadAfterClose
	return true
}

// unlockedBody is a body. The caller holds mu.
type unlockedBody struct{ b *body }

func (u unlockedBody) Read(p []byte) (int, error) { return u.b.read(p) }

// end stops the handler's reading. It interrupts a pending read, after which the connection cannot be read again.
func (b *body) end() (broken bool) {
	if broken = !b.mu.TryLock(); broken {
		_ = b.k.cl.Conn.SetReadDeadline(time.Unix(1, 0)) // a closed connection reads no more either
		b.mu.Lock()
	}
	b.over = true
	b.mu.Unlock()
	return broken
}
