package upstream_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"testing"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// FuzzWhatWeAcceptNetHTTPUnderstandsTheSame compares the reader with that of net/http: whenever we accept an answer,
// net/http accepts it too, with the same status, fields and body, and leaves the same bytes over.
// TestAnswersThatTwoReadersCouldUnderstandDifferentlyAreRefused lists where we are stricter; net/http accepts, among
// others, a length beside chunked, folded lines, a lone LF and a status above 599.
func FuzzWhatWeAcceptNetHTTPUnderstandsTheSame(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.0 404 Not Found\r\nConnection: close\r\nPragma: no-cache\r\n\r\nto the end",
		"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\nrest",
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
		"HTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		chunks("hello", " world") + "rest",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nTrailer: X\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\nZ:\r\n\r\n",
	} {
		f.Add([]byte(s), byte(0), false)
		f.Add([]byte(s), byte(3), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, size byte, head bool) {
		method := http.MethodPost
		if head {
			method = http.MethodHead
		}
		var sizes []int
		if size > 0 {
			sizes = []int{int(size)}
		}
		res, over, err := upstream.ReadAnswer(&wire{data: bytes.Clone(data), sizes: sizes}, method)
		if err != nil {
			return
		}
		body, err := io.ReadAll(res.Body)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		cut := err != nil

		in := bytes.NewReader(data)
		r := bufio.NewReaderSize(in, 128<<10)
		want, werr := http.ReadResponse(r, &http.Request{Method: method})
		for werr == nil && want.StatusCode < 200 {
			want, werr = http.ReadResponse(r, &http.Request{Method: method})
		}
		if werr != nil {
			t.Fatalf("we accept, net/http says %v", werr)
		}
		wantBody, werr := io.ReadAll(want.Body)
		_ = want.Body.Close()
		if cut != (werr != nil) {
			t.Fatalf("body: cut %v, net/http says %v", cut, werr)
		}
		if !bytes.Equal(body, wantBody) {
			t.Fatalf("body: %q, net/http has %q", body, wantBody)
		}
		if res.Status != want.StatusCode || res.ContentLength != want.ContentLength {
			t.Fatalf("status %d, length %d; net/http has %d, %d", res.Status, res.ContentLength, want.StatusCode, want.ContentLength)
		}
		sameFields(t, res.Header, want.Header)
		if cut {
			return
		}
		// With pieces of one byte we have read nothing after the answer, or only what is reported as left over.
		rest, _ := io.ReadAll(r)
		if size == 0 && len(data) < 8000 && !bytes.Equal(over.Bytes(), rest) {
			t.Fatalf("left over %q, net/http leaves %q", over.Bytes(), rest)
		}
	})
}

// FuzzPiecesMakeNoDifference checks that the sizes in which an answer arrives change neither what is read nor whether
// it is accepted.
func FuzzPiecesMakeNoDifference(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), byte(1), byte(2))
	f.Add([]byte(chunks("hello", " world")+"rest"), byte(60), byte(1))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\n"+chunks("a", "b")), byte(3), byte(200))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"), byte(1), byte(1))
	f.Fuzz(func(t *testing.T, data []byte, first, rest byte) {
		res, body, err := readWire("POST", bytes.Clone(data))
		res2, body2, err2 := readWire("POST", bytes.Clone(data), int(first), int(rest))
		if (err == nil) != (err2 == nil) || errors.Is(err, upstream.ErrMalformed) != errors.Is(err2, upstream.ErrMalformed) {
			t.Fatalf("whole: %v, in pieces: %v", err, err2)
		}
		if !bytes.Equal(body, body2) || (res == nil) != (res2 == nil) || res != nil && res.Status != res2.Status {
			t.Fatalf("whole: %v %q, in pieces: %v %q", res, body, res2, body2)
		}
	})
}

// sameFields compares the fields, except for those that net/http removes or adds.
func sameFields(t *testing.T, fields []upstream.Field, want http.Header) {
	t.Helper()
	got := http.Header{}
	for _, f := range fields {
		got[textproto.CanonicalMIMEHeaderKey(f.Name)] = append(got[textproto.CanonicalMIMEHeaderKey(f.Name)], f.Value)
	}
	if v := got["Pragma"]; len(v) > 0 && v[0] == "no-cache" && got["Cache-Control"] == nil {
		delete(want, "Cache-Control")
	}
	for _, name := range []string{"Transfer-Encoding", "Trailer", "Content-Length"} {
		delete(got, name)
		delete(want, name)
	}
	if len(got) != len(want) {
		t.Fatalf("fields %q, net/http has %q", got, want)
	}
	for name, values := range got {
		if len(values) != len(want[name]) {
			t.Fatalf("field %q: %q, net/http has %q", name, values, want[name])
		}
		for i, v := range values {
			if v != want[name][i] {
				t.Fatalf("field %q: %q, net/http has %q", name, v, want[name][i])
			}
		}
	}
}
