package downstream

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A client that does not read in time gets a truncated answer, and must be able to tell.
func TestAnAnswerThatCouldNotBeSentWhollyNeverLooksWhole(t *testing.T) {
	for name, declared := range map[string]bool{"of known length": true, "of unknown length": false} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan error, 1)
			_, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				h := w.Header()
				h.Set("Content-Type", "text/plain")
				if declared {
					h.Set("Content-Length", "1000000000")
				}
				if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(short)); err != nil {
					ended <- err
					return
				}
				part := []byte(strings.Repeat("x", 50_000))
				for {
					if _, err := w.Write(part); err != nil {
						_, again := w.Write(part[:1])
						assert.Equal(t, err, again)
						ended <- err
						return
					}
				}
			}), Options{})
			c := dial(t, addr, false)
			say(t, c, get("/")+get("/"))
			var timeout net.Error
			require.ErrorAs(t, await(t, ended), &timeout)
			r := bufio.NewReader(c)
			res, err := http.ReadResponse(r, nil)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, res.Body)
			require.Error(t, err)
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server has closed the connection")
		})
	}
}

func TestAConnectionThatWaitsKeepsNothingOfALongRequest(t *testing.T) {
	s, addr, _ := startServer(t, http.HandlerFunc(script), Options{})
	c := dial(t, addr, false)
	say(t, c, "GET /echo?"+strings.Repeat("x", 5000)+" HTTP/1.1\r\nHost: x\r\nX-One: "+strings.Repeat("y", 5000)+"\r\n\r\n")
	require.NotEmpty(t, readAnswer(t, c))
	all := s.clients.listClients()
	require.Len(t, all, 1)
	require.Eventually(t, func() bool { return all[0].waits.Load()&3 == forRequest }, generous, time.Millisecond)
	k := all[0].plain.Load()
	assert.Empty(t, k.fields)
	assert.Equal(t, head{method: http.MethodGet}, k.head)
	assert.Empty(t, k.target)
	assert.Nil(t, k.url)
	assert.Nil(t, k.res.out)
	assert.Nil(t, k.res.tail)
	say(t, c, get("/echo"))
	assert.Equal(t, "GET /echo  x.example:80 0 ", readAnswer(t, c))
}

// A listener need not use TCP. Its connections are read without first checking for pending bytes.
func TestAListenerOfAnotherKindIsServedToo(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	s := New(l, Options{Handler: http.HandlerFunc(script)})
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	c, err := net.Dial("unix", l.Addr().String())
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	require.NoError(t, c.SetDeadline(time.Now().Add(generous)))
	text := post(
		"/echo",
		"1",
	) + post(
		"/nothing",
		"unread",
	) + post(
		"/declared",
		strings.Repeat("2", 3*readBufferSize),
	) + "\r\n" + get(
		"/stream",
	)
	for _, piece := range []int{len(text), 7001, 13} {
		go func() {
			for rest := text; rest != ""; rest = rest[min(piece, len(rest)):] {
				if _, err := io.WriteString(c, rest[:min(piece, len(rest))]); err != nil {
					return
				}
			}
		}()
		r := bufio.NewReader(c)
		assert.Equal(t, "POST /echo  x 1 1", readNextAnswer(t, r))
		assert.Empty(t, readNextAnswer(t, r))
		assert.Len(t, readNextAnswer(t, r), 3*readBufferSize)
		assert.Equal(t, "data: 0\n\ndata: 1\n\ndata: 2\n\n", readNextAnswer(t, r))
	}
	require.NoError(t, c.Close())
	require.NoError(t, s.Shutdown(t.Context()))
	require.ErrorIs(t, await(t, served), http.ErrServerClosed)
}
