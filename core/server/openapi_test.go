package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/manage/admin/rest"
	"github.com/headgate-dev/headgate/core/telemetry"
)

func testEngine(t *testing.T, key string) *gin.Engine {
	t.Helper()
	tel, err := telemetry.New(telemetry.Options{Out: t.Output()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, tel.Close()) })
	o := Options{
		Proxy: proxy.New(proxy.Options{Telemetry: tel, Started: time.Now()}), Telemetry: tel, ActuatorKey: key,
		Status:  func() Status { return Status{Status: "ok"} },
		License: func(context.Context) (any, error) { return map[string]string{"posture": "DEVELOPMENT"}, nil },
	}
	o.Knows = func(r *http.Request, _ bool) bool { return r.Header.Get("Authorization") == "Bearer known" }
	jobs := batch.Service{}
	o.Batches = jobs.Routes()
	return newPublicEngine(o)
}

func get(e http.Handler, path, key string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

func TestThePublicDocumentDescribesEveryEndpointOfTheDataPlane(t *testing.T) {
	e := testEngine(t, "")
	w := get(e, "/v3/api-docs/public", "known")
	require.Equal(t, 200, w.Code)
	var doc struct {
		OpenAPI string                    `json:"openapi"`
		Paths   map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &doc))
	assert.Regexp(t, `^3\.`, doc.OpenAPI)
	mounted := 0
	for _, r := range e.Routes() {
		of := func(prefix string) bool { return strings.HasPrefix(r.Path, prefix) }
		if !of("/v1/") && !of("/mcp") && !of("/a2a/") && r.Path != "/status" {
			continue
		}
		mounted++
		path := strings.NewReplacer("*call", "{call}", ":id", "{id}", ":name", "{name}", ":push", "{push}").Replace(r.Path) // as OpenAPI writes a parameter
		assert.Contains(t, doc.Paths[path], strings.ToLower(r.Method), "%s %s", r.Method, r.Path)
	}
	described := 0
	for _, methods := range doc.Paths {
		described += len(methods)
	}
	assert.Equal(t, mounted, described, "the document describes what there is, and no more")
	for _, path := range []string{"/v3/api-docs/public.yaml", "/v3/api-docs/internal", "/v3/api-docs/internal.yaml"} {
		w := get(e, path, "known")
		assert.Equal(t, 200, w.Code, path)
		assert.NotEmpty(t, w.Header().Get("X-Trace-Id"), path)
	}
}

func TestADocumentIsMadeOnce(t *testing.T) {
	e := testEngine(t, "")
	for _, path := range []string{"/v3/api-docs/public", "/v3/api-docs/public.yaml", "/v3/api-docs/internal.yaml"} {
		get(e, path, "known")
		assert.Less(t, testing.AllocsPerRun(5, func() { get(e, path, "known") }), 200.0, "whoever has a key may ask for it, as often as they like: %s", path)
	}
}

func TestTheActuatorNeedsItsKey(t *testing.T) {
	for _, c := range []struct {
		name, key, sent string
		want            int
	}{
		{"the right key opens it", "secret", "secret", 200},
		{"a wrong key does not", "secret", "Secret", 401},
		{"no key does not", "secret", "", 401},
		{"without a key in the environment it is closed", "", "", 401},
		{"an empty key never matches", "", " ", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := testEngine(t, c.key)
			for _, path := range []string{"/actuator/gateway-status", "/actuator/license"} {
				w := get(e, path, c.sent)
				assert.Equal(t, c.want, w.Code, path)
				assert.NotEmpty(t, w.Header().Get("X-Trace-Id"), path)
				if c.want == 401 {
					assert.Contains(t, w.Body.String(), `"code":"UNAUTHORIZED"`)
				}
			}
			if c.want == 200 {
				assert.Contains(t, get(e, "/actuator/license", c.sent).Body.String(), "DEVELOPMENT")
			}
		})
	}
}

func TestTheStatusIsShortAndTheAPIDocumentsAreClosedWithoutAKey(t *testing.T) {
	e := testEngine(t, "secret")
	for _, key := range []string{"", "unknown"} {
		assert.JSONEq(t, `{"status":"ok"}`, get(e, "/status", key).Body.String())
		for _, path := range []string{"/v3/api-docs/public", "/v3/api-docs/public.yaml", "/v3/api-docs/internal", "/v3/api-docs/internal.yaml"} {
			w := get(e, path, key)
			assert.Equal(t, 401, w.Code, path)
			assert.Equal(t, "Bearer", w.Header().Get("Www-Authenticate"))
			assert.Contains(t, w.Body.String(), `"code":"UNAUTHORIZED"`)
		}
	}
	for _, key := range []string{"known", "secret"} {
		assert.Contains(t, get(e, "/status", key).Body.String(), `"version"`)
		assert.Equal(t, 200, get(e, "/v3/api-docs/public", key).Code)
	}
}

func TestTheAdministrativeAPIHasAPortOfItsOwnWhereConfigured(t *testing.T) {
	tel, err := telemetry.New(telemetry.Options{Out: t.Output()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, tel.Close()) })
	o := Options{
		Proxy: proxy.New(proxy.Options{Telemetry: tel, Started: time.Now()}), Telemetry: tel, Admin: new(rest.Options), Listen: "127.0.0.1:0",
		Status: func() Status { return Status{Status: "ok"} }, Ready: func(context.Context) error { return nil },
		Knows: func(*http.Request, bool) bool { return true },
	}
	paths := func(h http.Handler) (admin, data bool) {
		var doc struct {
			Paths map[string]any `json:"paths"`
		}
		require.NoError(t, json.Unmarshal(get(h, "/v3/api-docs/public", "known").Body.Bytes(), &doc))
		_, admin = doc.Paths["/admin/v1/tenants"]
		_, data = doc.Paths["/v1/chat/completions"]
		return admin, data
	}
	admin, data := paths(newPublicEngine(o))
	assert.True(t, admin && data, "one port serves both by default")

	o.AdminListen = "127.0.0.1:0"
	admin, data = paths(newPublicEngine(o))
	assert.True(t, !admin && data)
	admin, data = paths(newAdminEngine(o))
	assert.True(t, admin && !data)
	for _, path := range []string{"/admin/v1/tenants", "/admin/v1/"} {
		assert.Equal(t, 404, get(newPublicEngine(o), path, "").Code, path)
	}
	for _, path := range []string{"/v1/models", "/status", "/try", "/internal/v1/config/version", "/actuator/license", "/readyz"} {
		assert.Equal(t, 404, get(newAdminEngine(o), path, "").Code, path)
	}
}
