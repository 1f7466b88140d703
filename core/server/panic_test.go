package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/manage/admin/rest"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// broken panics when it is asked who somebody is.
type broken struct{}

func (broken) Authenticate(context.Context, *http.Request) (*auth.Actor, error) {
	panic("hidden-words of a request")
}

func TestAPanicOfAnAdministrativeHandlerIsAnsweredLoggedAndCounted(t *testing.T) {
	out := new(page)
	tel, err := telemetry.New(telemetry.Options{Out: out, Access: true})
	require.NoError(t, err)
	internal := http.NewServeMux()
	internal.HandleFunc("POST /internal/v1/records", func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, "half an")
		assert.NoError(t, err)
		panic("hidden-words again")
	})
	srv := httptest.NewServer(NewHandler(Options{
		Telemetry: tel, Internal: internal,
		Admin: &rest.Options{Auth: broken{}, Trace: proxy.ReadTrace, Failed: func(context.Context, error) {}},
	}))
	defer srv.Close()
	req, err := http.NewRequest("POST", srv.URL+"/admin/v1/tenants", strings.NewReader(`{"name":"hidden-name"}`))
	require.NoError(t, err)
	req.Header.Set("X-Trace-Id", "trace-7")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	var body struct {
		Error struct{ Type, Code, Message string }
	}
	require.NoError(t, json.NewDecoder(res.Body).Decode(&body))
	require.NoError(t, res.Body.Close())
	assert.Equal(t, 500, res.StatusCode)
	assert.Equal(t, "internal_error", body.Error.Code)
	assert.NotEmpty(t, body.Error.Message)
	assert.Equal(t, "trace-7", res.Header.Get("X-Trace-Id"))

	res, err = http.Post(srv.URL+"/internal/v1/records", "", strings.NewReader("x")) // which no client sends twice
	if err == nil {
		_, err = io.ReadAll(res.Body)
		require.NoError(t, res.Body.Close())
	}
	require.Error(t, err, "half an answer does not look whole")

	metrics := httptest.NewRecorder()
	tel.Handler().ServeHTTP(metrics, httptest.NewRequest("GET", "/metrics", nil))
	require.NoError(t, tel.Close())
	assert.Contains(t, metrics.Body.String(), "headgate_panics_total 2\n")
	assert.Contains(t, metrics.Body.String(), `headgate_admin_requests_total{operation="POST /admin/v1/tenants",status="500"} 1`)
	panics := 0
	for line := range strings.Lines(out.b.String()) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		if m["panic"] != nil {
			panics++
			assert.Equal(t, "error", m["level"])
			assert.Equal(t, "a value of type string", m["panic"])
			assert.Contains(t, m["stack"], "server.")
		}
	}
	assert.Equal(t, 2, panics)
	assert.NotContains(t, out.b.String(), "hidden")
}
