package upstream_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

func TestTransportSpeaksHTTP2WithAClientCertificate(t *testing.T) {
	cert, roots := newCertificate(t)
	dir := t.TempDir()
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	require.NoError(t, err)
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))

	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			_, _ = io.WriteString(w, "hello")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/hang":
			<-r.Context().Done()
		default:
			w.Header().Set("X-Proto", r.Proto)
			w.Header().Set("X-Agent", r.UserAgent())
			_, _ = io.Copy(w, r.Body)
		}
	}))
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	s.StartTLS()
	defer s.Close()
	roots.AddCert(s.Certificate())
	u, err := url.Parse(s.URL)
	require.NoError(t, err)

	c := newTransport(t, upstream.TransportOptions{TLS: &tls.Config{RootCAs: roots}, HTTP2: true, CertFile: certFile, KeyFile: keyFile})
	want := strings.Repeat("x", 200_000)
	res, body, err := callAll(c, post(u, want))
	require.NoError(t, err)
	assert.Equal(t, want, body)
	assert.Equal(t, "HTTP/2.0", res.Get("X-Proto"))
	assert.Empty(t, res.Get("X-Agent"))

	_, body, err = callAll(c, post(u.JoinPath("/cut"), "{}"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_ = failure(t, err, upstream.PhaseBody)
	assert.Equal(t, "hello", body)

	req := post(u.JoinPath("/hang"), "{}")
	req.Timeouts.FirstByte = 50 * time.Millisecond
	_, _, err = callAll(c, req)
	assert.True(t, failure(t, err, upstream.PhaseFirstByte).Timeout)

	_, err = upstream.NewTransport(upstream.TransportOptions{CertFile: certFile})
	require.Error(t, err)
}

func TestTransportUsesItsProxy(t *testing.T) {
	cert, roots := newCertificate(t)
	target := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, answerAlways(okAnswer))
	seen := make(chan string, 1)
	proxy := serveRaw(t, func(c net.Conn, r *bufio.Reader) {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		seen <- req.Method + " " + req.RequestURI
		out, err := net.Dial("tcp", target.url.Host)
		if err != nil {
			return
		}
		defer func() { _ = out.Close() }()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(c, out) }()
		_, _ = io.Copy(out, r)
	})
	c := newTransport(
		t,
		upstream.TransportOptions{
			TLS:   &tls.Config{RootCAs: roots},
			Proxy: func(*url.URL) (*url.URL, error) { return &url.URL{Scheme: "http", Host: proxy.url.Host}, nil },
		},
	)
	_, body, err := callAll(c, post(target.url, "{}"))
	require.NoError(t, err)
	assert.Equal(t, "ok", body)
	assert.Equal(t, "CONNECT "+target.url.Host, <-seen)
}

func TestErrorsOfTransportDoNotQuoteTheAnswer(t *testing.T) {
	c := newTransport(t, upstream.TransportOptions{})
	for _, answer := range []string{"secret-garbage\r\n\r\n", "HTTP/1.1 secret OK\r\n\r\n", "HTTP/1.1 200 OK\r\nsecret\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: secret\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: secret\r\n\r\n"} {
		p := serveRaw(t, answerOnce(answer))
		_, _, err := callAll(c, post(p.url, "{}"))
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "secret")
	}
}
