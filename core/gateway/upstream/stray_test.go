package upstream_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// stray is what a provider writes after its answer, in pieces.
type stray struct {
	pieces []string
	late   bool // after the caller has read its answer
	joined bool // in one write with the answer
}

const forgedAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

var strays = map[string]stray{
	"behind the answer":          {pieces: []string{forgedAnswer}},
	"behind the answer in parts": {pieces: []string{forgedAnswer[:4], forgedAnswer[4:]}},
	"late":                       {pieces: []string{forgedAnswer}, late: true},
	"late and in parts":          {pieces: []string{forgedAnswer[:1], forgedAnswer[1:20], forgedAnswer[20:]}, late: true},
	"late and unfinished":        {pieces: []string{forgedAnswer[:9]}, late: true},
	"a late interim answer":      {pieces: []string{"HTTP/1.1 100 Continue\r\n\r\n"}, late: true},
	"a late byte":                {pieces: []string{"\n"}, late: true},
}

// The caller sends its next request as soon as the stray bytes are in its socket: a busy gateway reuses a connection
// within microseconds.
func TestAStrayAnswerOfAProviderGoesToNoCaller(t *testing.T) {
	for name, s := range strays {
		t.Run(name, func(t *testing.T) {
			t.Run("plain", func(t *testing.T) {
				runOnBoth(t, func(t *testing.T, c upstream.Client) { callBesideStrays(t, c, s, serveRaw) })
			})
			t.Run("TLS", func(t *testing.T) {
				cert, roots := newCertificate(t)
				bothTLS(t, &tls.Config{RootCAs: roots}, func(t *testing.T, c upstream.Client) {
					callBesideStrays(t, c, s, func(t testing.TB, handle func(net.Conn, *bufio.Reader)) *provider {
						return serveTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, handle)
					})
				})
			})
		})
	}
}

func callBesideStrays(t *testing.T, c upstream.Client, s stray, serve func(testing.TB, func(net.Conn, *bufio.Reader)) *provider) {
	const calls = 5
	read, sent, closed := make(chan bool, calls), make(chan bool, calls), make(chan bool, calls)
	p := serve(t, func(conn net.Conn, r *bufio.Reader) {
		for {
			if _, _, ok := readRequest(r); !ok {
				closed <- true
				return
			}
			pieces := s.pieces
			if s.joined {
				pieces = []string{okAnswer + strings.Join(s.pieces, "")}
			} else {
				_, _ = io.WriteString(conn, okAnswer)
			}
			if s.late {
				select {
				case <-read:
				case <-t.Context().Done():
					return
				}
			}
			for _, piece := range pieces {
				_, _ = io.WriteString(conn, piece)
			}
			sent <- true
		}
	})
	for range calls {
		_, body, err := callAll(c, post(p.url, "{}"))
		require.NoError(t, err)
		assert.Equal(t, "ok", body)
		if s.late {
			read <- true
		}
		<-sent
		if _, ok := c.(*upstream.Transport); ok {
			<-closed // net/http reads in the background, and closes the connection once it has seen the bytes
		}
	}
	assert.EqualValues(t, calls, p.conns.Load(), "no connection is reused")
}
