package downstream

import (
	"bufio"
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

// answering serves the bytes that it receives, on a listener that tracks its clients.
func answering(t *testing.T) net.Conn {
	t.Helper()
	_, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/unread" {
			return
		}
		b, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		_, err = w.Write(b)
		assert.NoError(t, err)
	}), Options{Head: time.Minute, Idle: time.Minute, Body: time.Minute})
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(30*time.Second)))
	return c
}

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

func TestWhatIsReadAheadReachesTheRequestsThatItBelongsTo(t *testing.T) {
	for name, mark := range map[string]string{"plain": "", "by net/http": "Pragma: x\r\n"} {
		t.Run(name, func(t *testing.T) { sendAndRead(t, mark) })
	}
}

func sendAndRead(t *testing.T, mark string) {
	var sent strings.Builder
	var want []string
	for i, n := range []int{0, 1, 100, 4000, 5000, 9000, readBufferSize - 90, readBufferSize, 100_000, 20, 20, 20, 70_000, 3} {
		body := strings.Repeat(string(rune('a'+i)), n)
		path := "/"
		if i%5 == 4 {
			path, want = "/unread", append(want, "")
		} else {
			want = append(want, body)
		}
		sent.WriteString(strings.Replace(post(path, body), "\r\n", "\r\n"+mark, 1))
	}
	for name, piece := range map[string]int{"at once": sent.Len(), "in pieces of the size that is read": readBufferSize, "in odd pieces": 777} {
		t.Run(name, func(t *testing.T) {
			c := answering(t)
			go func() {
				for rest := sent.String(); rest != ""; {
					n := min(piece, len(rest))
					if _, err := io.WriteString(c, rest[:n]); err != nil {
						return
					}
					rest = rest[n:]
				}
			}()
			r := bufio.NewReader(c)
			for i := range want {
				res, err := http.ReadResponse(r, nil)
				require.NoError(t, err, "request %d", i)
				got, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				require.Equal(t, want[i], string(got), "request %d", i)
			}
		})
	}
}

func TestPromptsOfSomePagesAreReadAtOnceBehindTheFirst(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	far, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	defer func() { _ = far.Close() }()
	near, err := ln.Accept()
	require.NoError(t, err)
	cl := newClient(&clients{open: map[*client]struct{}{}}, near)
	if cl.socket == nil {
		t.Skip("not on this system")
	}
	p := make([]byte, 4096)
	total := 0
	read := func(size int) {
		_, err := io.WriteString(far, strings.Repeat("x", size))
		require.NoError(t, err)
		for end := total + size; total < end; { // the loopback may split it
			n, err := cl.Read(p)
			require.NoError(t, err)
			total += n
			require.Equal(t, cl.received.Load(), int64(total+len(cl.ahead.left)))
		}
		assert.Nil(t, cl.ahead.buf, "nothing is left, so no memory is held")
	}
	read(100)
	assert.False(t, cl.wasLong)
	read(4096)
	assert.True(t, cl.wasLong, "the read was full, so more bytes may follow")
	_, err = io.WriteString(far, strings.Repeat("x", 9000))
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the loopback may split it
		n, err := cl.Read(p)
		require.NoError(t, err)
		total += n
		return len(cl.ahead.left) > 0
	}, time.Minute, time.Millisecond)
	for total < 100+4096+9000 {
		n, err := cl.Read(p)
		require.NoError(t, err)
		total += n
	}
	read(50)
	assert.False(t, cl.wasLong, "the last one was short again")
	require.NoError(t, far.Close())
	_, err = cl.Read(p)
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, near.Close())
	_, err = cl.Read(p)
	var op *net.OpError
	require.ErrorAs(t, err, &op)
	assert.Equal(t, "read", op.Op, "net/http treats no other error as the end of a connection")
}
