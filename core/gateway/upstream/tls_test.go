package upstream_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// newCertificate returns a certificate for example.com and 127.0.0.1 and a pool that trusts it.
func newCertificate(t testing.TB) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s.TLS.Certificates[0], roots
}

func serveTLS(t testing.TB, c *tls.Config, handle func(net.Conn, *bufio.Reader)) *provider {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return serveOn(t, tls.NewListener(ln, c), "https", handle)
}

func bothTLS(t *testing.T, c *tls.Config, f func(t *testing.T, c upstream.Client)) {
	t.Helper()
	t.Run("lean", func(t *testing.T) { f(t, newLean(t, upstream.LeanOptions{TLS: c})) })
	t.Run("transport", func(t *testing.T) { f(t, newTransport(t, upstream.TransportOptions{TLS: c})) })
}

func TestTLSConnectionsAreVerifiedAndKept(t *testing.T) {
	cert, roots := newCertificate(t)
	for name, version := range map[string]uint16{"TLS 1.2": tls.VersionTLS12, "TLS 1.3": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			bothTLS(t, &tls.Config{RootCAs: roots}, func(t *testing.T, c upstream.Client) {
				protocol := make(chan tls.ConnectionState, 100)
				p := serveTLS(
					t,
					&tls.Config{Certificates: []tls.Certificate{cert}, MaxVersion: version, NextProtos: []string{"h2", "http/1.1"}},
					func(conn net.Conn, r *bufio.Reader) {
						for {
							_, b, ok := readRequest(r)
							if !ok {
								return
							}
							protocol <- conn.(*tls.Conn).ConnectionState()
							_, _ = io.WriteString(conn, chunks(string(b), "!"))
						}
					},
				)
				for _, size := range []int{1, 100, 16 << 10, 100_000, 3 << 20, 5} {
					want := strings.Repeat("x", size)
					_, body, err := callAll(c, post(p.url, want))
					require.NoError(t, err)
					assert.Equal(t, want+"!", body)
					assert.Equal(t, "http/1.1", (<-protocol).NegotiatedProtocol)
				}
				assert.EqualValues(t, 1, p.conns.Load())
			})
		})
	}
}

func TestAServerThatCannotBeTrustedGetsNoRequest(t *testing.T) {
	cert, roots := newCertificate(t)
	requests := make(chan bool, 10)
	handle := func(_ net.Conn, r *bufio.Reader) {
		if _, _, ok := readRequest(r); ok {
			requests <- true
		}
	}
	for name, tc := range map[string]struct{ server, client *tls.Config }{
		"an unknown authority": {&tls.Config{Certificates: []tls.Certificate{cert}}, nil},
		"another name":         {&tls.Config{Certificates: []tls.Certificate{cert}}, &tls.Config{RootCAs: roots, ServerName: "provider.test"}},
		"TLS 1.1":              {&tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10}},
		"no common protocol":   {&tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"spdy/3"}}, &tls.Config{RootCAs: roots}},
	} {
		t.Run(name, func(t *testing.T) {
			bothTLS(t, tc.client, func(t *testing.T, c upstream.Client) {
				p := serveTLS(t, tc.server, handle)
				_, _, err := callAll(c, post(p.url, "{}"))
				e := failure(t, err, upstream.PhaseHandshake)
				assert.True(t, e.Unsent)
				assert.False(t, e.Timeout)
				assert.Empty(t, requests)
			})
		})
	}
}

func TestTLSSendsTheNameOfTheHost(t *testing.T) {
	cert, roots := newCertificate(t)
	names := make(chan string, 1)
	p := serveTLS(t, &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		names <- h.ServerName
		return &cert, nil
	}}, answerAlways(okAnswer))
	c := newLean(
		t,
		upstream.LeanOptions{TLS: &tls.Config{RootCAs: roots}, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != "example.com:443" {
				return nil, net.UnknownNetworkError(address)
			}
			return (&net.Dialer{}).DialContext(ctx, network, p.url.Host)
		}},
	)
	_, _, err := callAll(c, post(&url.URL{Scheme: "https", Host: "example.com", Path: "/"}, "{}"))
	require.NoError(t, err)
	assert.Equal(t, "example.com", <-names)
}

func TestBytesThatTLSHasReadAheadEndTheConnection(t *testing.T) {
	cert, roots := newCertificate(t)
	const forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
	for name, pieces := range map[string][]string{
		"in the record of the answer":     {okAnswer + forged},
		"in a separate record":            {okAnswer, forged},
		"behind an answer of many fields": {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", 8100) + "\r\nContent-Length: 2\r\n\r\nok" + forged},
	} {
		t.Run(name, func(t *testing.T) {
			c := newLean(t, upstream.LeanOptions{TLS: &tls.Config{RootCAs: roots}})
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			// The records leave in one write, so that the client's TLS reads them at once.
			p := serveOn(t, ln, "https", func(raw net.Conn, _ *bufio.Reader) {
				j := &joined{Conn: raw}
				conn := tls.Server(j, &tls.Config{Certificates: []tls.Certificate{cert}})
				r := bufio.NewReader(conn)
				for {
					if _, _, ok := readRequest(r); !ok {
						return
					}
					j.hold = true
					for _, s := range pieces {
						_, _ = io.WriteString(conn, s)
					}
					j.hold = false
					_, _ = raw.Write(j.held)
					j.held = nil
				}
			})
			for range 3 {
				_, body, err := callAll(c, post(p.url, "{}"))
				require.NoError(t, err)
				assert.Equal(t, "ok", body)
			}
			assert.EqualValues(t, 3, p.conns.Load())
		})
	}
}

// joined buffers writes while hold is set.
type joined struct {
	net.Conn
	hold bool
	held []byte
}

func (j *joined) Write(p []byte) (int, error) {
	if j.hold {
		j.held = append(j.held, p...)
		return len(p), nil
	}
	return j.Conn.Write(p)
}

func TestAnEndWithoutTheFarewellOfTLSIsACut(t *testing.T) {
	cert, roots := newCertificate(t)
	for name, farewell := range map[string]bool{"with farewell": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			bothTLS(t, &tls.Config{RootCAs: roots}, func(t *testing.T, c upstream.Client) {
				p := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(conn net.Conn, r *bufio.Reader) {
					if _, _, ok := readRequest(r); ok {
						_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\nhello")
					}
					if !farewell {
						_ = conn.(*tls.Conn).NetConn().Close()
					}
				})
				_, body, err := callAll(c, post(p.url, "{}"))
				assert.Equal(t, "hello", body)
				_, lean := c.(*upstream.Lean)
				if farewell || !lean { // net/http treats either as the end
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				}
			})
		})
	}
}

func TestAnEarlyAnswerIsReadOverTLS(t *testing.T) {
	cert, roots := newCertificate(t)
	over := make(chan struct{})
	defer close(over)
	c := newLean(t, upstream.LeanOptions{TLS: &tls.Config{RootCAs: roots}})
	p := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(conn net.Conn, r *bufio.Reader) {
		_, _ = r.ReadByte()
		_, _ = io.WriteString(conn, tooLong)
		<-over
	})
	res, body, err := callAll(c, post(p.url, strings.Repeat("x", 32<<20)))
	require.NoError(t, err)
	assert.Equal(t, 413, res.Status)
	assert.Equal(t, `{"e":413}`, body)
}

func TestASlowUploadOverTLSSurvivesTheListening(t *testing.T) {
	cert, roots := newCertificate(t)
	c, client := followedLean(t, &tls.Config{RootCAs: roots})
	p := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(conn net.Conn, r *bufio.Reader) {
		for {
			if _, err := r.Peek(1); err != nil {
				return
			}
			client.awaitRead(t, 0) // the client listens for an early answer
			_, b, ok := readRequest(r)
			if !ok || len(b) != 16<<20 {
				return
			}
			_, _ = io.WriteString(conn, okAnswer)
		}
	})
	for range 2 {
		_, body, err := callAll(c, post(p.url, strings.Repeat("x", 16<<20)))
		require.NoError(t, err)
		assert.Equal(t, "ok", body)
	}
	assert.EqualValues(t, 1, p.conns.Load())
}

func TestTheCallersLeavingEndsATLSAnswerAtOnce(t *testing.T) {
	cert, roots := newCertificate(t)
	for name, answer := range map[string]string{"before the first byte": "", "mid-body": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"} {
		t.Run(name, func(t *testing.T) {
			bothFollowed(t, &tls.Config{RootCAs: roots}, func(t *testing.T, c upstream.Client, client *reads) {
				reached, hungUp := make(chan bool, 1), make(chan bool, 1)
				p := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(conn net.Conn, r *bufio.Reader) {
					if _, _, ok := readRequest(r); ok {
						_, _ = io.WriteString(conn, answer)
					}
					reached <- true
					awaitClose(r)
					hungUp <- true
				})
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				done := make(chan error, 1)
				go func() { done <- stuck(ctx, c, post(p.url, "{}")) }()
				<-reached
				client.awaitRead(t, 0)
				cancel()
				select {
				case err := <-done:
					require.ErrorIs(t, err, context.Canceled)
				case <-time.After(generous):
					t.Fatal("the call goes on")
				}
				select {
				case <-hungUp:
				case <-time.After(generous):
					t.Fatal("the provider still generates")
				}
			})
		})
	}
}
