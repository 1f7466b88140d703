package main

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
)

// rawProxy shows the cost of net/http's server when the upstream side costs next to nothing: no router, bytes in and
// bytes out, with the upstream connection driven by the handler's own goroutine.
type rawProxy struct {
	pool   rawPool
	bodies sync.Pool
}

var _ http.Handler = (*rawProxy)(nil)

func newRawProxy(host string) *rawProxy {
	return &rawProxy{pool: rawPool{host: host}, bodies: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

func (p *rawProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := p.bodies.Get().(*bytes.Buffer)
	defer p.bodies.Put(body)
	body.Reset()
	if r.ContentLength > 0 {
		body.Grow(int(min(r.ContentLength, maxMockBody)) + bytes.MinRead)
	}
	if _, err := body.ReadFrom(r.Body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c, head, err := p.pool.send(r.Method, r.URL.Path, r.Header.Get("Authorization"), body.Bytes())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	h := w.Header()
	h["Content-Type"] = []string{string(head.contentType)}
	if head.length >= 0 {
		h["Content-Length"] = []string{strconv.Itoa(head.length)}
	}
	w.WriteHeader(head.status)
	flush := func() {}
	if f, ok := w.(http.Flusher); ok && head.chunked {
		flush = f.Flush
	}
	if err := c.copyBody(w, head, flush); err != nil {
		c.close()
		panic(http.ErrAbortHandler) // the head is sent; only cutting the connection tells the client
	}
	p.pool.put(c)
}
