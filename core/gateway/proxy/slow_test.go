package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drip sends a request whose body arrives one byte at a time, and returns the answer.
func drip(t *testing.T, g *gate, key, path string) answer {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(generous)))
	_, err = fmt.Fprintf(
		conn,
		"POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
		path,
		key,
	)
	require.NoError(t, err)
	done := make(chan struct{})
	defer func() { <-done }()
	defer func() { _ = conn.Close() }()
	go func() {
		defer close(done)
		assert.Eventually(t, func() bool {
			_, err := io.WriteString(conn, " ")
			return err != nil
		}, generous, 10*time.Millisecond)
	}()
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	_, err = r.ReadByte()
	require.Error(t, err, "the connection is closed")
	require.False(t, isTimeout(err), "it is closed at once")
	return answer{status: res.StatusCode, header: res.Header, body: string(b)}
}

func TestABodyThatComesTooSlowlyIsRefusedInTheClientsShape(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions": `"code":"request_timeout"`,
		"/v1/completions":      `"code":"request_timeout"`,
		"/v1/embeddings":       `"code":"request_timeout"`,
		"/v1/responses":        `"code":"request_timeout"`,
		"/v1/messages":         `{"type":"error","error":{"type":"invalid_request_error"`,
		"/v1/gen/v1beta/models/mock-echo:generateContent": `"code":408`,
		"/v1/ide/chat/completions":                        `"code":"request_timeout"`,
		"/v1/budget/estimate":                             `"code":"request_timeout"`,
	} {
		t.Run(path, func(t *testing.T) {
			g := open(t, setup{listens: true, patience: 100 * time.Millisecond})
			a := drip(t, g, g.key["dev"], path)
			assert.Equal(t, 408, a.status, a.body)
			assert.Contains(t, a.body, want)
			assert.Contains(t, a.body, "too slowly")
			assert.Equal(t, "application/json", a.header.Get("Content-Type"))
			assert.NotEmpty(t, a.header.Get("X-Trace-Id"))
			if path != "/v1/budget/estimate" {
				res := g.outcome()
				assert.Equal(t, "refused", res["outcome"])
				assert.InDelta(t, 408, res["status"], 0)
			}
		})
	}
}

// net/http searches for the next request after a body that was not read.
func TestARefusedRequestDoesNotKeepItsConnectionForASlowBody(t *testing.T) {
	g := open(t, setup{listens: true, patience: 100 * time.Millisecond})
	for path, status := range map[string]int{"/v1/chat/completions": 401, "/v1/nothing": 404} {
		assert.Equal(t, status, drip(t, g, "wrong", path).status)
	}
}

func TestALargeBodyMayTakeItsTime(t *testing.T) {
	const patience = 300 * time.Millisecond
	g := open(
		t,
		setup{listens: true, patience: patience, maxBody: 1 << 20, url: newFake(t, says(buildWhole(200, "application/json", completion("x")))).url},
	)
	body, pipe := io.Pipe()
	go func() {
		text := chat(strings.Repeat("x", 400<<10))
		pace := time.NewTicker(patience / 10)
		defer pace.Stop()
		for len(text) > 0 { // for longer than the timeout, but 20 KiB at a time
			n := min(len(text), 20<<10)
			_, _ = io.WriteString(pipe, text[:n])
			text = text[n:]
			<-pace.C
		}
		_ = pipe.Close()
	}()
	a := g.do(g.request("dev", body))
	assert.Equal(t, 200, a.status, a.body)
	// The connection is kept for the next request, whose answer may take longer than any body.
	assert.Equal(t, 200, g.post("dev", chat("x")).status)
}

// The limit is for bodies: an answer may take longer.
func TestASlowAnswerIsNotASlowBody(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(answer) })
	defer release()
	up := newFake(t, func(c net.Conn, _ sent) {
		close(asked)
		<-answer
		_, _ = io.WriteString(c, buildWhole(200, "application/json", completion("x")))
	})
	g := open(t, setup{listens: true, patience: 100 * time.Millisecond, url: up.url})
	status := make(chan int, 1)
	go func() { status <- g.post("dev", chat("x")).status }()
	<-asked
	for range 2 { // bodies that begin now reach their timeout
		assert.Equal(t, 408, drip(t, g, g.key["dev"], "/v1/chat/completions").status)
	}
	release()
	assert.Equal(t, 200, <-status)
}
