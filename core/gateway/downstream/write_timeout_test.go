package downstream

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An answer larger than any socket buffer.
const hugeAnswer = 32 << 20

// sendLimited serves /huge, and /stream, which ends when stop is closed. failed receives the error of an answer.
func sendLimited(t *testing.T, send time.Duration, o Options) (addr string, l *clients, failed chan error, stop chan struct{}) {
	t.Helper()
	failed, stop = make(chan error, 10), make(chan struct{})
	o.Head, o.Idle, o.Body, o.Send = long, long, long, send
	s, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/huge" {
			_, err := w.Write(make([]byte, hugeAnswer))
			failed <- err
			return
		}
		piece := make([]byte, 4<<10)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, err := w.Write(piece)
			if err == nil {
				err = http.NewResponseController(w).Flush()
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}), o)
	return addr, s.clients, failed, stop
}

func TestAClientThatDoesNotTakeItsAnswerIsCutOff(t *testing.T) {
	for name, way := range ways {
		for loop, netHTTP := range loops {
			for _, path := range []string{"/huge", "/stream"} {
				t.Run(name+" of "+loop+path, func(t *testing.T) {
					o := Options{NetHTTP: netHTTP}
					if way.secure {
						o.TLS = newCertificate(t)
					}
					addr, l, failed, _ := sendLimited(t, short, o)
					c := dial(t, addr, way.secure)
					say(t, c, "POST "+path+" HTTP/1.1\r\nHost: x\r\n"+way.mark+"Content-Length: 2\r\n\r\nhi")
					require.Error(t, await(t, failed))
					assertNoneIsOpen(t, l)
				})
			}
		}
	}
}

// The client reads the required amount within each limit, over many times the limit.
func TestAClientThatTakesItsAnswerSlowlyIsServed(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{}
			if way.secure {
				o.TLS = newCertificate(t)
			}
			const limit = 2 * time.Second
			addr, l, _, stop := sendLimited(t, limit, o)
			c := dial(t, addr, way.secure)
			say(t, c, "POST /stream HTTP/1.1\r\nHost: x\r\n"+way.mark+"Content-Length: 2\r\n\r\nhi")
			require.Eventually(t, func() bool { return isWriting(l) }, generous, time.Millisecond)
			buf := make([]byte, 256<<10)
			for range 3 {
				from := l.clock.Load()
				require.Eventually(t, func() bool { return l.clock.Load() >= from+3 }, generous, time.Millisecond)
				_, err := io.ReadFull(c, buf)
				require.NoError(t, err)
			}
			close(stop)
			_, err := io.Copy(io.Discard, io.LimitReader(c, 1<<20))
			require.NoError(t, err)
		})
	}
}

func isWriting(l *clients) bool {
	all := l.listClients()
	return len(all) == 1 && all[0].out.writing.Load()
}

func TestATimeoutOfSendingCountsOnlyWhileAWriteWaits(t *testing.T) {
	l, c := net.Pipe()
	defer func() { _, _ = l.Close(), c.Close() }()
	of := &clients{tick: time.Second, send: 5 * time.Second}
	cl := newClient(of, l)
	checks := func(n int) (stalled bool) {
		for range n {
			stalled = cl.isStalled()
		}
		return stalled
	}
	assert.False(t, checks(100), "nothing is written")
	cl.out.writing.Store(true)
	assert.False(t, checks(5))
	cl.out.written.Add(answerStep - 1)
	assert.True(t, checks(1), "less than a step is not progress")
	cl.out.written.Add(1)
	assert.False(t, checks(6), "a step is progress")
	cl.out.writing.Store(false)
	assert.False(t, checks(100), "the model produces little, and the client has read it")
	cl.out.writing.Store(true)
	assert.False(t, checks(5), "so the timeout restarts")
	assert.True(t, checks(1))
}
