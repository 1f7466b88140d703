package upstream

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// convertRequest builds the request for net/http.
func (k *call) convertRequest(req *Request) *http.Request {
	u := req.URL
	if u.Path != "" && u.Path[0] != '/' {
		rooted := *u
		rooted.Path = "/" + u.Path
		if u.RawPath != "" {
			rooted.RawPath = "/" + u.RawPath
		}
		u = &rooted
	}
	r := &http.Request{
		Method: req.Method, URL: u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, len(req.Header)+1),
	}
	for i := range req.Header {
		r.Header.Add(req.Header[i].Name, req.Header[i].Value)
	}
	if r.Header["User-Agent"] == nil {
		r.Header["User-Agent"] = []string{""} // net/http would add its own
	}
	if len(req.Body) > 0 {
		body := req.Body
		r.ContentLength = int64(len(body))
		r.Body = k.newSending(body)
		// net/http resends a request with an idempotency key even if the first may have arrived. Without GetBody it cannot.
		if r.Header["Idempotency-Key"] == nil && r.Header["X-Idempotency-Key"] == nil {
			r.GetBody = func() (io.ReadCloser, error) { return k.newSending(body), nil }
		}
	} else {
		r.Body = http.NoBody
	}
	return r.WithContext(k.newTraceContext())
}

// sortFields lists a header by name, so that equal answers compare equal.
func sortFields(h http.Header) []Field {
	n := 0
	for _, vs := range h {
		n += len(vs)
	}
	fields := make([]Field, 0, n)
	for name, vs := range h {
		for _, v := range vs {
			fields = append(fields, Field{name, v})
		}
	}
	slices.SortStableFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// sending is a request's body as net/http reads it; each piece that is read counts as progress. net/http may continue
// to read it after the answer has arrived, when the bytes belong to the caller again.
type sending struct {
	call *call
	mu   sync.Mutex
	rest []byte
	over bool
}

var errCallOver = errors.New("the call has ended")

// newSending returns a body that is released when Do returns.
func (k *call) newSending(body []byte) *sending {
	s := &sending{call: k, rest: body}
	k.mu.Lock()
	k.bodies = append(k.bodies, s)
	k.mu.Unlock()
	return s
}

func (s *sending) Read(p []byte) (int, error) {
	s.call.limitStep(PhaseWrite, s.call.limits.chooseWriteTimeout())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return 0, errCallOver
	}
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// release returns the bytes to the caller. What net/http has not read yet, because the provider answered early, is
// copied; nearly every call has nothing to copy. After an error the copy is not needed.
func (s *sending) release(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if failed {
		s.rest, s.over = nil, true
		return
	}
	s.rest = bytes.Clone(s.rest)
}

// Close has nothing to close.
func (s *sending) Close() error { return nil }
