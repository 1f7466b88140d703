package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/manage/admin/rest"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// page is what a log is written to.
type page struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

// noAdmins refuses every administrator.
type noAdmins struct{}

func (noAdmins) Authenticate(context.Context, *http.Request) (*auth.Actor, error) {
	return nil, &core.Error{Kind: core.Unauthenticated, Code: "unauthenticated", Public: "show a token"}
}

func TestALineOfAnAdministrativeRequestHasItsTraceAndItsOperationAndNothingOfItsContent(t *testing.T) {
	out := new(page)
	tel, err := telemetry.New(telemetry.Options{Out: out, Access: true, Level: "debug"})
	require.NoError(t, err)
	internal := http.NewServeMux()
	internal.HandleFunc(
		"GET /internal/v1/config/files/{digest}",
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	)
	e := newPublicEngine(Options{
		Telemetry: tel, Proxy: proxy.New(proxy.Options{Telemetry: tel, Started: time.Now()}), Internal: internal,
		Admin: &rest.Options{Auth: noAdmins{}, Trace: proxy.ReadTrace, Failed: func(context.Context, error) {}},
	})
	for _, c := range []struct {
		method, path, pattern string
		status                int
	}{
		{"GET", "/admin/v1/tenants/hidden-id?q=hidden-query", "/admin/v1/tenants/:id", 401},
		{"POST", "/admin/v1/tenants", "/admin/v1/tenants", 401},
		{"GET", "/admin/v1/hidden-nowhere", "/admin/v1/*path", 404},
		{"GET", "/internal/v1/config/files/hidden-digest", "/internal/v1/config/files/{digest}", 204},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(`{"name":"hidden-name"}`))
		r.Header.Set("Authorization", "Bearer headgate_pat_hidden")
		r.Header.Set("X-Trace-Id", "trace-7")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		require.Equal(t, c.status, w.Code, c.path)
		assert.Equal(t, "trace-7", w.Header().Get("X-Trace-Id"), c.path)
	}
	metrics := httptest.NewRecorder()
	tel.Handler().ServeHTTP(metrics, httptest.NewRequest("GET", "/metrics", nil))
	require.NoError(t, tel.Close())
	var patterns []any
	for line := range strings.Lines(out.b.String()) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		assert.Equal(t, "trace-7", m["trace_id"], line)
		patterns = append(patterns, m["path"])
	}
	assert.Equal(t, []any{"/admin/v1/tenants/:id", "/admin/v1/tenants", "/admin/v1/*path", "/internal/v1/config/files/{digest}"}, patterns)
	assert.NotContains(t, out.b.String(), "hidden")
	assert.Contains(t, metrics.Body.String(), `headgate_admin_requests_total{operation="GET /admin/v1/tenants/:id",status="401"} 1`)
	assert.Contains(
		t,
		metrics.Body.String(),
		`headgate_admin_requests_total{operation="GET /internal/v1/config/files/{digest}",status="204"} 1`,
	)
	assert.NotContains(t, metrics.Body.String(), "hidden")
}

func TestTheProfilesTellNothingOfTheCommandLine(t *testing.T) {
	srv := httptest.NewServer(newProfiles())
	defer srv.Close()
	for path, status := range map[string]int{"/debug/pprof/": 200, "/debug/pprof/heap": 200, "/debug/pprof/goroutine": 200, "/debug/pprof/symbol": 200, "/debug/pprof/cmdline": 404} {
		res, err := http.Get(srv.URL + path)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, status, res.StatusCode, path)
	}
}
