package main

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// bufferPool lends ReverseProxy its copy buffers.
type bufferPool struct{ p sync.Pool }

func (b *bufferPool) Get() []byte  { return *b.p.Get().(*[]byte) }
func (b *bufferPool) Put(x []byte) { b.p.Put(&x) }

var _ httputil.BufferPool = (*bufferPool)(nil)

// endedBody remembers that a request body has ended. The server closes the body when the answer begins. If the
// Transport then still reads the end, it treats the error as a failed write and truncates the answer: about one stream
// in a thousand with an upstream as fast as the mock.
type endedBody struct {
	io.ReadCloser
	ended bool
}

func (b *endedBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p)
	b.ended = errors.Is(err, io.EOF)
	return n, err
}

var _ io.ReadCloser = (*endedBody)(nil)

// newReverseProxy returns the yardstick: the standard library's proxy, tuned. It keeps enough idle connections never to
// dial under load, has buffers of 16 KB, does not compress, and pools its copy buffers. It flushes event streams at
// once on its own; a FlushInterval of -1 would also split every whole answer into two writes and make the yardstick 10
// to 20 % slower.
func newReverseProxy(upstream *url.URL, trust *tls.Config) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(upstream)
			if r.Out.Body != nil {
				r.Out.Body = &endedBody{ReadCloser: r.Out.Body}
			}
		},
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			MaxIdleConnsPerHost: 4096,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true,
			WriteBufferSize:     16 << 10,
			ReadBufferSize:      16 << 10,
			TLSClientConfig:     trust,
		},
		BufferPool: &bufferPool{sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}},
		ErrorLog:   log.New(io.Discard, "", 0),
	}
}
