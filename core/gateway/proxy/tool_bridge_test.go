package proxy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// askingPeer starts a server of the official SDK whose tool asks the client's user a name, and counts its sessions.
func askingPeer(t *testing.T, stateless bool) (url string, opened func() int) {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1"}, &sdk.ServerOptions{Instructions: "be kind"})
	schema := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}
	greet := func(name any) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "hello " + name.(string)}}}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "greet", Description: "asks for a name"},
		func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
			if token := r.Params.GetProgressToken(); token != nil {
				_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: "asking"})
			}
			ask := &sdk.ElicitParams{Message: "who are you?", RequestedSchema: schema}
			if stateless {
				if given, ok := r.Params.InputResponses["who"].(*sdk.ElicitResult); ok && r.Params.RequestState == "state-1" {
					return greet(given.Content["name"]), nil, nil
				}
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": ask}, RequestState: "state-1"}, nil, nil
			}
			given, err := r.Session.Elicit(ctx, ask)
			if err != nil {
				return nil, nil, err
			}
			return greet(given.Content["name"]), nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "plain", Description: "asks nothing"},
		func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return greet("world"), nil, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "review"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "review this"}}}}, nil
	})
	s.AddResource(&sdk.Resource{Name: "note", URI: "file:///note"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "file:///note", MIMEType: "text/plain", Text: "a note"}}}, nil
	})
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: stateless})
	var mu sync.Mutex
	sessions := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if strings.Contains(string(body), `"initialize"`) {
			mu.Lock()
			sessions++
			mu.Unlock()
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() int {
		mu.Lock()
		defer mu.Unlock()
		return sessions
	}
}

// openJoined starts a gateway with servers of both eras by name, each of which all clients can use, and the virtual server "all".
func openJoined(t *testing.T, urls map[string]string, change func(servers tools.Servers), names ...string) *gate {
	t.Helper()
	return openNarrow(t, nil, urls, change, names...)
}

// openNarrow is openJoined with places for exchanges.
func openNarrow(
	t *testing.T, tiers *route.Tiers, urls map[string]string, change func(servers tools.Servers), names ...string,
) *gate {
	t.Helper()
	servers, memory := tools.Servers{}, bridge.NewMemory()
	var members []tools.Member
	for _, name := range names {
		up, err := mcp.New(mcp.Settings{URL: urls[name], AllowPrivate: true})
		require.NoError(t, err)
		t.Cleanup(func() { _ = up.Close() })
		servers[name] = &tools.Server{Name: name, Upstream: up.Upstream()}
		bridge.Attach(servers[name], memory)
		members = append(members, tools.Member{Server: servers[name]})
	}
	all := &tools.Server{Name: "all"}
	bridge.ConvertToVirtual(all, members, generous, memory)
	servers["all"] = all
	if change != nil {
		change(servers)
	}
	servers.Adopt(nil)
	servers.SetSealer(sessionBox(t))
	s := setup{chain: redacting(t, "")}
	s.runtime = func(rt *snapshot.Runtime) { rt.Servers, rt.Tiers = tools.NewSet(servers), tiers }
	return open(t, s)
}

// talk connects a client of a revision, which answers questions with a name.
func talk(t *testing.T, g *gate, server, version string) *sdk.ClientSession {
	t.Helper()
	return talkBy(t, g, server, version, bearer{g.key["dev"]})
}

func talkBy(t *testing.T, g *gate, server, version string, by http.RoundTripper) *sdk.ClientSession {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Jo"}}, nil
		},
	})
	s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: g.url + "/mcp/" + server, HTTPClient: &http.Client{Transport: by}, DisableStandaloneSSE: true,
	}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func resultText(t *testing.T, r *sdk.CallToolResult, err error) string {
	t.Helper()
	require.NoError(t, err)
	require.Len(t, r.Content, 1)
	return r.Content[0].(*sdk.TextContent).Text
}

func TestAClientOfEitherEraUsesAServerOfEither(t *testing.T) {
	for name, c := range map[string]struct {
		version   string
		stateless bool
	}{
		"modern to modern": {dialect.ModernVersion, true}, "modern to legacy": {dialect.ModernVersion, false},
		"legacy to modern": {dialect.LegacyVersion, true}, "legacy to legacy": {dialect.LegacyVersion, false},
	} {
		t.Run(name, func(t *testing.T) {
			url, opened := askingPeer(t, c.stateless)
			g := openJoined(t, map[string]string{"peer": url}, func(s tools.Servers) {
				if s["peer"].Era = dialect.Legacy; c.stateless {
					s["peer"].Era = dialect.Modern
				}
			}, "peer")
			s := talk(t, g, "peer", c.version)
			assert.Equal(t, c.version, s.InitializeResult().ProtocolVersion)
			assert.Equal(t, "peer", s.InitializeResult().ServerInfo.Name)
			assert.Equal(t, "be kind", s.InitializeResult().Instructions)
			ctx, cancel := context.WithTimeout(t.Context(), generous)
			defer cancel()
			list, err := s.ListTools(ctx, nil)
			require.NoError(t, err)
			assert.Len(t, list.Tools, 2)
			for range 3 {
				got, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "plain", Arguments: map[string]any{}})
				assert.Equal(t, "hello world", resultText(t, got, err))
			}
			p := &sdk.CallToolParams{Name: "greet", Arguments: map[string]any{}}
			p.SetProgressToken("p-1")
			got, err := s.CallTool(ctx, p)
			assert.Equal(t, "hello Jo", resultText(t, got, err))
			prompt, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: "review"})
			require.NoError(t, err)
			assert.Len(t, prompt.Messages, 1)
			note, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: "file:///note"})
			require.NoError(t, err)
			assert.Equal(t, "a note", note.Contents[0].Text)
			if !c.stateless {
				assert.Equal(t, 1, opened(), "one session serves all calls of the client")
			}
		})
	}
}

func TestAStateBelongsToOneKeyAndOneCallAndIsUsedOnce(t *testing.T) {
	url, _ := askingPeer(t, false)
	g := openJoined(t, map[string]string{"peer": url}, func(s tools.Servers) { s["peer"].Era = dialect.Legacy }, "peer")
	const able = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	call := func(key, tool, more string) answer {
		return g.sendTool(key, "tools/call", tool, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{`+able+`,"name":"`+tool+`","arguments":{}`+more+`}}`)
	}
	asked := func() string {
		t.Helper()
		a := call("dev", "greet", "")
		require.Contains(t, a.body, `"resultType":"input_required"`)
		require.Contains(t, a.body, "who are you?")
		_, state, ok := strings.Cut(a.body, `"requestState":"`)
		require.True(t, ok)
		state, _, _ = strings.Cut(state, `"`)
		return `,"requestState":"` + state + `","inputResponses":{"ask":{"action":"accept","content":{"name":"Jo"}}}`
	}
	state := asked()
	assert.Contains(t, call("other", "greet", state).body, "no call of this key waits")
	assert.Contains(t, call("dev", "greet", state).body, "hello Jo")
	assert.Contains(t, call("dev", "greet", state).body, "no call of this key waits", "a second time")
	assert.Contains(t, call("dev", "plain", asked()).body, "no call of this key waits", "for another tool")
	assert.Contains(t, call("dev", "greet", `,"requestState":"made-up"`).body, "no call of this key waits")
	a := g.callTool("dev", "greet", "x") // cannot be asked
	assert.NotContains(t, a.body, "input_required")
}
