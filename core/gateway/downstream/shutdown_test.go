package downstream

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stopping is a server that the test shuts down, while it serves a request to /wait.
func stopping(t *testing.T, mark string, secure bool) (s *Server, addr string, running, idle, fresh net.Conn, release chan struct{}) {
	release = make(chan struct{})
	asked := make(chan struct{}, 1)
	s, addr, _ = startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			asked <- struct{}{}
			<-release
		}
		_, _ = io.WriteString(w, "answer")
	}), Options{TLS: certifiedIf(t, secure)})
	running, idle, fresh = dial(t, addr, secure), dial(t, addr, secure), dial(t, addr, secure)
	say(t, idle, "GET / HTTP/1.1\r\nHost: x\r\n"+mark+"\r\n")
	require.Equal(t, "answer", readAnswer(t, idle))
	say(t, running, "GET /wait HTTP/1.1\r\nHost: x\r\n"+mark+"\r\n")
	await(t, asked)
	return s, addr, running, idle, fresh, release
}

func TestAShutdownLetsRequestsEndAndTakesNoMore(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			s, addr, running, idle, fresh, release := stopping(t, way.mark, way.secure)
			done := make(chan error, 1)
			go func() { done <- s.Shutdown(context.Background()) }()
			assertClosed(t, idle)
			require.Eventually(t, func() bool {
				c, err := net.Dial("tcp", addr)
				if err == nil {
					_ = c.Close()
				}
				return err != nil
			}, generous, time.Millisecond)
			select {
			case err := <-done:
				require.Fail(t, "the shutdown ended before the request", "%v", err)
			default:
			}
			close(release)
			res, err := http.ReadResponse(bufio.NewReader(running), nil)
			require.NoError(t, err)
			b, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			assert.Equal(t, "answer", string(b))
			assert.True(t, res.Close, "the client is told that the connection ends")
			require.NoError(t, fresh.Close())
			require.NoError(t, await(t, done))
		})
	}
}

func TestAShutdownThatTakesTooLongSaysSoAndCloseCuts(t *testing.T) {
	s, _, running, _, _, release := stopping(t, "", false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
	require.NoError(t, s.Close())
	_, err := running.Read(make([]byte, 1))
	require.Error(t, err)
	close(release)
}

func TestAConnectionThatNothingComesOnDoesNotHoldAShutdownUp(t *testing.T) {
	s, addr, _ := startServer(t, http.HandlerFunc(script), Options{Head: time.Second})
	c := dial(t, addr, false)
	require.Eventually(t, func() bool { return len(s.clients.listClients()) == 1 }, generous, time.Millisecond)
	require.NoError(t, s.Shutdown(context.Background()))
	assertClosed(t, c)
}

func TestAPanicEndsItsConnectionAloneAndItsWordsAreNotLogged(t *testing.T) {
	_, addr, said := startServer(t, http.HandlerFunc(script), Options{})
	other := dial(t, addr, false)
	c := dial(t, addr, false)
	say(t, c, get("/panic"))
	assertClosed(t, c)
	say(t, other, post("/echo", "x"))
	assert.Contains(t, readAnswer(t, other), "/echo")
	assert.Contains(t, said.String(), "a value of type string")
	assert.NotContains(t, said.String(), "hidden-words")
}
