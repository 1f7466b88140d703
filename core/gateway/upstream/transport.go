package upstream

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"
)

// TransportOptions configures a Transport client. The zero value speaks HTTP/1.1 and takes its proxy from the environment.
type TransportOptions struct {
	// TLS is the base of the TLS configuration, as in LeanOptions.
	TLS *tls.Config
	// CertFile and KeyFile name a client certificate and its key in PEM. Both or neither.
	CertFile, KeyFile string
	// HTTP2 offers HTTP/2 to servers that speak TLS.
	HTTP2 bool
	// Proxy chooses the proxy for a URL, nil for none; nil means HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
	Proxy func(*url.URL) (*url.URL, error)
	// MaxIdlePerHost, IdleTimeout, MaxHeadBytes and HeadTimeout are those of LeanOptions.
	MaxIdlePerHost int
	IdleTimeout    time.Duration
	MaxHeadBytes   int
	HeadTimeout    time.Duration
}

// Transport is the client over http.Transport. It costs about twice as much as Lean, and parses answers like net/http,
// which is more lenient.
type Transport struct {
	rt     *http.Transport
	head   time.Duration
	closed atomic.Bool
}

var _ Client = (*Transport)(nil)

// NewTransport returns a client, or an error if the client certificate cannot be loaded.
func NewTransport(o TransportOptions) (*Transport, error) {
	l := NewLean(
		LeanOptions{MaxIdlePerHost: o.MaxIdlePerHost, IdleTimeout: o.IdleTimeout, MaxHeadBytes: o.MaxHeadBytes, HeadTimeout: o.HeadTimeout},
	).opts
	protocols := []string{"http/1.1"}
	if o.HTTP2 {
		protocols = []string{"h2", "http/1.1"}
	}
	c := buildTLS(o.TLS, protocols...)
	if o.CertFile != "" || o.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("load client certificate: %w", err)
		}
		c.Certificates = append(slices.Clip(c.Certificates), pair)
	}
	proxy := http.ProxyFromEnvironment
	if o.Proxy != nil {
		proxy = func(r *http.Request) (*url.URL, error) { return o.Proxy(r.URL) }
	}
	var p http.Protocols
	p.SetHTTP1(true)
	p.SetHTTP2(o.HTTP2)
	return &Transport{
		rt: &http.Transport{
			Proxy:                  proxy,
			DialContext:            dialForCall,
			TLSClientConfig:        c,
			TLSHandshakeTimeout:    time.Minute, // a fallback; Connect is the limit of the call
			DisableCompression:     true,
			MaxIdleConnsPerHost:    l.MaxIdlePerHost,
			IdleConnTimeout:        l.IdleTimeout,
			MaxResponseHeaderBytes: int64(l.MaxHeadBytes),
			WriteBufferSize:        16 << 10,
			ReadBufferSize:         readSize,
			Protocols:              &p,
		},
		head: l.HeadTimeout,
	}, nil
}

// Close closes idle connections and refuses further calls.
func (t *Transport) Close() error {
	t.closed.Store(true)
	t.rt.CloseIdleConnections()
	return nil
}

// Do sends the request.
func (t *Transport) Do(ctx context.Context, req *Request) (*Response, error) {
	if err := t.check(ctx, req); err != nil {
		return nil, err
	}
	k := newCall(ctx, req.Timeouts, t.head)
	k.secure = req.URL.Scheme == "https"
	res, err := t.rt.RoundTrip(k.convertRequest(req))
	defer func() { k.releaseBodies(err != nil) }()
	if err != nil {
		return nil, k.end(err)
	}
	if res.StatusCode < 200 || res.StatusCode > 599 {
		_ = res.Body.Close()
		return nil, k.end(malformedError("status code"))
	}
	k.enterPhase(PhaseBody)
	a := &Response{Status: res.StatusCode, Header: sortFields(res.Header), ContentLength: res.ContentLength}
	a.Body = &transportBody{in: res.Body, call: k}
	return a, nil
}

// check refuses requests that must not be sent, by the same rules as Lean.
func (t *Transport) check(ctx context.Context, req *Request) error {
	err := checkRequest(req)
	if err == nil {
		_, err = newPeer(req.URL, &tls.Config{ServerName: "-"}) // never used to connect
	}
	if err == nil && !hasOnly(appendTarget(nil, req.URL), classTarget) {
		err = refusal("the request target holds a character that must be escaped")
	}
	if t.closed.Load() {
		err = ErrClosed
	}
	if err != nil {
		return &Error{Unsent: true, Err: err}
	}
	if ctx.Err() != nil {
		e := convertContextError(ctx, 0)
		e.Unsent = true
		return e
	}
	return nil
}

// callKey is the context key of the call in the context with which net/http dials.
type callKey struct{}

// dialForCall dials only as long as its call lives. net/http would continue dialling after the caller has hung up.
func dialForCall(ctx context.Context, network, address string) (net.Conn, error) {
	k, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	conn, err := (&net.Dialer{}).DialContext(k.ctx, network, address)
	if err != nil {
		return nil, err
	}
	k.guard(conn)
	return conn, nil
}
