package downstream

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzAPlainHeadIsReadAsNetHTTPReadsIt compares heads that count as plain with net/http: a program in front of the
// gateway must not see another request than the gateway does.
func FuzzAPlainHeadIsReadAsNetHTTPReadsIt(f *testing.F) {
	for _, s := range []string{
		post("/v1/chat/completions", ""), get("/v1/models?x=%20"),
		"POST /x HTTP/1.1\r\nhost: a.b:1\r\ncontent-length: 12\r\nx-stainless-lang: js\r\nAuthorization:  Bearer x \r\n\r\n",
		"GET / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: keep-alive\r\nAccept: */*\r\nAccept-Encoding: gzip\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 01\r\nTransfer-Encoding: chunked\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\nPragma: no-cache\r\n\r\n",
		"GET / HTTP/1.1\nHost: x\r\n\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /  HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /\n HTTP/1.1\r\nHost:0\r\nContent-Length:0\r\n\r\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		i := strings.Index(s, "\r\n\r\n")
		if i < 0 {
			return
		}
		s = s[:i+4]
		var d head
		h := http.Header{}
		if !d.parse(s, h, make([]string, 0, maxFields)) {
			return
		}
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(s)))
		if err != nil { // bytes after the head are not compared
			require.NotErrorIs(t, err, http.ErrNotSupported, s)
			if strings.Contains(err.Error(), "invalid URI") || strings.Contains(err.Error(), "parse ") {
				return // conn.parse finds that
			}
			require.NoError(t, err, "%q", s)
		}
		assert.Equal(t, r.Method, d.method)
		assert.Equal(t, r.RequestURI, d.target)
		assert.Equal(t, r.Host, d.host)
		assert.Equal(t, r.ContentLength, d.length)
		assert.Equal(t, "HTTP/1.1", r.Proto)
		assert.False(t, r.Close)
		assert.Empty(t, r.TransferEncoding)
		assert.Empty(t, r.Trailer)
		assert.Equal(t, r.Header, h)
	})
}
