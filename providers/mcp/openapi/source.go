package openapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// api is a parsed document, prepared for calls. It is immutable.
type api struct {
	operations []*operation
	byName     map[string]*operation
	list       []byte // the result of tools/list
}

const (
	// freshFor is how long a fetched document counts as current.
	freshFor = 5 * time.Minute
	// failureFor is the delay before another fetch after a failure.
	failureFor = 2 * time.Second
	// fetchTime limits fetching it.
	fetchTime = 15 * time.Second
)

// source provides the document. One goroutine at a time fetches it.
type source struct {
	mu    sync.Mutex
	known *api
	err   error
	at    time.Time
	busy  chan struct{} // closed when the current fetch has ended; nil if none runs
}

// newDocumentError means that the document is unavailable. It does not quote the address, which may be secret.
func newDocumentError(err error) error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeUpstream, Err: err, RetryAfter: failureFor,
		Public: "the OpenAPI document of the server could not be read",
	}
}

// loadDocument returns the parsed document. It serves an old document while fetching the new one, so that a server
// which has worked survives an outage of the document's host.
func (v *Server) loadDocument(ctx context.Context) (*api, error) {
	s := &v.api
	if v.set.Document != nil {
		return s.known, nil
	}
	s.mu.Lock()
	age := time.Since(s.at)
	if s.busy == nil && (s.err != nil && age > failureFor || s.err == nil && (s.known == nil || age > freshFor)) {
		s.busy = make(chan struct{})
		go v.refresh(context.WithoutCancel(ctx), s.busy)
	}
	busy, known, err := s.busy, s.known, s.err
	s.mu.Unlock()
	switch {
	case known != nil:
		return known, nil
	case busy == nil:
		return nil, newDocumentError(err)
	}
	select {
	case <-busy:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		return nil, newDocumentError(s.err)
	}
	return s.known, nil
}

// refresh fetches the document, or keeps the old one if that fails.
func (v *Server) refresh(ctx context.Context, done chan struct{}) {
	defer close(done)
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	fetched, err := v.fetch(ctx)
	v.api.mu.Lock()
	defer v.api.mu.Unlock()
	if v.api.err, v.api.at, v.api.busy = err, time.Now(), nil; err == nil {
		v.api.known = fetched
	}
}

// fetch reads the document at its URL. It sends the API's credentials only if the document is below the API's address.
func (v *Server) fetch(ctx context.Context) (_ *api, err error) {
	defer func() {
		if r := recover(); r != nil { // this goroutine's panic would end the process
			err = errors.New("panic while reading the document")
		}
	}()
	u, err := checkURL(v.set.DocumentURL, v.set.AllowPrivate)
	if err != nil {
		return nil, err
	}
	r := &upstream.Request{Method: http.MethodGet, URL: u, Timeouts: v.set.Timeouts}
	r.Header = append(r.Header, upstream.Field{Name: "Accept", Value: "application/json, application/yaml, text/yaml, */*"})
	if u.Scheme == v.url.Scheme && strings.EqualFold(u.Host, v.url.Host) {
		r.Header = append(r.Header, v.set.Header...)
	}
	resp, err := v.set.Client.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.Status != http.StatusOK {
		return nil, errors.New("the host of the document answered with another status than 200")
	}
	text, err := readAll(resp.Body, MaxDocument, nil)
	if err != nil {
		return nil, err
	}
	return v.read(text)
}

// read reads a document.
func (v *Server) read(text []byte) (*api, error) {
	d, err := parseDocument(text)
	if err != nil {
		return nil, err
	}
	a := &api{byName: map[string]*operation{}, list: []byte(`{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[`)}
	if a.operations, err = d.readOperations(v.set.Operations, v.isReserved); err != nil {
		return nil, err
	}
	for i, o := range a.operations {
		if i > 0 {
			a.list = append(a.list, ',')
		}
		a.byName[o.tool], a.list = o, append(a.list, o.definition...)
	}
	a.list = append(a.list, "]}"...)
	return a, nil
}

// isReserved reports whether clients must not set a header: it belongs to the connection, the credentials or the configuration.
func (v *Server) isReserved(header string) bool {
	switch low := strings.ToLower(header); low {
	case "accept", "content-type", "authorization", "host", "content-length", "transfer-encoding", "connection", "keep-alive",
		"proxy-connection", "proxy-authorization", "upgrade", "expect", "te", "trailer", "cookie", "accept-encoding", "forwarded",
		"traceparent", "tracestate":
		return true
	default:
		for _, f := range v.set.Header {
			if strings.EqualFold(f.Name, header) {
				return true
			}
		}
		return strings.HasPrefix(low, "x-forwarded-") || strings.HasPrefix(low, "sec-")
	}
}
