package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// hungUp waits until the peer of a connection has closed it.
func hungUp(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(generous))
	_, err := c.Read(make([]byte, 1))
	return err != nil && !isTimeout(err)
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error) // as the network delivers it
	return ok && e.Timeout()
}

func TestAClientThatHangsUpEndsTheCallAndIsBooked(t *testing.T) {
	for _, c := range []struct {
		name     string
		streamed bool
		raw      string // what the provider sends before it stalls
		reads    string // what the client waits for before it hangs up
		status   float64
	}{
		{name: "before the first byte, whole", status: 499},
		{name: "before the first byte, streamed", streamed: true, status: 499},
		{name: "while a whole answer arrives", raw: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", status: 499},
		{name: "in the middle of a stream", streamed: true, raw: streamHead + chunk(roleEvent+textEvent("one")), reads: "one", status: 200},
	} {
		runOnBoth(t, c.name, func(t *testing.T, listens bool) {
			asked, gone := make(chan struct{}), make(chan bool, 1)
			g := open(t, setup{listens: listens, chain: redacting(t, ""), url: newFake(t, func(conn net.Conn, _ sent) {
				_, _ = io.WriteString(conn, c.raw)
				close(asked)
				gone <- hungUp(conn)
			}).url})
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			ended := make(chan error, 1)
			seen := make(chan struct{})
			go func() {
				res, err := http.DefaultTransport.RoundTrip(g.request("dev", strings.NewReader(chatBody("hi", c.streamed))).WithContext(ctx))
				if err == nil {
					r := bufio.NewReader(res.Body)
					for line := ""; err == nil && (c.reads == "" || !strings.Contains(line, c.reads)); {
						line, err = r.ReadString('\n')
					}
					close(seen)
					_, err = io.Copy(io.Discard, r)
					_ = res.Body.Close()
				}
				ended <- err
			}()
			<-asked
			if c.reads != "" {
				<-seen
			}
			leave()
			require.Error(t, <-ended)
			assert.True(t, <-gone, "the call to the provider is cancelled")
			res := g.outcome()
			assert.Equal(t, "client_gone", res["outcome"])
			assert.InDelta(t, c.status, res["status"], 0)
			assert.Equal(t, false, res["complete"])
		})
	}
}

// waits is a stage that waits until the client hangs up.
type waits struct{ begun chan struct{} }

func (w waits) Check(ctx context.Context, _ *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	close(w.begun)
	<-ctx.Done()
	return core.Verdict{}, ctx.Err()
}

func TestAClientThatHangsUpInTheChainIsBooked(t *testing.T) {
	runOnBoth(t, "in a stage", func(t *testing.T, listens bool) {
		st := waits{make(chan struct{})}
		up := newFake(t, says(buildWhole(200, "application/json", completion("x"))))
		g := open(t, setup{listens: listens, url: up.url, links: []chain.Link{link("waits", st, core.Request)}})
		ctx, leave := context.WithCancel(context.Background())
		go func() { <-st.begun; leave() }()
		res, err := http.DefaultTransport.RoundTrip(g.request("dev", strings.NewReader(chat("hi"))).WithContext(ctx))
		if err == nil {
			_ = res.Body.Close()
		}
		require.Error(t, err)
		assert.Equal(t, "client_gone", g.outcome()["outcome"])
		assert.Empty(t, up.requests())
	})
}

// runOnBoth runs a test on a plain server, whose connections do not implement Hangup, and on the gateway's own.
func runOnBoth(t *testing.T, name string, f func(t *testing.T, listens bool)) {
	t.Run(name, func(t *testing.T) { f(t, false) })
	t.Run(name+", on the gateway's server", func(t *testing.T) { f(t, true) })
}

// A client that closes its half of the connection counts as gone, but still reads.
func TestAClientThatClosesItsHalfIsToldNoSuccess(t *testing.T) {
	runOnBoth(t, "", func(t *testing.T, listens bool) {
		asked := make(chan struct{})
		g := open(t, setup{listens: listens, url: newFake(t, func(conn net.Conn, _ sent) {
			close(asked)
			hungUp(conn)
		}).url})
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		require.NoError(t, g.request("dev", strings.NewReader(chat("hi")), "X-Trace-Id", "its-own").Write(conn))
		<-asked
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(generous)))
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, 499, res.StatusCode)
		assert.Equal(t, "its-own", res.Header.Get("X-Trace-Id"))
	})
}
