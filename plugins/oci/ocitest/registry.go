// Package ocitest is a registry of the OCI distribution specification for tests.
package ocitest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Registry is a registry in this process, for tests: what the distribution specification asks of blobs and manifests, and no more.
type Registry struct {
	mu     sync.Mutex
	Stored map[string][]byte // by digest; manifests also by tag
	Types  map[string]string // media types of manifests
	Host   string

	user  string // whose password is "open sesame"; empty for anybody
	asked int
}

// New starts a registry that ends with the test.
func New(t testing.TB) *Registry {
	t.Helper()
	s := &Registry{Stored: map[string][]byte{}, Types: map[string]string{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.Host = strings.TrimPrefix(server.URL, "http://")
	return s
}

// RequireUser has the registry refuse everybody but a user whose password is "open sesame".
func (s *Registry) RequireUser(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user = name
}

// CountRequests returns how many requests there were.
func (s *Registry) CountRequests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// DigestBytes returns the digest of content.
func DigestBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ServeHTTP implements http.Handler.
func (s *Registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if name, password, _ := r.BasicAuth(); s.user != "" && (name != s.user || password != "open sesame") {
		w.Header().Set("WWW-Authenticate", `Basic realm="shelf"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	body, _ := io.ReadAll(r.Body) // a test's own
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch {
	case r.Method == http.MethodPost:
		w.Header().Set("Location", r.URL.Path+"upload")
		w.WriteHeader(http.StatusAccepted)
	case r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/blobs/"):
		s.Stored[r.URL.Query().Get("digest")] = body
		w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPut:
		for _, key := range []string{name, DigestBytes(body)} {
			s.Stored[key], s.Types[key] = body, r.Header.Get("Content-Type")
		}
		w.Header().Set("Docker-Content-Digest", DigestBytes(body))
		w.WriteHeader(http.StatusCreated)
	default:
		if strings.Contains(r.URL.Path, "/referrers/") {
			name = "referrers/" + name
		}
		b, ok := s.Stored[name]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if typ := s.Types[name]; typ != "" {
			w.Header().Set("Content-Type", typ)
			w.Header().Set("Docker-Content-Digest", DigestBytes(b))
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(b) // the client may have left
		}
	}
}
