package downstream

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// signAnswers returns the answer for one request only: its body, which the client derives from its name.
func signAnswers(running *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Add(-1)
		name := r.Header.Get("X-Name")
		w.Header().Set("X-Name", name)
		w.Header().Set("Content-Type", "text/plain")
		b, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		switch r.URL.Path {
		case "/declared":
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		case "/slow":
			select {
			case <-r.Context().Done():
			case <-time.After(3 * watchTick):
			}
		case "/stream":
			for len(b) > 1 {
				_, _ = w.Write(b[:len(b)/2])
				w.(http.Flusher).Flush()
				b = b[len(b)/2:]
			}
		case "/abort":
			_, _ = w.Write(b)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(b)
		if r.Header.Get("X-Name") != name || w.Header().Get("X-Name") != name {
			panic("the header belongs to another request")
		}
	}
}

// asked is a request and its expected answer.
type asked struct{ name, path, body string }

func (a asked) text(mark string) string {
	if a.body == "" {
		return "GET " + a.path + " HTTP/1.1\r\nHost: x\r\nX-Name: " + a.name + "\r\n" + mark + "\r\n"
	}
	return strings.Replace(post(a.path, a.body), "\r\n", "\r\nX-Name: "+a.name+"\r\n"+mark, 1)
}

// converses sends several requests at once, cut anywhere, and reads the answers, unless it hangs up first. A complete
// answer must be the right one. It returns false once the connection has ended.
func converses(t *testing.T, c net.Conn, r *bufio.Reader, rnd *rand.Rand, who string) bool {
	var sent strings.Builder
	var want []asked
	for i := range 1 + rnd.IntN(4) {
		a := asked{name: fmt.Sprint(who, "-", i), path: []string{"/", "/declared", "/stream", "/declared", "/slow", "/abort"}[rnd.IntN(6)]}
		a.body = strings.Repeat(a.name+" ", []int{0, 1, 3, 200, 4000}[rnd.IntN(5)])
		mark := ""
		if rnd.IntN(40) == 0 {
			mark = "Pragma: x\r\n"
		}
		sent.WriteString(a.text(mark))
		want = append(want, a)
	}
	text := sent.String()
	leaves := rnd.IntN(8) == 0
	if leaves {
		text = text[:rnd.IntN(len(text))]
	}
	cut := rnd.IntN(len(text) + 1)
	wrote := make(chan struct{})
	go func() { // all at once may exceed the connection's buffers while the answers are not read
		defer close(wrote)
		_, _ = io.WriteString(c, text[:cut])
		runtime.Gosched()
		_, _ = io.WriteString(c, text[cut:])
	}()
	defer func() { <-wrote }()
	if leaves {
		return false
	}
	for _, a := range want {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return false
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if !assert.Equal(t, a.name, res.Header.Get("X-Name")) {
			return false
		}
		if err != nil {
			assert.True(t, strings.HasPrefix(a.body, string(b)), "a part of another answer")
			return false
		}
		if !assert.NotEqual(t, "/abort", a.path, "a truncated answer looks complete") || !assert.Equal(t, a.body, string(b)) || res.Close {
			return false
		}
	}
	return true
}

func TestEveryAnswerBelongsToItsRequestWhateverOthersDo(t *testing.T) {
	before := runtime.NumGoroutine()
	for round := range 4 {
		secure := round >= 2
		var running, answered atomic.Int64
		s, addr, said := startServer(t, signAnswers(&running), Options{Head: time.Minute, Idle: time.Minute, Body: time.Minute, TLS: certifiedIf(t, secure)})
		var clients sync.WaitGroup
		for i := range 16 {
			clients.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(round), uint64(i))) // of a test
				for n := 0; ; n++ {
					c, err := net.Dial("tcp", addr)
					if err != nil {
						return // the server is shut down
					}
					_ = c.SetDeadline(time.Now().Add(generous))
					if secure {
						c = tls.Client(c, &tls.Config{InsecureSkipVerify: true}) // of a test
					}
					r := bufio.NewReader(c)
					for m := 0; converses(t, c, r, rnd, fmt.Sprint(i, "-", n, "-", m)); m++ {
						answered.Add(1)
					}
					_ = c.Close()
				}
			})
		}
		require.Eventually(t, func() bool { return answered.Load() > 100 }, generous, time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		if round%2 == 1 { // does not wait
			cancel()
		}
		if err := s.Shutdown(ctx); round%2 == 0 {
			require.NoError(t, err)
			assert.Zero(t, running.Load(), "a shutdown lets requests end")
		} else if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, s.Close())
		}
		cancel()
		clients.Wait()
		if !secure { // else of handshakes that the shutdown cut
			assert.Empty(t, said.String())
		}
		require.Eventually(t, func() bool { return len(s.clients.listClients()) == 0 && s.running.Load() == 0 }, generous, time.Millisecond)
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+8 }, generous, time.Millisecond, "leaked goroutines")
}
