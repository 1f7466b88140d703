package downstream

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alertSpy records whether a TLS client was told that the session ends: the type of the last record is readable.
type alertSpy struct {
	net.Conn
	last byte
	left int
	head []byte
}

func (s *alertSpy) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	for _, b := range p[:n] {
		if s.left > 0 {
			s.left--
			continue
		}
		if s.head = append(s.head, b); len(s.head) == 5 {
			s.last, s.left, s.head = s.head[0], int(s.head[3])<<8|int(s.head[4]), nil
		}
	}
	return n, err
}

func TestATLSClientIsToldThatItsConnectionEnds(t *testing.T) {
	for name, ends := range map[string]func(*Server) error{
		"by an answer that closes": nil,
		"by a shutdown":            func(s *Server) error { return s.Shutdown(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			s, addr, _ := startServer(t, http.HandlerFunc(script), Options{TLS: newCertificate(t)})
			raw, err := net.Dial("tcp", addr)
			require.NoError(t, err)
			require.NoError(t, raw.SetDeadline(time.Now().Add(generous)))
			spy := &alertSpy{Conn: raw}
			c := tls.Client(spy, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}) // of a test
			defer func() { _ = c.Close() }()
			say(t, c, post("/echo", "x"))
			require.Contains(t, readAnswer(t, c), "/echo")
			if ends == nil {
				say(t, c, get("/close"))
			} else {
				require.NoError(t, ends(s))
			}
			_, err = io.Copy(io.Discard, c)
			require.NoError(t, err)
			assert.Equal(t, byte(21), spy.last, "the last record is an alert")
		})
	}
}

func TestAClientThatSpeaksPlainHTTPToATLSPortIsToldSo(t *testing.T) {
	for loop, netHTTP := range loops {
		t.Run(loop, func(t *testing.T) {
			_, addr, said := startServer(t, http.HandlerFunc(script), Options{TLS: newCertificate(t), NetHTTP: netHTTP})
			assert.Contains(t, sendBytes(t, addr, get("/echo")), "this port expects HTTPS")
			assert.Contains(t, said.String(), "TLS handshake with")
		})
	}
}

func TestAHandshakeThatDoesNotEndIsCut(t *testing.T) {
	s, addr, _ := startServer(t, http.HandlerFunc(script), Options{TLS: newCertificate(t), Head: 50 * time.Millisecond})
	c := dial(t, addr, false)
	say(t, c, "\x16\x03\x01") // the start of a record
	assertClosed(t, c)
	require.Eventually(t, func() bool { return s.running.Load() == 0 }, generous, time.Millisecond)
}

func TestASilentTLSConnectionDoesNotHoldAShutdownUp(t *testing.T) {
	for name, shakes := range map[string]bool{"before its handshake": false, "after its handshake": true} {
		t.Run(name, func(t *testing.T) {
			s, addr, _ := startServer(t, http.HandlerFunc(script), Options{TLS: newCertificate(t), Head: time.Second})
			c := dial(t, addr, true)
			if shakes {
				require.NoError(t, c.(*tls.Conn).Handshake())
			}
			require.Eventually(t, func() bool { return len(s.clients.listClients()) == 1 }, generous, time.Millisecond)
			require.NoError(t, s.Shutdown(t.Context()))
			assertClosed(t, c)
		})
	}
}

// A plain request, one that net/http must read, and a plain one again, in one record: the session changes hands with
// what was decrypted of it.
func TestATLSSessionIsHandedOverWithWhatWasRead(t *testing.T) {
	_, addr, _ := startServer(t, http.HandlerFunc(script), Options{TLS: newCertificate(t)})
	c := dial(t, addr, true)
	put := "PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
	say(t, c, post("/echo", "first")+put+post("/echo", "last")+end)
	b, err := io.ReadAll(c)
	require.NoError(t, err)
	for _, want := range []string{"first", "PUT /echo", "last", "bye"} {
		assert.Equal(t, 1, strings.Count(string(b), want), want)
	}
}

func BenchmarkServeTLS(b *testing.B) {
	for loop, netHTTP := range loops {
		b.Run(loop, func(b *testing.B) {
			_, addr, _ := startServer(b, http.HandlerFunc(script), Options{TLS: newCertificate(b), NetHTTP: netHTTP})
			c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true}) // of a test
			require.NoError(b, err)
			defer func() { _ = c.Close() }()
			ask, buf := []byte(post("/declared", strings.Repeat("x", 1000))), make([]byte, 4<<10)
			for b.Loop() {
				_, err := c.Write(ask)
				require.NoError(b, err)
				for n := 0; n < 1100; {
					m, err := c.Read(buf)
					require.NoError(b, err, fmt.Sprint(n))
					n += m
				}
			}
		})
	}
}
