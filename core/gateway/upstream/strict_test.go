package upstream_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// wire is a connection that delivers given bytes in pieces of given sizes; the last size repeats.
type wire struct {
	net.Conn
	data  []byte
	sizes []int
}

func (w *wire) Read(p []byte) (int, error) {
	if len(w.data) == 0 {
		return 0, io.EOF
	}
	n := len(w.data)
	if len(w.sizes) > 0 {
		n = max(1, min(n, w.sizes[0]))
		if len(w.sizes) > 1 {
			w.sizes = w.sizes[1:]
		}
	}
	n = copy(p, w.data[:n])
	w.data = w.data[n:]
	return n, nil
}

func (w *wire) Close() error                    { return nil }
func (w *wire) SetReadDeadline(time.Time) error { return nil }

// readWire reads an answer and its whole body.
func readWire(method string, data []byte, sizes ...int) (*upstream.Response, []byte, error) {
	res, _, err := upstream.ReadAnswer(&wire{data: data, sizes: sizes}, method)
	if err != nil {
		return nil, nil, err
	}
	b, err := io.ReadAll(res.Body)
	return res, b, errors.Join(err, res.Body.Close())
}

func TestAnswersThatTwoReadersCouldUnderstandDifferentlyAreRefused(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	const chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	for name, answer := range map[string]string{
		"length beside chunked":              ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"chunked beside length":              ok + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"two lengths":                        ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
		"two spellings of a length":          ok + "Content-Length: 5\r\nContent-Length: 05\r\n\r\nhello",
		"a list of lengths":                  ok + "Content-Length: 5, 5\r\n\r\nhello",
		"a signed length":                    ok + "Content-Length: +5\r\n\r\nhello",
		"a negative length":                  ok + "Content-Length: -5\r\n\r\nhello",
		"a hexadecimal length":               ok + "Content-Length: 0x5\r\n\r\nhello",
		"an empty length":                    ok + "Content-Length: \r\n\r\nhello",
		"a length that overflows":            ok + "Content-Length: 18446744073709551621\r\n\r\nhello",
		"gzip, chunked":                      ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"identity":                           ok + "Transfer-Encoding: identity\r\n\r\n",
		"chunked twice":                      ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"chunked with data after it":         ok + "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n",
		"chunked in quotes":                  ok + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
		"xchunked":                           ok + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"a vertical tab before chunked":      ok + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
		"chunked in HTTP/1.0":                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"a folded line":                      ok + "X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n",
		"a folded encoding":                  ok + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
		"a blank before the colon":           ok + "Content-Length : 5\r\n\r\nhello",
		"a blank before the first name":      ok + " Content-Length: 5\r\n\r\nhello",
		"no colon":                           ok + "Content-Length\r\n\r\n",
		"an empty name":                      ok + ": 5\r\n\r\n",
		"a lone LF":                          ok + "X-A: b\nContent-Length: 5\r\n\r\nhello",
		"a lone LF at the end":               "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
		"a lone CR in a value":               ok + "X-A: b\rContent-Length: 5\r\n\r\nhello",
		"two CR":                             ok + "X-A: b\r\r\nContent-Length: 5\r\n\r\nhello",
		"NUL in a value":                     ok + "X-A: b\x00c\r\nContent-Length: 5\r\n\r\nhello",
		"NUL in a name":                      ok + "X\x00A: b\r\nContent-Length: 5\r\n\r\nhello",
		"an empty line first":                "\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/2":                             "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.2":                           "HTTP/1.2 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"http in lower case":                 "http/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/0.9":                           "hello, this is an answer without a head\r\n\r\n",
		"two blanks":                         "HTTP/1.1  200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"a tab":                              "HTTP/1.1\t200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"two digits":                         "HTTP/1.1 20 OK\r\nContent-Length: 5\r\n\r\nhello",
		"four digits":                        "HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n\r\nhello",
		"no digits":                          "HTTP/1.1 2x0 OK\r\nContent-Length: 5\r\n\r\nhello",
		"status 099":                         "HTTP/1.1 099 OK\r\nContent-Length: 5\r\n\r\nhello",
		"status 600":                         "HTTP/1.1 600 OK\r\nContent-Length: 5\r\n\r\nhello",
		"a control in the reason":            "HTTP/1.1 200 O\x01K\r\nContent-Length: 5\r\n\r\nhello",
		"a change of protocol":               "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
		"an interim answer with a body":      "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"an interim answer in chunks":        "HTTP/1.1 103 Hints\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"an interim answer in HTTP/1.0":      "HTTP/1.0 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"no content with content":            "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
		"a trailer that frames":              ok + "Trailer: content-length\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n",
		"a chunk size with a sign":           chunked + "+5\r\nhello\r\n0\r\n\r\n",
		"a chunk size with 0x":               chunked + "0x5\r\nhello\r\n0\r\n\r\n",
		"no chunk size":                      chunked + "\r\nhello\r\n0\r\n\r\n",
		"a blank before a chunk size":        chunked + " 5\r\nhello\r\n0\r\n\r\n",
		"a blank behind a chunk size":        chunked + "5 \r\nhello\r\n0\r\n\r\n",
		"a chunk size that overflows":        chunked + "10000000000000005\r\nhello\r\n0\r\n\r\n",
		"a chunk size that overflows a sign": chunked + "ffffffffffffffff\r\nhello\r\n0\r\n\r\n",
		"a chunk size that ends in LF":       chunked + "5\nhello\r\n0\r\n\r\n",
		"a chunk that ends in LF":            chunked + "5\r\nhello\n0\r\n\r\n",
		"a chunk that is longer":             chunked + "5\r\nhello!\r\n0\r\n\r\n",
		"a lone CR in an extension":          chunked + "5;a\rb\r\nhello\r\n0\r\n\r\n",
		"NUL in an extension":                chunked + "5;\x00\r\nhello\r\n0\r\n\r\n",
		"a long extension":                   chunked + "5;" + strings.Repeat("a", 2000) + "\r\nhello\r\n0\r\n\r\n",
		"much extension and little payload":  chunked + strings.Repeat("1;"+strings.Repeat("a", 1000)+"\r\nx\r\n", 20) + "0\r\n\r\n",
		"an endless size line":               chunked + strings.Repeat("0", 9000),
		"a trailer without a colon":          chunked + "0\r\nabc\r\n\r\n",
		"a trailer that ends in LF":          chunked + "0\r\nA: b\n\r\n",
		"a folded trailer":                   chunked + "0\r\nA: b\r\n c\r\n\r\n",
		"NUL in a trailer":                   chunked + "0\r\nA: \x00\r\n\r\n",
		"trailers without end":               chunked + "0\r\n" + strings.Repeat("A: b\r\n", 2000),
		"a trailer that is too long":         chunked + "0\r\nA: " + strings.Repeat("b", 5000) + "\r\n\r\n",
		"a head that is too long":            ok + "A: " + strings.Repeat("b", 64<<10) + "\r\n\r\n",
		"a head without end":                 ok + strings.Repeat("A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n", 3000),
		"too many fields":                    ok + strings.Repeat("A: b\r\n", 513) + "Content-Length: 0\r\n\r\n",
		"interim answers without end":        strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 4000) + ok + "Content-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 100, 1 << 20} {
				_, _, err := readWire("POST", []byte(answer), size)
				require.ErrorIs(t, err, upstream.ErrMalformed, "in pieces of %d", size)
				var e *upstream.Error
				require.ErrorAs(t, err, &e)
				assert.Contains(t, []upstream.Phase{upstream.PhaseHead, upstream.PhaseBody}, e.Phase)
				assert.NotContains(t, err.Error(), "hello")
			}
		})
	}
}

func TestSizesAtTheirLimitsAreAccepted(t *testing.T) {
	for name, answer := range map[string]string{
		"512 fields":                     "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 511) + "Content-Length: 0\r\n\r\n",
		"a head of 64 KiB":               "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: " + strings.Repeat("b", 64<<10-len("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: \r\n\r\n")) + "\r\n\r\n",
		"trailers of 4 KiB":              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: " + strings.Repeat("b", 4096-len("A: \r\n\r\n")) + "\r\n\r\n",
		"a size line of 1 KiB":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0;" + strings.Repeat("b", 1024-len("0;\r\n")) + "\r\n\r\n",
		"a chunk size of fifteen digits": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n000000000000000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 4095, 1 << 20} {
				res, b, err := readWire("POST", []byte(answer), size)
				require.NoError(t, err)
				assert.Equal(t, 200, res.Status)
				assert.Empty(t, b)
			}
		})
	}
}

func TestAnAnswerCutIntoPiecesAtEveryPlaceIsTheSame(t *testing.T) {
	answers := map[string]string{
		"chunks": "HTTP/1.1 100 Continue\r\n\r\n" + strings.Replace(
			chunks("hello ", "w", "orld", strings.Repeat("!", 300)),
			"0\r\n\r\n",
			"0;x=y\r\nX-Sum: 1\r\nY: 2\r\n\r\n",
			1,
		),
		"length": "HTTP/1.1 200 OK\r\nContent-Length: 311\r\n\r\nhello world" + strings.Repeat("!", 300),
		"close":  "HTTP/1.1 200 OK\r\nA: b\r\n\r\nhello world" + strings.Repeat("!", 300),
	}
	want := "hello world" + strings.Repeat("!", 300)
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			for i := range len(answer) {
				for _, sizes := range [][]int{{i + 1, 1 << 20}, {i + 1, 1}, {i + 1}} {
					_, b, err := readWire("POST", []byte(answer), sizes...)
					require.NoError(t, err)
					require.Equal(t, want, string(b))
				}
			}
		})
	}
}

func TestAnAnswerCutOffAtEveryPlaceIsNeverTakenForWhole(t *testing.T) {
	for name, answer := range map[string]string{
		"chunks": chunks("hello ", "world") + "",
		"length": "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
	} {
		t.Run(name, func(t *testing.T) {
			for i := range len(answer) {
				_, _, err := readWire("POST", []byte(answer[:i]))
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, "after %d bytes", i)
			}
		})
	}
}

func TestBufferedNeverPromisesTooMuch(t *testing.T) {
	answer := []byte(chunks("hello ", "w", "orld", strings.Repeat("!", 300)))
	for i := range len(answer) {
		w := &wire{data: bytes.Clone(answer), sizes: []int{i + 1, 3}}
		res, _, err := upstream.ReadAnswer(w, "POST")
		require.NoError(t, err)
		p := make([]byte, 50)
		for err == nil {
			promised, before := res.Body.Buffered(), len(w.data)
			var n int
			n, err = res.Body.Read(p)
			if promised > 0 {
				assert.GreaterOrEqual(t, n, min(promised, len(p)))
				assert.Len(t, w.data, before, "read from the connection although bytes were buffered")
			}
		}
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, res.Body.Close())
	}
}
