package upstream_test

import (
	"bufio"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

func TestTheRequestArrivesAsGiven(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		for _, size := range []int{0, 1, 16 << 10, 16<<10 + 1, 100_000, 1 << 20} {
			got := make(chan []byte, 1)
			head := make(chan [4]string, 1)
			p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
				req, b, ok := readRequest(r)
				if !ok {
					return
				}
				got <- b
				head <- [4]string{req.Method, req.RequestURI, req.Host, req.Header.Get("Authorization")}
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			})
			u := *p.url
			u.Path, u.RawQuery = "/v1/a b/ü", "key=v%20w"
			req := post(&u, strings.Repeat("z", size))
			req.Header = append(req.Header, upstream.Field{Name: "Authorization", Value: "Bearer x"})
			_, _, err := callAll(c, req)
			require.NoError(t, err)
			assert.Len(t, <-got, size)
			assert.Equal(t, [4]string{"POST", "/v1/a%20b/%C3%BC?key=v%20w", p.url.Host, "Bearer x"}, <-head)
		}
	})
}

func TestLeanWritesTheHeadInOrderAndAddsNothing(t *testing.T) {
	got := make(chan string, 1)
	p := serveRaw(t, func(c net.Conn, r *bufio.Reader) {
		var b strings.Builder
		for {
			l, err := r.ReadString('\n')
			b.WriteString(l)
			if err != nil || l == "\r\n" {
				break
			}
		}
		got <- b.String()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	req := &upstream.Request{
		Method: "POST",
		URL:    p.url,
		Header: []upstream.Field{{Name: "x-Z", Value: "1"}, {Name: "A", Value: "2"}, {Name: "x-Z", Value: "3"}},
	}
	_, _, err := callAll(newLean(t, upstream.LeanOptions{}), req)
	require.NoError(t, err)
	assert.Equal(
		t,
		"POST /v1/chat/completions HTTP/1.1\r\nHost: "+p.url.Host+"\r\nx-Z: 1\r\nA: 2\r\nx-Z: 3\r\nContent-Length: 0\r\n\r\n",
		<-got,
	)
}

func TestNothingIsSentForARequestThatIsRefused(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, answerAlways("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		for name, change := range map[string]func(*upstream.Request){
			"CR in a value":                    func(r *upstream.Request) { r.Header[0].Value = "sec\rret" },
			"LF in a value":                    func(r *upstream.Request) { r.Header[0].Value = "a\nX-B: secret" },
			"NUL in a value":                   func(r *upstream.Request) { r.Header[0].Value = "a\x00secret" },
			"colon in a name":                  func(r *upstream.Request) { r.Header[0].Name = "secret:" },
			"empty name":                       func(r *upstream.Request) { r.Header[0].Name = "" },
			"LF in a name":                     func(r *upstream.Request) { r.Header[0].Name = "a\nsecret" },
			"Host":                             func(r *upstream.Request) { r.Header[0].Name = "hOst" },
			"Content-Length":                   func(r *upstream.Request) { r.Header[0].Name = "content-length" },
			"Transfer-Encoding":                func(r *upstream.Request) { r.Header[0].Name = "Transfer-encoding" },
			"Connection":                       func(r *upstream.Request) { r.Header[0].Name = "CONNECTION" },
			"a method with a blank":            func(r *upstream.Request) { r.Method = "GET /secret" },
			"no method":                        func(r *upstream.Request) { r.Method = "" },
			"CONNECT":                          func(r *upstream.Request) { r.Method = "CONNECT" },
			"no URL":                           func(r *upstream.Request) { r.URL = nil },
			"another scheme":                   func(r *upstream.Request) { u := *r.URL; u.Scheme = "ftp"; r.URL = &u },
			"a blank in the query":             func(r *upstream.Request) { u := *r.URL; u.RawQuery = "a b"; r.URL = &u },
			"a line in the query":              func(r *upstream.Request) { u := *r.URL; u.RawQuery = "a\r\nsecret: b"; r.URL = &u },
			"a line in the host":               func(r *upstream.Request) { u := *r.URL; u.Host = "a\r\nsecret"; r.URL = &u },
			"no host":                          func(r *upstream.Request) { u := *r.URL; u.Host = ""; r.URL = &u },
			"an invalid port":                  func(r *upstream.Request) { u := *r.URL; u.Host = "a:secret"; r.URL = &u },
			"port 0":                           func(r *upstream.Request) { u := *r.URL; u.Host = "127.0.0.1:0"; r.URL = &u },
			"user information":                 func(r *upstream.Request) { u := *r.URL; u.User = url.UserPassword("a", "secret"); r.URL = &u },
			"an IPv6 address without brackets": func(r *upstream.Request) { u := *r.URL; u.Host = "::1"; r.URL = &u },
			"an opaque URL":                    func(r *upstream.Request) { u := *r.URL; u.Opaque = "secret"; r.URL = &u },
		} {
			req := post(p.url, "{}")
			change(req)
			_, _, err := callAll(c, req)
			require.ErrorIs(t, err, upstream.ErrRequest, name)
			e := failure(t, err, 0)
			assert.True(t, e.Unsent, name)
			assert.NotContains(t, err.Error(), "sec", name)
		}
		assert.Zero(t, p.conns.Load())
	})
}
