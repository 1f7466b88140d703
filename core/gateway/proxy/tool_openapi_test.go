package proxy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp/openapi"
)

const peopleAPI = `{"openapi":"3.1.0","info":{"title":"People"},"paths":{
	"/people/{mail}":{"get":{"operationId":"findPerson","description":"Finds a person",
		"parameters":[{"name":"mail","in":"path","required":true,"schema":{"type":"string"}}]}},
	"/all":{"delete":{"operationId":"eraseAll"}}}}`

func TestAnAPIIsAServerForClientsOfBothErasUnderTheChain(t *testing.T) {
	seen := make(chan string, 16)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, _ := url.PathUnescape(r.URL.EscapedPath())
		seen <- path
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"name":"Jo","boss":"boss@corp-mail.com"}`)
	}))
	t.Cleanup(api.Close)
	client := upstream.NewLean(upstream.LeanOptions{Dial: upstream.PublicDialer{AllowPrivate: true}.Dial})
	t.Cleanup(func() { _ = client.Close() })
	for name, restores := range map[string]bool{"/people/{{PII_EMAIL_": false, "/people/jo.smith@corp-mail.com": true} {
		up, err := openapi.New(openapi.Settings{
			Name: "people", URL: api.URL, AllowPrivate: true, Document: []byte(peopleAPI), Operations: []string{"find*"}, MaxAnswer: 1 << 20,
			Client: client,
		})
		require.NoError(t, err)
		server := &tools.Server{Name: "people", Upstream: up, Era: dialect.Modern, Restores: restores, Pin: tools.PinFirstUse}
		bridge.Attach(server, bridge.NewMemory())
		servers := tools.Servers{"people": server}
		servers.Adopt(nil)
		servers.SetSealer(sessionBox(t))
		servers.SetPins(tools.NewPins(nil))
		g := open(t, setup{chain: redacting(t, ""), runtime: func(rt *snapshot.Runtime) { rt.Servers = tools.NewSet(servers) }})
		for _, version := range []string{dialect.ModernVersion, dialect.LegacyVersion} {
			s := talk(t, g, "people", version)
			ctx, cancel := context.WithTimeout(t.Context(), generous)
			names, _ := toolNamesOf(ctx, t, s)
			assert.Equal(t, []string{"findPerson"}, names, version)
			got, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "findPerson", Arguments: map[string]any{"mail": "jo.smith@corp-mail.com"}})
			assert.JSONEq(t, `{"name":"Jo","boss":"boss@corp-mail.com"}`, resultText(t, got, err), "the client reads its own values")
			assert.Contains(t, <-seen, name)
			_, err = s.CallTool(ctx, &sdk.CallToolParams{Name: "eraseAll"})
			require.Error(t, err)
			cancel()
		}
	}
	assert.Empty(t, seen)
}
