package server

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	short    = 60 * time.Millisecond
	long     = time.Hour
	generous = 20 * time.Second
)

// watched serves with limits. A request to /wait is answered when release is closed.
func watched(t *testing.T, head, idle time.Duration, secure bool) (s *httptest.Server, l *clients, release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			<-release
		}
		_, _ = io.Copy(w, r.Body)
	}))
	l = watchClients(s.Listener, limits{head: head, idle: idle, body: long})
	s.Listener = l
	hooks(s.Config)
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s, l, release
}

func dial(t *testing.T, s *httptest.Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(generous)))
	return c
}

func say(t *testing.T, c net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
}

// answer reads one answer.
func answered(t *testing.T, c net.Conn) string {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}

func assertClosed(t *testing.T, c net.Conn) {
	t.Helper()
	b, err := io.ReadAll(c)
	if err != nil {
		require.ErrorContains(t, err, "reset")
	}
	assert.Empty(t, b, "closed without a word")
}

func TestAClientThatIsSlowWithItsHeadIsCutOff(t *testing.T) {
	for name, begins := range map[string]string{
		"nothing sent":      "",
		"a part of a head":  "POST /x HTTP/1.1\r\nHost: x\r\n",
		"half of a request": "PO",
	} {
		t.Run(name, func(t *testing.T) {
			s, l, _ := watched(t, short, long, false)
			c := dial(t, s)
			say(t, c, begins)
			assertClosed(t, c)
			assert.Eventually(t, func() bool { l.mu.Lock(); defer l.mu.Unlock(); return len(l.open) == 0 }, generous, time.Millisecond)
		})
	}
	t.Run("the second request of a connection", func(t *testing.T) {
		s, _, _ := watched(t, short, long, false)
		c := dial(t, s)
		say(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
		assert.Equal(t, "hi", answered(t, c))
		say(t, c, "POST / HT")
		assertClosed(t, c)
	})
	t.Run("over TLS, before the handshake", func(t *testing.T) {
		s, _, _ := watched(t, short, long, true)
		assertClosed(t, dial(t, s))
	})
}

func TestAClientThatDripsItsHeadIsCutOffToo(t *testing.T) {
	s, _, _ := watched(t, short, long, false)
	c := dial(t, s)
	for end := time.Now().Add(generous); time.Now().Before(end); time.Sleep(short / 10) {
		if _, err := io.WriteString(c, "P"); err != nil {
			return
		}
	}
	t.Fatal("the connection is still open")
}

func TestAnIdleClientIsCutOff(t *testing.T) {
	for name, secure := range map[string]bool{"plain": false, "over TLS": true} {
		t.Run(name, func(t *testing.T) {
			s, l, _ := watched(t, long, short, secure)
			h := s.Client()
			res, err := h.Post(s.URL, "text/plain", strings.NewReader("hi"))
			require.NoError(t, err)
			_ = res.Body.Close()
			assert.Eventually(t, func() bool { l.mu.Lock(); defer l.mu.Unlock(); return len(l.open) == 0 }, generous, time.Millisecond)
		})
	}
}

func TestAClientIsNotCutOffWhileItIsServed(t *testing.T) {
	for name, begins := range map[string]string{
		"a slow answer": "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
		"a slow body":   "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nh",
	} {
		t.Run(name, func(t *testing.T) {
			s, l, release := watched(t, short, short, false)
			c := dial(t, s)
			say(t, c, begins)
			for from := l.clock.Load(); l.clock.Load() < from+40; { // five times the limit
				time.Sleep(time.Millisecond)
			}
			close(release)
			if strings.HasSuffix(begins, "h") {
				say(t, c, "i")
			}
			assert.Equal(t, "hi", answered(t, c))
		})
	}
}

func TestAConnectionServesManyRequests(t *testing.T) {
	s, _, _ := watched(t, long, long, false)
	c := dial(t, s)
	for range 50 {
		say(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
		require.Equal(t, "hi", answered(t, c))
	}
}
