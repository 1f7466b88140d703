package downstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines is a log that tests can read.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startServer starts a server of this package for a handler.
func startServer(t testing.TB, h http.Handler, o Options) (*Server, string, *lines) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	said := new(lines)
	o.Handler, o.MaxHeader, o.Log = h, 64<<10, log.New(said, "", 0)
	s := New(l, o)
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		err := <-served
		assert.True(t, errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed), "%v", err)
	})
	return s, l.Addr().String(), said
}

// sendBytes sends bytes, waits for the server to close the connection, and returns what the server sent.
func sendBytes(t *testing.T, addr string, sent string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	require.NoError(t, c.SetDeadline(time.Now().Add(generous)))
	return spokenOn(t, c, sent)
}

// spokenOn is spoken on an open connection, which it closes.
func spokenOn(t *testing.T, c net.Conn, sent string) string {
	t.Helper()
	defer func() { _ = c.Close() }()
	go func() { _, _ = io.WriteString(c, sent) }()
	b, err := io.ReadAll(c)
	if err != nil {
		require.ErrorContains(t, err, "reset")
	}
	return regexp.MustCompile(`Date: [^\r]*`).ReplaceAllString(string(b), "Date: now")
}

// script is a handler whose behaviour the path selects.
func script(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	body := func() string { b, _ := io.ReadAll(r.Body); return string(b) }
	say := func(s string) { _, _ = w.Write([]byte(s)) }
	switch r.URL.Path {
	case "/echo":
		say(r.Method + " " + r.RequestURI + " " + r.URL.RawQuery + " " + r.Host + " " + fmt.Sprint(r.ContentLength) + " " + body())
	case "/header":
		for _, name := range []string{"Accept", "Authorization", "X-One", "Content-Type", "Content-Length", "Host", "User-Agent"} {
			say(fmt.Sprintf("%s=%q\n", name, r.Header[name]))
		}
	case "/declared":
		b := body()
		h["Content-Type"], h["Content-Length"], h["X-B"], h["X-A"] = []string{
			"application/json",
		}, []string{
			fmt.Sprint(len(b)),
		}, []string{
			"2",
		}, []string{
			"1",
			"one",
		}
		w.WriteHeader(201)
		say(b)
	case "/untyped":
		h.Set("Content-Length", "6")
		say("<html>")
	case "/nothing":
	case "/status":
		w.WriteHeader(499)
	case "/204":
		h.Set("Content-Length", "3")
		w.WriteHeader(204)
		say("abc")
	case "/304":
		h.Set("Content-Type", "text/plain")
		h.Set("Etag", `"x"`)
		w.WriteHeader(304)
	case "/stream":
		h.Set("Content-Type", "text/event-stream")
		for i := range 3 {
			say(fmt.Sprintf("data: %d\n\n", i))
			w.(http.Flusher).Flush()
		}
	case "/large":
		h.Set("Content-Type", "text/plain")
		for range 30 {
			_, _ = io.WriteString(w, strings.Repeat("x", 300))
		}
	case "/huge":
		h.Set("Content-Type", "text/plain")
		h.Set("Content-Length", "100000")
		say(strings.Repeat("y", 50_000))
		say(strings.Repeat("z", 50_000))
	case "/close":
		h.Set("Connection", "close")
		say("bye")
	case "/short":
		h.Set("Content-Length", "10")
		say("short")
	case "/long":
		h.Set("Content-Length", "3")
		_, err := io.WriteString(w, "long")
		if errors.Is(err, http.ErrContentLength) {
			say("err")
		}
	case "/twice":
		w.WriteHeader(202)
		w.WriteHeader(500)
		h.Set("X-Late", "1")
		say("ok")
	case "/odd":
		h.Set("X-Lines", " a\r\nb ")
		h["X Not A Name"] = []string{"x"}
		h.Set("Date", "yesterday")
		say("ok")
	case "/early":
		h.Set("Link", "</x>")
		w.WriteHeader(103)
		h.Set("Content-Type", "text/plain")
		say("later")
	case "/panic":
		panic("hidden-words")
	case "/half":
		h.Set("Content-Length", "10")
		say("half")
		panic(http.ErrAbortHandler)
	case "/first": // answers, then reads
		h.Set("Content-Type", "text/plain")
		_, _ = w.Write(bytes.Repeat([]byte("x"), 3000))
		b, err := io.ReadAll(r.Body)
		say(fmt.Sprint(len(b), " ", err))
	case "/torn":
		say("one")
		w.(http.Flusher).Flush()
		say("two")
		panic(http.ErrAbortHandler)
	case "/whole":
		h.Set("Content-Length", "2")
		say("ok")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case "/unsent":
		h.Set("Content-Type", "text/plain")
		h.Set("Content-Length", "2")
		say("ok")
		panic(http.ErrAbortHandler)
	case "/pieces":
		h.Set("Content-Length", "13")
		say("<ht")
		say("ml>hello yo")
	case "/some":
		b := make([]byte, 3)
		n, err := io.ReadFull(r.Body, b)
		say(fmt.Sprintf("%q %v", b[:n], err))
	case "/shut":
		_ = r.Body.Close()
		b, err := io.ReadAll(r.Body)
		say(fmt.Sprint(len(b), " ", err))
	case "/encoded":
		h.Set("Content-Encoding", "gzip")
		say("\x1f\x8b")
	}
}
