package downstream

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readNextAnswer reads the next answer of a connection.
func readNextAnswer(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	res, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}

// Bytes that arrive meanwhile must not overwrite a request that waits behind a long one.
func TestWhatComesWhileSomebodyListensFollowsWhatWasReadBefore(t *testing.T) {
	release := make(chan struct{})
	s, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		if r.URL.Path == "/wait" {
			<-release
		}
		_, _ = w.Write(b)
	}), Options{})
	for name, begins := range map[string]string{
		"a whole request": post("/wait", "1") + post("/", "2"),
		"a part of one":   post("/wait", "1") + post("/", "2")[:20],
		"a buffer full":   post("/wait", "1") + post("/", strings.Repeat("2", 2*readBufferSize)),
		"nothing":         post("/wait", "1"),
		"a line end":      post("/wait", "1") + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			all := post("/wait", "1") + post("/", strings.Repeat("2", 2*readBufferSize)) + post("/", "3")
			if name != "a buffer full" {
				all = post("/wait", "1") + post("/", "2") + post("/", "3")
			}
			if strings.HasSuffix(begins, "1\r\n") {
				all = strings.Replace(all, "1POST", "1\r\nPOST", 1)
			}
			c := dial(t, addr, false)
			say(t, c, begins)
			var cl *client
			require.Eventually(t, func() bool {
				for _, cl = range s.clients.listClients() {
					if k := cl.plain.Load(); k != nil && k.watchedSince.Load() == watching {
						return true
					}
				}
				return false
			}, generous, time.Millisecond)
			say(t, c, all[len(begins):])
			heard := int64(min(len(begins), 200) + 1) // the long one has already sent it
			require.Eventually(t, func() bool { return cl.received.Load() >= heard }, generous, time.Millisecond)
			release <- struct{}{}
			r := bufio.NewReader(c)
			assert.Equal(t, "1", readNextAnswer(t, r))
			assert.Equal(t, "2", strings.TrimLeft(readNextAnswer(t, r), "2")+"2")
			assert.Equal(t, "3", readNextAnswer(t, r))
			require.NoError(t, c.Close())
			require.Eventually(t, func() bool { return len(s.clients.listClients()) == 0 }, generous, time.Millisecond)
		})
	}
}

func TestAHeadWithoutReturnsIsRefusedAtOnce(t *testing.T) {
	_, addr, _ := startServer(t, http.HandlerFunc(script), Options{})
	for name, sent := range map[string]string{
		"none":             "GET /echo HTTP/1.1\nHost: x\n\n",
		"none at the end":  "GET /echo HTTP/1.1\r\nHost: x\n\n",
		"one at the end":   "GET /echo HTTP/1.1\r\nHost: x\n\r\n",
		"none in the last": "GET /echo HTTP/1.1\r\nHost: x\r\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, addr, false)
			for _, b := range []byte(sent) {
				if _, err := c.Write([]byte{b}); err != nil {
					break // it has been refused by now
				}
			}
			assert.Equal(t, "400 Bad Request: a line ends with a bare line feed", readAnswer(t, c))
			assertClosed(t, c)
		})
	}
}

// A goroutine of a handler may still wait for the body after the handler has ended. It must not consume bytes of the
// next request or delay it.
func TestABodyThatIsReadBehindTheHandlersBackEndsWithTheRequest(t *testing.T) {
	errs := make(chan error, 1)
	_, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived := make(chan struct{})
		go func() {
			if _, err := io.ReadFull(r.Body, make([]byte, len("ab"))); assert.NoError(t, err) {
				close(arrived)
			}
			_, err := io.ReadAll(r.Body)
			errs <- err
		}()
		<-arrived // what it waits for from now on never arrives
	}), Options{Body: short})
	c := dial(t, addr, false)
	say(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nab")
	require.Error(t, await(t, errs))
	require.Empty(t, readAnswer(t, c))
}

func TestABodyThatNobodyReadsIsNotWaitedForForEver(t *testing.T) {
	for name, size := range map[string]int{"a short answer": 10, "a long answer": 9000} {
		t.Run(name, func(t *testing.T) {
			_, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(make([]byte, size))
			}), Options{Body: short})
			c := dial(t, addr, false)
			say(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nab")
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			b, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			assert.Len(t, b, size)
			assert.True(t, res.Close)
		})
	}
}
