package downstream

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// await waits until something arrives.
func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(generous):
		require.Fail(t, "it never arrives")
		panic("unreachable")
	}
}

func TestAClientThatLeavesDuringALongRequestIsHeard(t *testing.T) {
	for name, way := range ways {
		for what, sent := range map[string]string{
			"without a body": "GET / HTTP/1.1\r\nHost: x\r\n" + way.mark + "\r\n",
			"with a body":    "POST / HTTP/1.1\r\nHost: x\r\n" + way.mark + "Content-Length: 2\r\n\r\nhi",
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				asked, gone, after := make(chan struct{}), make(chan error), make(chan struct{})
				h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					context.AfterFunc(r.Context(), func() { close(after) })
					child, cancel := context.WithTimeout(r.Context(), time.Hour)
					defer cancel()
					close(asked)
					<-child.Done()
					gone <- r.Context().Err()
				})
				o := Options{}
				if way.secure {
					o.TLS = newCertificate(t)
				}
				_, addr, _ := startServer(t, h, o)
				c := dial(t, addr, way.secure)
				say(t, c, sent)
				await(t, asked)
				require.NoError(t, c.Close())
				require.ErrorIs(t, await(t, gone), context.Canceled)
				await(t, after)
			})
		}
	}
}

func TestAnExchangeIsToldThatItsClientHasLeft(t *testing.T) {
	left := make(chan struct{})
	asked := make(chan struct{})
	_, addr, _ := startServer(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		h := FindHangup(r.Context())
		assert.NotNil(t, h)
		close(asked)
		<-r.Context().Done()
		close(left)
	}), Options{})
	c := dial(t, addr, false)
	say(t, c, get("/"))
	await(t, asked)
	require.NoError(t, c.Close())
	await(t, left)
}

func TestAClientThatLeavesInItsBodyEndsTheRequest(t *testing.T) {
	ended := make(chan error, 1)
	_, addr, _ := startServer(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		<-r.Context().Done()
		ended <- err
	}), Options{})
	c := dial(t, addr, false)
	say(t, c, post("/", "hi")[:len(post("/", "hi"))-1])
	require.NoError(t, c.Close())
	require.ErrorIs(t, await(t, ended), io.ErrUnexpectedEOF)
}

func TestARequestThatHasEndedSaysSo(t *testing.T) {
	contexts := make(chan context.Context, 2)
	bodies := make(chan io.ReadCloser, 2)
	_, addr, _ := startServer(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		contexts <- r.Context()
		bodies <- r.Body
	}), Options{})
	c := dial(t, addr, false)
	say(t, c, post("/", "hi"))
	require.Empty(t, readAnswer(t, c))
	ctx := <-contexts
	await(t, ctx.Done())
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	fired := make(chan struct{})
	context.AfterFunc(ctx, func() { close(fired) })
	await(t, fired)
	say(t, c, get("/")) // which ensures that the first has ended completely
	require.Empty(t, readAnswer(t, c))
	_, err := (<-bodies).Read(make([]byte, 1))
	require.Error(t, err)
	assert.NotErrorIs(t, err, io.EOF)
}

func TestTheLooksForLongRequestsSleepWhileThereAreNone(t *testing.T) {
	s, addr, _ := startServer(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), Options{})
	release := make(chan struct{})
	busy, busyAddr, _ := startServer(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }), Options{})
	defer close(release)
	say(t, dial(t, busyAddr, false), get("/"))
	c := dial(t, addr, false)
	for range 2 {
		say(t, c, get("/"))
		require.Empty(t, readAnswer(t, c))
		require.Eventually(t, s.watcher.asleep.Load, generous, watchTick)
		ticks := s.watcher.tick.Load()
		from := busy.watcher.tick.Load()
		require.Eventually(t, func() bool { return busy.watcher.tick.Load() > from+3 }, generous, watchTick)
		assert.Equal(t, ticks, s.watcher.tick.Load())
	}
}
