package proxy_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
)

// libraryPeer is a server with two prompts, two resources and a template.
func libraryPeer(t *testing.T, stateless bool) string {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "library", Version: "1"}, nil)
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "read"}}}, nil
	}
	for _, name := range []string{"open", "closed"} {
		s.AddPrompt(&sdk.Prompt{Name: name + "_review"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "review"}}}}, nil
		})
		s.AddResource(&sdk.Resource{Name: name, URI: "file:///" + name + "/note"}, read)
		s.AddResourceTemplate(&sdk.ResourceTemplate{Name: name, URITemplate: "file:///" + name + "/{+path}"}, read)
	}
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: stateless})
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// subjects are what a client sees of a server, and can use of it.
func subjects(ctx context.Context, t *testing.T, s *sdk.ClientSession, prefix, uri string) (listed, used []string) {
	t.Helper()
	prompts, err := s.ListPrompts(ctx, nil)
	require.NoError(t, err)
	for _, p := range prompts.Prompts {
		listed = append(listed, p.Name)
	}
	resources, err := s.ListResources(ctx, nil)
	require.NoError(t, err)
	for _, r := range resources.Resources {
		listed = append(listed, r.URI)
	}
	templates, err := s.ListResourceTemplates(ctx, nil)
	require.NoError(t, err)
	for _, r := range templates.ResourceTemplates {
		listed = append(listed, r.URITemplate)
	}
	for _, name := range []string{"open_review", "closed_review"} {
		if _, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: prefix + name}); err == nil {
			used = append(used, prefix+name)
		}
	}
	for _, name := range []string{"open/note", "closed/note", "open/other", "open/../closed/note", "open/%2e%2e/closed/note", `open\..\closed`} {
		if _, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri + "file:///" + name}); err == nil {
			used = append(used, uri+"file:///"+name)
		}
	}
	return listed, used
}

func TestPromptsAndResourcesAreAllowedAtTheListAndAtTheUseAlike(t *testing.T) {
	for name, rule := range map[string]func(*tools.Server){
		"by the server": func(s *tools.Server) { s.Prompts, s.Resources = []string{"open*"}, []string{"file:///open/*"} },
		"by the key": func(s *tools.Server) {
			s.Access = []tools.Access{
				{Tenants: []string{"elsewhere"}}, {Tenants: []string{"*"}, Prompts: []string{"open*"}, Resources: []string{"file:///open/*"}},
			}
		},
	} {
		for _, stateless := range []bool{true, false} {
			urls := map[string]string{"lib": libraryPeer(t, stateless)}
			g := openJoined(t, urls, func(s tools.Servers) { rule(s["lib"]) }, "lib")
			for _, version := range []string{dialect.ModernVersion, dialect.LegacyVersion} {
				for server, prefix := range map[string][2]string{"lib": {}, "all": {"lib__", "mcp://lib/"}} {
					t.Run(name+" "+version+" "+server, func(t *testing.T) {
						ctx, cancel := context.WithTimeout(t.Context(), generous)
						defer cancel()
						listed, used := subjects(ctx, t, talk(t, g, server, version), prefix[0], prefix[1])
						assert.Equal(t, []string{prefix[0] + "open_review", prefix[1] + "file:///open/note", prefix[1] + "file:///open/{+path}"}, listed)
						assert.Equal(t, []string{prefix[0] + "open_review", prefix[1] + "file:///open/note", prefix[1] + "file:///open/other"}, used)
					})
				}
			}
		}
	}
}

func TestAllServersThatAKeyMayUseAreUnderOneAddress(t *testing.T) {
	modern, _ := askingPeer(t, true)
	legacy, _ := askingPeer(t, false)
	g := openJoined(t, map[string]string{"a": modern, "b": legacy, "c": modern}, func(s tools.Servers) {
		s["c"].Access = []tools.Access{{Tenants: []string{"elsewhere"}}}
		all := &tools.Server{Name: tools.All}
		bridge.ConvertToVirtual(all, []tools.Member{{Server: s["a"]}, {Server: s["b"]}, {Server: s["c"]}}, generous, bridge.NewMemory())
		s[tools.All] = all
	}, "a", "b", "c")
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	for _, version := range []string{dialect.ModernVersion, dialect.LegacyVersion} {
		c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil)
		s, err := c.Connect(ctx, &sdk.StreamableClientTransport{
			Endpoint: g.url + "/mcp", HTTPClient: &http.Client{Transport: bearer{g.key["dev"]}}, DisableStandaloneSSE: true,
		}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		require.NoError(t, err)
		assert.Equal(t, "headgate", s.InitializeResult().ServerInfo.Name)
		names, _ := toolNamesOf(ctx, t, s)
		assert.Equal(t, []string{"a__greet", "a__plain", "b__greet", "b__plain"}, names)
		_, err = s.CallTool(ctx, &sdk.CallToolParams{Name: "b__plain", Arguments: map[string]any{}})
		require.NoError(t, err)
		_, err = s.CallTool(ctx, &sdk.CallToolParams{Name: "c__plain", Arguments: map[string]any{}})
		require.Error(t, err)
		require.NoError(t, s.Close())
	}
}
