package downstream

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	dateLine = regexp.MustCompile(`Date: [^\r]*`)
	closes   = []byte("Connection: close\r\n")
)

// converse sends bytes, split at cuts, closes its half of the connection, and returns the answer. reset means that the
// server closed before it had read everything, which may lose a part of its answer.
func converse(t *testing.T, addr string, sent, cuts []byte) (said []byte, reset bool) {
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	c := nc.(*net.TCPConn)
	defer func() { _ = c.Close() }()
	require.NoError(t, c.SetLinger(0)) // so that thousands of conversations do not exhaust the ports
	require.NoError(t, c.SetDeadline(time.Now().Add(generous)))
	var broken error
	for _, n := range cuts {
		piece := sent[:min(int(n), len(sent))]
		sent = sent[len(piece):]
		if _, broken = c.Write(piece); broken != nil {
			break
		}
		time.Sleep(50 * time.Microsecond) // usually the server reads this piece alone
	}
	if broken == nil {
		_, broken = c.Write(sent)
	}
	_ = c.CloseWrite()
	said, err = io.ReadAll(c)
	reset = broken != nil
	if errors.Is(err, syscall.ECONNRESET) {
		err, reset = nil, true
	}
	require.NoError(t, err, "%q", said)
	return dateLine.ReplaceAll(said, []byte("Date: now")), reset
}

// FuzzAClientIsAnsweredAsByNetHTTP sends arbitrary bytes to both loops of this package and to net/http alone: a program
// in front of the gateway can then not be made to see other requests or answers than the gateway does. Both loops give
// the same answers, which are those of net/http unless the framing refuses the bytes.
func FuzzAClientIsAnsweredAsByNetHTTP(f *testing.F) {
	for _, s := range []string{
		post("/echo", "hello") + get("/stream") + post("/declared", "{}") + get("/204") + get("/echo"),
		post("/echo", "a")[:40], post("/echo", "abc")[:len(post("/echo", "abc"))-2], "GET /echo HT", "P", "\r\n",
		post("/nothing", "unread") + get("/echo?x=1"), post("/some", "hello") + get("/echo"), post("/first", "abc") + get("/echo"),
		post("/echo", "1") + "\r\n\r\n" + get("/echo"), post("/echo", "1") + "\r\n\r\n\r\n" + get("/echo"), get("/echo") + "\r\n" + get("/echo"),
		get("/echo") + "abc", get("/echo") + "abcd", post("/echo", "1") + "\r\nab", post("/echo", "1") + "\r\na", post("/echo", "1") + "a\r\n",
		post("/echo", "1") + "\r\n\r\nPUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" + post("/echo", "2"),
		"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + get("/echo"),
		"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get("/echo"),
		"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 3\r\n\r\nabc" + get("/echo"),
		"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na" + get("/echo"),
		"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length:\t2 \r\n\r\nhi" + get("/echo"),
		"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2\r\n\r\nhi", "POST /echo HTTP/1.1\r\nHost: x\r\n\r\n" + get("/echo"),
		"GET /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" + get("/echo"), "GET /echo HTTP/1.1\nHost: x\n\n",
		"GET /echo HTTP/1.1\r\nHost: x\n\nGET /echo HTTP/1.1\r\nHost: y\r\n\r\n", "GET /echo HTTP/1.1\r\nHost: x\r\nX-One: a\r\n\tb\r\n\r\n",
		"GET /header HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "GET /echo HTTP/1.0\r\n\r\n" + get("/echo"),
		"HEAD /large HTTP/1.1\r\nHost: x\r\n\r\n" + get("/echo"), "GET http://y/echo HTTP/1.1\r\nHost: x\r\n\r\n" + get("/echo"),
		"GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + get("/echo"), get("/panic"), get("/half"), get("/torn"), get("/whole"), get("/unsent"), get("/some"), get("/shut"), get("/short") + get("/echo"),
		"POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi", get("/early") + get("/304") + get("/pieces"),
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET //echo HTTP/1.1\r\nHost: x\r\n\r\n", "GET /e%63ho?%zz#f HTTP/1.1\r\nHost: [::1]:8\r\n\r\n",
	} {
		f.Add([]byte(s), []byte{})
		f.Add([]byte(s), []byte{1, 1, 30, 17, 2, 40})
	}
	ref := &http.Server{Handler: http.HandlerFunc(script), ErrorLog: log.New(io.Discard, "", 0)} // of a test
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(f, err)
	go func() { _ = ref.Serve(l) }()
	f.Cleanup(func() { _ = ref.Close() })
	_, strict, _ := startServer(f, http.HandlerFunc(script), Options{NetHTTP: true})
	_, addr, _ := startServer(f, http.HandlerFunc(script), Options{})
	f.Fuzz(func(t *testing.T, sent, cuts []byte) {
		if len(sent) > 64<<10 || len(cuts) > 8 {
			return
		}
		assertSameAnswers(t, strict, addr, sent, cuts)
		if _, refused := new(framing).check(sent); refused == nil {
			assertSameAnswers(t, l.Addr().String(), addr, sent, cuts)
		}
	})
}

// assertSameAnswers sends the same bytes to two servers, and in pieces to the second.
func assertSameAnswers(t *testing.T, ref, addr string, sent, cuts []byte) {
	want, cutWant := converse(t, ref, sent, nil)
	got, cutGot := converse(t, addr, sent, cuts)
	if n := min(len(want), len(got)); cutWant && len(want) == n || cutGot && len(got) == n {
		want, got = want[:n], got[:n]
	}
	if i := bytes.LastIndex(got, closes); i >= 0 && !bytes.Equal(want, got) {
		// If a body ends too early, this server announces in its answer that the connection ends; net/http just closes it.
		got = slices.Delete(got, i, i+len(closes))
	}
	require.True(t, bytes.Equal(want, got), "sent %q\nwant %.2000q\n got %.2000q", strings.ToValidUTF8(string(sent), "?"), want, got)
}
