package downstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smuggled is a request that must never be served: the gateway and a program in front of it disagree on whether it is one.
const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

// ambiguous are requests that programs read differently, with the text of the refusal.
var ambiguous = map[string]struct{ sent, why string }{
	"both lengths": {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, "both"},
	"both lengths, in reverse order": {
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + smuggled, "both",
	},
	"a second coding":                 {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled, "only"},
	"an unknown coding":               {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled, "only"},
	"a coding in quotes":              {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n" + smuggled, "only"},
	"an empty coding":                 {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n\r\n0\r\n\r\n" + smuggled, "only"},
	"a coding twice":                  {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, "more than one"},
	"a coding in HTTP/1.0":            {"POST / HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, "needs HTTP/1.1"},
	"a tab after the coding":          {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\x0b\r\n\r\n0\r\n\r\n" + smuggled, "control character"},
	"a length twice":                  {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi" + smuggled, "more than one"},
	"two lengths":                     {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\ncontent-length: 3\r\n\r\nhi" + smuggled, "more than one"},
	"two lengths in one":              {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\nhi" + smuggled, "other than digits"},
	"a leading zero":                  {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 04\r\n\r\nhihi" + smuggled, "leading zero"},
	"a length of two zeros":           {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 00\r\n\r\n" + smuggled, "leading zero"},
	"a plus sign":                     {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\nhi" + smuggled, "other than digits"},
	"a minus sign":                    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n\r\nhi" + smuggled, "other than digits"},
	"a hexadecimal length":            {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2\r\n\r\nhi" + smuggled, "other than digits"},
	"an underscore":                   {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1_0\r\n\r\nhi" + smuggled, "other than digits"},
	"a blank in a length":             {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1 0\r\n\r\nhi" + smuggled, "other than digits"},
	"an empty length":                 {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n" + smuggled, "empty"},
	"a length that overflows":         {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551618\r\n\r\nhi" + smuggled, "too large"},
	"a folded field":                  {"GET / HTTP/1.1\r\nHost: x\r\nX-One: a\r\n b\r\n\r\n" + smuggled, "second line"},
	"a folded length":                 {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\t2\r\n\r\nhi" + smuggled, "empty"},
	"a fold with a tab":               {"GET / HTTP/1.1\r\nHost: x\r\nX-One: a\r\n\tTransfer-Encoding: chunked\r\n\r\n" + smuggled, "second line"},
	"a fold at the start":             {"GET / HTTP/1.1\r\n Host: x\r\nHost: y\r\n\r\n" + smuggled, "second line"},
	"bare line feeds":                 {"GET / HTTP/1.1\nHost: x\n\n" + smuggled, "bare line feed"},
	"a bare request line":             {"GET / HTTP/1.1\nHost: x\r\n\r\n" + smuggled, "bare line feed"},
	"a bare field":                    {"GET / HTTP/1.1\r\nHost: x\nX-One: a\r\n\r\n" + smuggled, "bare line feed"},
	"a bare end of the head":          {"GET / HTTP/1.1\r\nHost: x\r\n\n" + smuggled, "bare line feed"},
	"a bare carriage return":          {"GET / HTTP/1.1\r\nHost: x\r\nX-One: a\rContent-Length: 40\r\n\r\n" + smuggled, "control character"},
	"an extra carriage return":        {"GET / HTTP/1.1\r\r\nHost: x\r\n\r\n" + smuggled, "control character"},
	"NUL in a value":                  {"GET / HTTP/1.1\r\nHost: x\r\nX-One: a\x00b\r\n\r\n" + smuggled, "control character"},
	"NUL in a name":                   {"GET / HTTP/1.1\r\nHost: x\r\nX-\x00One: a\r\n\r\n" + smuggled, "control character"},
	"a blank before a colon":          {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 2\r\n\r\nhi" + smuggled, "field name"},
	"a tab before a colon":            {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n" + smuggled, "field name"},
	"a line without a colon":          {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding chunked\r\n\r\n" + smuggled, "field name"},
	"an empty name":                   {"GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n" + smuggled, "field name"},
	"a signed chunk":                  {chunkBody("+2\r\nhi\r\n0\r\n\r\n"), "hexadecimal"},
	"a negative chunk":                {chunkBody("-2\r\nhi\r\n0\r\n\r\n"), "hexadecimal"},
	"a chunk of 0x":                   {chunkBody("0x2\r\nhi\r\n0\r\n\r\n"), "hexadecimal"},
	"a chunk's underscore":            {chunkBody("0_2\r\nhi\r\n0\r\n\r\n"), "hexadecimal"},
	"a blank before a chunk":          {chunkBody(" 2\r\nhi\r\n0\r\n\r\n"), "hexadecimal"},
	"a blank after a size":            {chunkBody("2 \r\nhi\r\n0\r\n\r\n"), "hexadecimal"},
	"a chunk without a size":          {chunkBody("\r\nhi\r\n0\r\n\r\n"), "missing"},
	"an extension alone":              {chunkBody(";a=b\r\nhi\r\n0\r\n\r\n"), "missing"},
	"a chunk that overflows":          {chunkBody("10000000000000002\r\nhi\r\n0\r\n\r\n"), "too large"},
	"a bare end of a size":            {chunkBody("2\nhi\r\n0\r\n\r\n"), "bare line feed"},
	"a return in a size":              {chunkBody("2\r\r\nhi\r\n0\r\n\r\n"), "control character"},
	"a bare extension":                {chunkBody("2;\nxx\r\n0\r\n\r\n"), "bare line feed"},
	"a return in an ext":              {chunkBody("2;a\rb\r\nhi\r\n0\r\n\r\n"), "control character"},
	"a blank in an ext":               {chunkBody("2; a=b\r\nhi\r\n0\r\n\r\n"), "extension"},
	"an empty extension":              {chunkBody("2;\r\nhi\r\n0\r\n\r\n"), "extension"},
	"an open quote":                   {chunkBody("2;a=\"b\r\nhi\r\n0\r\n\r\n"), "extension"},
	"an endless extension":            {chunkBody("2;" + strings.Repeat("a", 20_000) + "\r\nhi\r\n0\r\n\r\n"), "too long"},
	"a chunk that is longer":          {chunkBody("2\r\nhiX\r\n0\r\n\r\n"), ""},
	"a bare end of a chunk":           {chunkBody("2\r\nhi\n0\r\n\r\n"), ""}, // net/http waits for two bytes
	"a bare end of the body":          {chunkBody("2\r\nhi\r\n0\r\n\n"), ""}, // as above
	"a length as a trailer":           {chunkBody("2\r\nhi\r\n0\r\nContent-Length: 40\r\n\r\n"), ""},
	"a coding as a trailer":           {chunkBody("2\r\nhi\r\n0\r\ntransfer-encoding: chunked\r\n\r\n"), ""},
	"a key as a trailer":              {chunkBody("2\r\nhi\r\n0\r\nAuthorization: Bearer x\r\n\r\n"), ""},
	"a folded trailer":                {chunkBody("2\r\nhi\r\n0\r\nX-One: a\r\n b\r\n\r\n"), ""},
	"a bare trailer":                  {chunkBody("2\r\nhi\r\n0\r\nX-One: a\n\r\n"), ""},
	"a blank in a trailer":            {chunkBody("2\r\nhi\r\n0\r\nX-One : a\r\n\r\n"), ""},
	"a fold behind a request":         {get("/") + "GET / HTTP/1.1\r\nHost: x\r\nX-One: a\r\n b\r\n\r\n" + smuggled, "second line"},
	"a bare line end behind a body":   {post("/", "hi") + "\n" + smuggled, "bare line feed"},
	"a bare line end behind chunks":   {chunkedOnly("2\r\nhi\r\n0\r\n\r\n") + "\n" + smuggled, "bare line feed"},
	"a carriage return behind a body": {post("/", "hi") + "\r" + smuggled, "control character"},
}

func chunkedOnly(body string) string {
	return "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + body
}

func chunkBody(body string) string { return chunkedOnly(body) + smuggled }

// reportBody returns a handler that answers 400 to a body that it cannot read, as the data plane does, and counts the smuggled
// requests.
func reportBody(served *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/smuggled" {
			served.Add(1)
		}
		if b, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, err)
		} else {
			_, _ = fmt.Fprintf(w, "read %s", b)
		}
	})
}

// openWays returns how to connect to a handler: by each loop, and by TLS.
func openWays(t *testing.T, h http.Handler) map[string]func() net.Conn {
	ts := httptest.NewUnstartedServer(nil) // for its certificate
	ts.StartTLS()
	t.Cleanup(ts.Close)
	roots := x509.NewCertPool()
	roots.AddCert(ts.Certificate())
	out := map[string]func() net.Conn{}
	for way, o := range map[string]Options{
		"fast": {}, "net/http": {NetHTTP: true},
		"TLS": {TLS: &tls.Config{Certificates: ts.TLS.Certificates, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}},
	} {
		_, addr, _ := startServer(t, h, o)
		out[way] = func() net.Conn {
			c, err := net.Dial("tcp", addr)
			require.NoError(t, err)
			require.NoError(t, c.SetDeadline(time.Now().Add(generous)))
			if o.TLS == nil {
				return c
			}
			return tls.Client(c, &tls.Config{RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS12})
		}
	}
	return out
}

// exchange sends a text in pieces of a size, and reads until the server closes the connection.
func exchange(t *testing.T, c net.Conn, text string, piece int) string {
	t.Helper()
	got, err := send(c, text, piece)
	require.NoError(t, err, "the server closes the connection without a reset")
	return got
}

// send is exchange without a check of how the connection ends.
func send(c net.Conn, text string, piece int) (string, error) {
	defer func() { _ = c.Close() }()
	go func() {
		for rest := text; rest != ""; {
			n := min(piece, len(rest))
			if _, err := io.WriteString(c, rest[:n]); err != nil {
				return
			}
			rest = rest[n:]
		}
	}()
	b, err := io.ReadAll(c)
	return string(b), err
}

// refusal is exchange with a new connection. net/http now and then resets one when bytes arrive after it has answered, and the
// answer is lost then; it is asked again.
func refusal(t *testing.T, way string, open func() net.Conn, text string, piece int) string {
	t.Helper()
	for range 20 {
		if way != "net/http" {
			break
		}
		if got, err := send(open(), text, piece); !errors.Is(err, syscall.ECONNRESET) {
			require.NoError(t, err)
			return got
		}
	}
	return exchange(t, open(), text, piece)
}

func TestARequestThatProgramsReadDifferentlyIsRefused(t *testing.T) {
	var served atomic.Int64
	for way, open := range openWays(t, reportBody(&served)) {
		for name, c := range ambiguous {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				for _, piece := range []int{len(c.sent), 1 + len(c.sent)/5000} {
					got := refusal(t, way, open, c.sent, piece)
					before, after, ok := strings.Cut(got, "HTTP/1.1 400 Bad Request\r\n")
					require.True(t, ok, "%q", got)
					assert.Equal(t, strings.Contains(name, "behind"), before != "", before)
					assert.Contains(t, after, "\r\nConnection: close\r\n")
					assert.NotContains(t, after, "HTTP/1.1 ", "the connection is closed")
					_, body, _ := strings.Cut(after, "\r\n\r\n")
					assert.Contains(t, body, c.why)
				}
			})
		}
	}
	t.Cleanup(func() { assert.Zero(t, served.Load(), "the smuggled request was served") })
}

func TestARequestThatAllProgramsReadAlikeIsServed(t *testing.T) {
	var served atomic.Int64
	for way, open := range openWays(t, reportBody(&served)) {
		for name, sent := range map[string]string{
			"a length":                      post("/", "hi"),
			"blanks around a length":        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\t2 \r\n\r\nhi",
			"chunks":                        chunkedOnly("1\r\nh\r\n1\r\ni\r\n0\r\n\r\n"),
			"a size that is padded":         chunkedOnly("0002\r\nhi\r\n000\r\n\r\n"),
			"capitals":                      "POST / HTTP/1.1\r\nHOST: x\r\nTRANSFER-ENCODING: CHUNKED\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
			"extensions":                    chunkedOnly("2;a;b=c;d=\"e\"\r\nhi\r\n0;last\r\n\r\n"),
			"a trailer":                     chunkedOnly("2\r\nhi\r\n0\r\nX-Checksum: 1\r\n\r\n"),
			"a trailer that was announced":  "POST / HTTP/1.1\r\nHost: x\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n",
			"a length in HTTP/1.0":          "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
			"a line end after it":           post("/", "hi") + "\r\n",
			"two line ends after it":        post("/", "hi") + "\r\n\r\n",
			"a body that looks like a head": post("/", "GET / HTTP/1.1\nHost: x\n\n"),
			"a client that waits":           "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
		} {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				last := "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
				for _, piece := range []int{1000, 1} {
					got := exchange(t, open(), sent+last, piece)
					assert.Equal(t, 2, strings.Count(got, "HTTP/1.1 200 OK")+strings.Count(got, "HTTP/1.0 200 OK"), "%q", got)
					assert.NotContains(t, got, "400")
				}
			})
		}
	}
}

// Over TLS too: a client that uses the HTTPS port without TLS gets an error, and a handler sees that a request came over TLS.
func TestNetHTTPStillKnowsOfTLS(t *testing.T) {
	open := openWays(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, r.TLS != nil) }))
	last := "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	assert.Contains(t, exchange(t, open["TLS"](), last, 1000), "\r\n\r\ntrue")
	assert.Contains(t, exchange(t, open["net/http"](), last, 1000), "\r\n\r\nfalse")
	plain := open["TLS"]().(*tls.Conn).NetConn()
	assert.Contains(t, exchange(t, plain, last, 1000), "this port expects HTTPS")
}
