package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// sent is a request as the provider received it.
type sent struct {
	header http.Header
	body   string
	path   string // with its query
}

// fake is a provider on a loopback listener that sends what a test scripts, byte by byte.
type fake struct {
	url string
	mu  sync.Mutex
	got []sent
}

// requests returns the requests received so far.
func (f *fake) requests() []sent {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]sent(nil), f.got...)
}

func (f *fake) last(t testing.TB) sent {
	t.Helper()
	all := f.requests()
	require.NotEmpty(t, all, "nothing reached the provider")
	return all[len(all)-1]
}

// newFake serves each request with say and closes the connection after its answer.
func newFake(t testing.TB, say func(c net.Conn, r sent)) *fake {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &fake{url: "http://" + ln.Addr().String()}
	open := map[net.Conn]bool{}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			f.mu.Lock()
			open[c] = true
			f.mu.Unlock()
			wg.Add(1)
			go func() {
				defer wg.Done()
				defer func() { _ = c.Close() }()
				r, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				s := sent{r.Header, string(body), r.URL.RequestURI()}
				f.mu.Lock()
				f.got = append(f.got, s)
				f.mu.Unlock()
				say(c, s)
			}()
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		f.mu.Lock()
		for c := range open {
			_ = c.Close()
		}
		f.mu.Unlock()
		wg.Wait()
	})
	return f
}

// says answers every request with the same bytes.
func says(raw string) func(net.Conn, sent) {
	return func(c net.Conn, _ sent) { _, _ = io.WriteString(c, raw) }
}

// buildWhole returns an answer with a Content-Length.
func buildWhole(status int, contentType, body string, header ...string) string {
	return fmt.Sprintf("HTTP/1.1 %d x\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n%s",
		status, contentType, len(body), lines(header), body)
}

func lines(header []string) string {
	if len(header) == 0 {
		return ""
	}
	return strings.Join(header, "\r\n") + "\r\n"
}

// streamHead is the head of a chunked event stream.
const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"

// chunk returns one chunk of a chunked answer; chunk("") is its end.
func chunk(data string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(data), data) }

// stream returns a whole event stream.
func stream(events ...string) string {
	raw := streamHead
	for _, e := range events {
		raw += chunk(e)
	}
	return raw + chunk("")
}

// pieces is an in-process client that answers with a body in pieces, one per read, so that a test decides where reads
// end.
type pieces struct {
	contentType string
	next        func(body string) []string
}

func (p *pieces) Close() error { return nil }

func (p *pieces) Do(_ context.Context, r *upstream.Request) (*upstream.Response, error) {
	return &upstream.Response{
		Status: http.StatusOK, ContentLength: -1,
		Header: []upstream.Field{{Name: "Content-Type", Value: p.contentType}},
		Body:   &piecesBody{p.next(string(r.Body))},
	}, nil
}

type piecesBody struct{ left []string }

func (b *piecesBody) Close() error  { return nil }
func (b *piecesBody) Buffered() int { return 0 }

func (b *piecesBody) Read(p []byte) (int, error) {
	for len(b.left) > 0 && b.left[0] == "" {
		b.left = b.left[1:]
	}
	if len(b.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.left[0])
	b.left[0] = b.left[0][n:]
	return n, nil
}
