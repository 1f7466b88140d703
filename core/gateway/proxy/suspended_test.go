package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// "Suspended tenant, on every governed POST; model lists go on."
func TestASuspendedTenantListsModelsAndStartsNothing(t *testing.T) {
	g := open(t, setup{})
	e := gin.New()
	g.proxy.Mount(e)
	posts, lists := 0, 0
	for _, r := range e.Routes() {
		path := r.Path
		if r.Method == http.MethodGet && path == "/v1/responses" { // a WebSocket; see TestASocketEndsWithItsKey
			continue
		}
		if path == "/v1/realtime" { // a WebSocket, which is not a list
			req, err := http.NewRequest(http.MethodGet, g.url+path, nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+g.key["suspended"])
			assert.Equal(t, 403, g.do(req).status, path)
			continue
		}
		// There are no servers and agents here; see TestBadMessagesAreRefusedAsJSONRPCErrors.
		if strings.HasPrefix(path, "/mcp") || strings.HasPrefix(path, "/a2a/") {
			continue
		}
		if i := len(path) - len("/*call"); i > 0 && path[i:] == "/*call" {
			path = path[:i] + "/mock-echo"
			if r.Method == http.MethodPost {
				path += ":generateContent"
			}
		}
		if r.Method == http.MethodGet {
			lists++
			req, err := http.NewRequest(http.MethodGet, g.url+path, nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+g.key["suspended"])
			want := 200
			if path == "/anthropic/v1/models/mock-echo" { // of another provider
				want = 404
			}
			assert.Equal(t, want, g.do(req).status, path)
			continue
		}
		posts++
		a := g.postTo(path, "suspended", `{"model":"mock-echo","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`)
		assert.Equal(t, 403, a.status, path)
		assert.Contains(t, a.body, "suspended", path)
	}
	assert.GreaterOrEqual(t, posts, 14)
	assert.Equal(t, 12, lists)
	a := g.postTo("/v1/budget/estimate", "suspended", `{"model":"mock-echo"}`)
	assert.Equal(t, "TENANT_SUSPENDED", errorOf(t, a)["code"])
}
