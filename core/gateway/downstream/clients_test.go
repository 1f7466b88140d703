package downstream

import (
	"bufio"
	"crypto/tls"
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

// ways are the ways in which a connection can be served, by what makes a request use them.
var ways = map[string]struct {
	mark   string // a line in the request's head
	secure bool
}{
	"plain":       {},
	"by net/http": {mark: "Pragma: no-cache\r\n"},
	"over TLS":    {secure: true},
}

// startWatched starts a server with limits. A request to /wait is answered when release is closed.
func startWatched(t *testing.T, head, idle time.Duration, secure bool) (addr string, l *clients, release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	o := Options{Head: head, Idle: idle, Body: long}
	if secure {
		o.TLS = newCertificate(t)
	}
	s, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			<-release
		}
		_, _ = io.Copy(w, r.Body)
	}), o)
	return addr, s.clients, release
}

// newCertificate returns an untrusted certificate.
func newCertificate(t testing.TB) *tls.Config {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	s.Close()
	return &tls.Config{Certificates: s.TLS.Certificates} // of a test
}

// certifiedIf returns certified settings if secure is set.
func certifiedIf(t *testing.T, secure bool) *tls.Config {
	t.Helper()
	if !secure {
		return nil
	}
	return newCertificate(t)
}

func dial(t *testing.T, addr string, secure bool) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	if secure {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true}) // of a test
	}
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(generous)))
	return c
}

func say(t *testing.T, c net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
}

// readAnswer reads one answer.
func readAnswer(t *testing.T, c net.Conn) string {
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
	assert.Empty(t, b, "closed without an answer")
}

func assertNoneIsOpen(t *testing.T, l *clients) {
	t.Helper()
	assert.Eventually(t, func() bool { return len(l.listClients()) == 0 }, generous, time.Millisecond)
}

func TestAClientThatIsSlowWithItsHeadIsCutOff(t *testing.T) {
	for name, begins := range map[string]string{
		"nothing sent":      "",
		"a part of a head":  "POST /x HTTP/1.1\r\nHost: x\r\n",
		"half of a request": "PO",
		"of another kind":   "PUT /x HTTP/1.1\r\nHost: x\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			addr, l, _ := startWatched(t, short, long, false)
			c := dial(t, addr, false)
			say(t, c, begins)
			assertClosed(t, c)
			assertNoneIsOpen(t, l)
		})
	}
	for name, way := range ways {
		t.Run("the second request of a connection, "+name, func(t *testing.T) {
			addr, _, _ := startWatched(t, generous/4, long, way.secure)
			c := dial(t, addr, way.secure)
			say(t, c, "POST / HTTP/1.1\r\nHost: x\r\n"+way.mark+"Content-Length: 2\r\n\r\nhi")
			assert.Equal(t, "hi", readAnswer(t, c))
		})
		t.Run("the second request of a connection is cut off, "+name, func(t *testing.T) {
			addr, l, _ := startWatched(t, short, long, way.secure)
			c := dial(t, addr, way.secure)
			say(t, c, "POST / HTTP/1.1\r\nHost: x\r\n"+way.mark+"Content-Length: 2\r\n\r\nhi")
			assert.Equal(t, "hi", readAnswer(t, c))
			// The bytes before may be read by TLS with the end of the first request; then the limit of idle clients applies.
			require.Eventually(t, func() bool {
				all := l.listClients()
				return len(all) == 1 && all[0].waits.Load()&3 == forRequest
			}, generous, time.Millisecond)
			say(t, c, "POST / HT")
			assertClosed(t, c)
		})
	}
	t.Run("over TLS, before the handshake", func(t *testing.T) {
		addr, _, _ := startWatched(t, short, long, true)
		assertClosed(t, dial(t, addr, false))
	})
}

func TestAClientThatDripsItsHeadIsCutOffToo(t *testing.T) {
	addr, _, _ := startWatched(t, short, long, false)
	c := dial(t, addr, false)
	require.Eventually(t, func() bool {
		_, err := io.WriteString(c, "P")
		return err != nil
	}, generous, short/10, "the connection is still open")
}

func TestAnIdleClientIsCutOff(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			addr, l, _ := startWatched(t, long, short, way.secure)
			c := dial(t, addr, way.secure)
			say(t, c, "POST / HTTP/1.1\r\nHost: x\r\n"+way.mark+"Content-Length: 2\r\n\r\nhi")
			assert.Equal(t, "hi", readAnswer(t, c))
			assertNoneIsOpen(t, l)
		})
	}
}

func TestAClientIsNotCutOffWhileItIsServed(t *testing.T) {
	for name, begins := range map[string]string{
		"a slow answer":              "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
		"a slow body":                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nh",
		"a slow answer, by net/http": "POST /wait HTTP/1.1\r\nHost: x\r\nPragma: x\r\nContent-Length: 2\r\n\r\nhi",
		"a slow body, by net/http":   "POST / HTTP/1.1\r\nHost: x\r\nPragma: x\r\nContent-Length: 2\r\n\r\nh",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, l, release := startWatched(t, short, short, false)
			c := dial(t, addr, false)
			say(t, c, begins)
			from := l.clock.Load()
			require.Eventually(t, func() bool { return l.clock.Load() >= from+40 }, generous, time.Millisecond) // five times the limit
			close(release)
			if strings.HasSuffix(begins, "h") {
				say(t, c, "i")
			}
			assert.Equal(t, "hi", readAnswer(t, c))
		})
	}
}

func TestAConnectionServesManyRequests(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			addr, _, _ := startWatched(t, long, long, way.secure)
			c := dial(t, addr, way.secure)
			for range 50 {
				say(t, c, "POST / HTTP/1.1\r\nHost: x\r\n"+way.mark+"Content-Length: 2\r\n\r\nhi")
				require.Equal(t, "hi", readAnswer(t, c))
			}
		})
	}
}
