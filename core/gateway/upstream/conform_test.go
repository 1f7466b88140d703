package upstream_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

func TestBothTransportsReadTheSameAnswers(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 20<<10)
	cases := []struct {
		name, method, answer, body string
		status                     int
		length                     int64
	}{
		{"a body with a length", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello", "hello", 200, 5},
		{"an empty body", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", 200, 0},
		{"a long body with a length", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 327680\r\n\r\n" + long, long, 200, 327680},
		{
			"chunks",
			"POST",
			chunks("data: 1\n\n", "data: 2\n\n", strings.Repeat("x", 40000), "y"),
			"data: 1\n\ndata: 2\n\n" + strings.Repeat("x", 40000) + "y",
			200,
			-1,
		},
		{"only the last chunk", "POST", chunks(), "", 200, -1},
		{
			"trailers",
			"POST",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n",
			"abc",
			200,
			-1,
		},
		{
			"chunk extensions",
			"POST",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b;c=\"d\"\r\nabc\r\n000;x\r\n\r\n",
			"abc",
			200,
			-1,
		},
		{"an error status", "POST", "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Length: 2\r\n\r\n{}", "{}", 429, 2},
		{"no reason phrase", "POST", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\n{}", "{}", 200, 2},
		{"no content", "POST", "HTTP/1.1 204 No Content\r\n\r\n", "", 204, 0},
		{"an answer to HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n", "", 200, 77},
		{"two equal lengths", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", "ok", 200, 2},
		{
			"interim answers before the final one",
			"POST",
			"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
			"ok",
			200,
			2,
		},
		{"an encoding that is not decoded", "POST", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "abc", 200, 3},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			runOnBoth(t, func(t *testing.T, c upstream.Client) {
				p := serveRaw(t, answerAlways(tc.answer))
				for range 3 { // the second and third on the kept connection
					req := post(p.url, `{"a":1}`)
					if req.Method = tc.method; tc.method == "HEAD" {
						req.Body = nil
					}
					res, body, err := callAll(c, req)
					require.NoError(t, err)
					assert.Equal(t, tc.status, res.Status)
					assert.Equal(t, tc.length, res.ContentLength)
					assert.Equal(t, tc.body, body)
				}
				assert.EqualValues(t, 1, p.conns.Load(), "the connection must be kept")
			})
		})
	}
}

func TestAnswersThatEndTheirConnectionAreReadWholeAndNotReused(t *testing.T) {
	for name, answer := range map[string]string{
		"connection close":                   "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
		"close among others":                 "HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.0":                           "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"until the connection ends":          "HTTP/1.1 200 OK\r\n\r\nhello",
		"HTTP/1.0 until the connection ends": "HTTP/1.0 200 OK\r\n\r\nhello",
	} {
		t.Run(name, func(t *testing.T) {
			runOnBoth(t, func(t *testing.T, c upstream.Client) {
				p := serveRaw(t, answerOnce(answer))
				for range 2 {
					_, body, err := callAll(c, post(p.url, "{}"))
					require.NoError(t, err)
					assert.Equal(t, "hello", body)
				}
				assert.EqualValues(t, 2, p.conns.Load())
			})
		})
	}
}

func TestAnAnswerThatIsCutOffIsAnUnexpectedEnd(t *testing.T) {
	for name, answer := range map[string]string{
		"within a length":       "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
		"within a chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhello",
		"behind a chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"within the last chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			runOnBoth(t, func(t *testing.T, c upstream.Client) {
				p := serveRaw(t, answerOnce(answer))
				_, body, err := callAll(c, post(p.url, "{}"))
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				e := failure(t, err, upstream.PhaseBody)
				assert.False(t, e.Timeout)
				assert.Equal(t, "hello", body, "the bytes that had arrived must be returned")
			})
		})
	}
}

func TestNothingOrHalfAHeadIsAnUnexpectedEnd(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, answerOnce(""))
		_, _, err := callAll(c, post(p.url, "{}"))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.False(t, failure(t, err, upstream.PhaseFirstByte).Unsent)

		p = serveRaw(t, answerOnce("HTTP/1.1 200 OK\r\nContent-Le"))
		_, _, err = callAll(c, post(p.url, "{}"))
		_ = failure(t, err, upstream.PhaseHead)
		if _, lean := c.(*upstream.Lean); lean { // net/http takes half a line for a malformed one
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
	})
}

func TestManyCallsAtOnceGetTheirOwnAnswers(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			for {
				_, b, ok := readRequest(r)
				if !ok {
					return
				}
				_, _ = io.WriteString(conn, chunks(string(b), "!", string(b)))
			}
		})
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				for j := range 5 {
					want := strings.Repeat(hex(i)+"-"+hex(j)+" ", 1+i*j)
					_, body, err := callAll(c, post(p.url, want))
					if assert.NoError(t, err) {
						assert.Equal(t, want+"!"+want, body)
					}
				}
			})
		}
		wg.Wait()
	})
}
