package downstream

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// request is what a plain request takes besides http.Request. It is made anew for each: a handler may keep it.
type request struct {
	life life
	body body
	url  url.URL
}

func withLocal(ctx context.Context, addr net.Addr) context.Context {
	return context.WithValue(ctx, http.LocalAddrContextKey, addr)
}

// parse reads the head, which is n bytes long, and reports whether it is plain.
func (k *conn) parse(n int) bool {
	clear(k.fields)
	text := string((*k.buf)[k.r : k.r+n])
	lines := strings.Count(text, "\n")
	if lines > mostFields || !k.head.parse(text, k.fields, make([]string, 0, lines)) {
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
		k.free()
	}
	return true
}

// request makes what the handler is given of the head that was read last.
func (k *conn) request() *http.Request {
	x := &request{url: *k.url}
	x.life.Context = k.base.Context()
	k.life = &x.life
	req := k.base.WithContext(k.life)
	req.Method, req.RequestURI, req.Host, req.URL = k.head.method, k.head.target, k.head.host, &x.url
	req.ContentLength, req.Body = k.head.length, http.NoBody
	k.res.begin()
	if k.head.length > 0 {
		x.body = body{k: k, left: k.head.length}
		req.Body, k.res.body = &x.body, &x.body
	} else {
		k.heed()
	}
	return req
}

// body is the body of a request. Only one goroutine may read it at a time.
type body struct {
	k    *conn // nil: the request has ended
	left int64
	err  error
}

// Read reads what has come, or waits for more.
func (b *body) Read(p []byte) (int, error) {
	k := b.k
	switch {
	case k == nil:
		return 0, http.ErrBodyReadAfterClose
	case b.err != nil:
		return 0, b.err
	case len(p) == 0:
		return 0, nil
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n := 0
	if k.w > k.r {
		n = copy(p, (*k.buf)[k.r:k.w])
		if k.r += n; k.r == k.w {
			k.free()
		}
	} else {
		n, b.err = k.cl.Conn.Read(p)
		k.cl.came.Add(int64(n))
		if gone(b.err) {
			k.cl.hangup.Left()
		}
		if b.err == io.EOF {
			b.err = io.ErrUnexpectedEOF
		}
	}
	if b.left -= int64(n); b.left == 0 {
		b.err = io.EOF
		k.heed()
	}
	return n, b.err
}

// Close ends the reading. What is left is dropped when the request has been answered.
func (b *body) Close() error {
	if b.err == nil {
		b.err = http.ErrBodyReadAfterClose
	}
	return nil
}

// mostDropped is how much of a body that nobody has read is read to keep the connection, as by net/http.
const mostDropped = 256 << 10

// drop reads what is left, and reports whether the connection can be used on.
func (b *body) drop() bool {
	if b.left == 0 {
		return true
	}
	if b.left > mostDropped || b.err != nil && b.err != http.ErrBodyReadAfterClose { //nolint:errorlint // its own
		return false
	}
	b.err = nil
	_, err := io.Copy(io.Discard, struct{ io.Reader }{b})
	return err == nil
}
