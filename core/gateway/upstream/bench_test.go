package upstream_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// minimal answers requests that have a Content-Length as cheaply as a server can: it finds the end of the head, counts
// the body and writes the same bytes. Any further cost in a benchmark is the client's.
func minimal(b *testing.B, secure bool, answer []byte) (*provider, *tls.Config) {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	scheme, trust := "http", &tls.Config{}
	if secure {
		cert, roots := newCertificate(b)
		ln = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}})
		scheme, trust.RootCAs = "https", roots
	}
	return serveOn(b, ln, scheme, func(c net.Conn, _ *bufio.Reader) {
		buf := make([]byte, 256<<10)
		for {
			n, want := 0, -1
			for want < 0 || n < want {
				k, err := c.Read(buf[n:])
				if err != nil {
					return
				}
				n += k
				if want >= 0 {
					continue
				}
				if end := bytes.Index(buf[:n], []byte("\r\n\r\n")); end >= 0 {
					at := bytes.Index(buf[:end], []byte("Content-Length: ")) + len("Content-Length: ")
					digits, _, _ := bytes.Cut(buf[at:end+2], []byte("\r"))
					size, _ := strconv.Atoi(string(digits))
					want = end + 4 + size
				}
			}
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	}), trust
}

// BenchmarkRoundTrip sends bodies of 1 KB and 100 KB and reads an answer of 1 KB, whole, and of 50 events in chunks, with
// the head that a large provider sends.
func BenchmarkRoundTrip(b *testing.B) {
	head := "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 13:00:00 GMT\r\nContent-Type: application/json\r\nServer: edge\r\nX-Request-Id: req_0123456789abcdef\r\nX-Ratelimit-Limit-Requests: 10000\r\nX-Ratelimit-Remaining-Requests: 9999\r\nStrict-Transport-Security: max-age=31536000\r\n"
	whole := []byte(head + "Content-Length: 1024\r\n\r\n" + strings.Repeat("x", 1024))
	var stream bytes.Buffer
	stream.WriteString(head + "Transfer-Encoding: chunked\r\n\r\n")
	for range 50 {
		stream.WriteString("96\r\n" + "data: " + strings.Repeat("x", 142) + "\n\n\r\n")
	}
	stream.WriteString("0\r\n\r\n")
	for _, tc := range []struct {
		name   string
		size   int
		secure bool
		answer []byte
	}{
		{"1KB", 1 << 10, false, whole},
		{"100KB", 100 << 10, false, whole},
		{"stream", 1 << 10, false, stream.Bytes()},
		{"1KB-TLS", 1 << 10, true, whole},
		{"100KB-TLS", 100 << 10, true, whole},
	} {
		for _, transport := range []bool{false, true} {
			name := "lean"
			if transport {
				name = "transport"
			}
			b.Run(tc.name+"/"+name, func(b *testing.B) {
				p, trust := minimal(b, tc.secure, tc.answer)
				var c upstream.Client = newLean(b, upstream.LeanOptions{TLS: trust})
				if transport {
					c = newTransport(b, upstream.TransportOptions{TLS: trust})
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				req := post(p.url, strings.Repeat("x", tc.size))
				req.Header = append(req.Header, upstream.Field{Name: "Authorization", Value: "Bearer sk-0123456789abcdef0123456789abcdef"})
				req.Timeouts = upstream.Timeouts{Connect: generous, FirstByte: generous, Idle: generous}
				buf := make([]byte, 32<<10)
				b.ReportAllocs()
				for b.Loop() {
					res, err := c.Do(ctx, req)
					if err != nil {
						b.Fatal(err)
					}
					for err == nil {
						_, err = res.Body.Read(buf)
					}
					if err != io.EOF { // exactly as many bytes
						b.Fatal(err)
					}
					_ = res.Body.Close()
				}
			})
		}
	}
}
