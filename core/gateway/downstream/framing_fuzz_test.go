package downstream

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// requestEnds returns where the framing finds the ends of requests, and where it refuses; -1: nowhere.
func requestEnds(sent []byte) (ends []int, refused int) {
	var f framing
	for i := range sent {
		state := f.state
		if _, err := f.check(sent[i : i+1]); err != nil {
			return ends, i
		}
		if state != inRequestLine && f.state == inRequestLine {
			ends = append(ends, i+1)
		}
	}
	return ends, -1
}

// FuzzRequestsEndWhereNetHTTPEndsThem compares the framing with net/http: a request that one of them took for a body
// would not be checked.
func FuzzRequestsEndWhereNetHTTPEndsThem(f *testing.F) {
	for _, c := range ambiguous {
		f.Add([]byte(c.sent))
	}
	for _, s := range []string{
		post("/echo", "hello") + get("/echo"), chunkBody("2;a=\"b\"\r\nhi\r\n0\r\nX-One: 1\r\n\r\n"), chunkedOnly("00002\r\nhi\r\n00\r\n\r\n") + get("/"),
		"PUT / HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi" + get("/"), "HEAD / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" + get("/"),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		ends, refused := requestEnds(sent)
		all := bytes.NewReader(sent)
		r := bufio.NewReaderSize(all, 64<<10)
		for n := 0; ; n++ {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return
			}
			end := len(sent) - all.Len() - r.Buffered()
			if refused >= 0 && end > refused {
				return
			}
			if assert.Greater(t, len(ends), n, "%q: a request that ends at %d", sent, end) {
				assert.Equal(t, ends[n], end, "%q", sent)
			} else {
				return
			}
		}
	})
}
