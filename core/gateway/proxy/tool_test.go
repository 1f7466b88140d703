package proxy_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// toolPeer is a server of the official SDK that notes what it receives.
type toolPeer struct {
	url  string
	mu   sync.Mutex
	seen bytes.Buffer
}

func (p *toolPeer) readReceived() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

func newToolPeer(t *testing.T, stateless bool) *toolPeer {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1"}, nil)
	type input struct {
		Text string `json:"text"`
	}
	echo := func(ctx context.Context, r *sdk.CallToolRequest, in input) (*sdk.CallToolResult, any, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: "half way"})
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "got " + in.Text}}}, nil, nil
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "repeats"}, echo)
	sdk.AddTool(s, &sdk.Tool{Name: "erase", Description: "erases"}, echo)
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: stateless})
	p := &toolPeer{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		p.seen.Write(body)
		p.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	p.url = srv.URL
	return p
}

// openTools starts a gateway with the server "peer" and the PII stage.
func openTools(t *testing.T, url string, change func(*tools.Server)) *gate {
	t.Helper()
	return openToolsWith(t, url, setup{chain: redacting(t, "")}, change)
}

// openToolsWith starts a gateway with the server "peer".
func openToolsWith(t *testing.T, url string, s setup, change func(*tools.Server)) *gate {
	t.Helper()
	return open(t, withPeer(t, url, s, change))
}

// withPeer adds the server "peer" to a setup.
func withPeer(t *testing.T, url string, s setup, change func(*tools.Server)) setup {
	t.Helper()
	up, err := mcp.New(mcp.Settings{URL: url, AllowPrivate: true, Timeouts: s.timeouts})
	require.NoError(t, err)
	t.Cleanup(func() { _ = up.Close() })
	server := &tools.Server{Name: "peer", Upstream: up.Upstream()}
	if change != nil {
		change(server)
	}
	servers := tools.Servers{"peer": server}
	servers.Adopt(nil)
	servers.SetSealer(sessionBox(t))
	s.runtime = func(rt *snapshot.Runtime) { rt.Servers = tools.NewSet(servers) }
	return s
}

// sessionBox seals as every node does that shares the master key.
func sessionBox(t *testing.T) *vault.Box {
	t.Helper()
	master, err := vault.OpenShared(make([]byte, 32))
	require.NoError(t, err)
	box, err := master.NewBox("mcp sessions")
	require.NoError(t, err)
	return box
}

// bearer adds a key to each request.
type bearer struct{ key string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects a client of the official SDK.
func connect(t *testing.T, g *gate, key string) *sdk.ClientSession {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: g.url + "/mcp/peer", HTTPClient: &http.Client{Transport: bearer{key}}, DisableStandaloneSSE: true,
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestAClientReachesAToolThroughTheGatewayAndTheServerSeesPlaceholders(t *testing.T) {
	for name, stateless := range map[string]bool{"modern": true, "legacy": false} {
		t.Run(name, func(t *testing.T) {
			peer := newToolPeer(t, stateless)
			g := openTools(t, peer.url, func(s *tools.Server) { s.Tools, s.Price = []string{"echo"}, 5 })
			s := connect(t, g, g.key["dev"])
			list, err := s.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, list.Tools, 1)
			assert.Equal(t, "echo", list.Tools[0].Name)
			const address = "jane.doe@example.com"
			p := &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "write to " + address}}
			p.SetProgressToken("p-1")
			got, err := s.CallTool(t.Context(), p)
			require.NoError(t, err)
			require.Len(t, got.Content, 1)
			assert.Equal(t, "got write to "+address, got.Content[0].(*sdk.TextContent).Text)
			assert.NotContains(t, peer.readReceived(), address)
			assert.Contains(t, peer.readReceived(), "EMAIL")
			_, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "erase", Arguments: map[string]any{"text": "x"}})
			require.Error(t, err)
			assert.NotContains(t, peer.readReceived(), `"erase"`)
		})
	}
}

func TestALegacyServerAsksTheClientDuringACall(t *testing.T) {
	s := sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1"}, nil)
	ask := func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{
			Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
		})
		if err != nil {
			return nil, nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: got.Action}}}, nil, nil
	}
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, ask)
	srv := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(srv.Close)
	g := openTools(t, srv.URL, func(s *tools.Server) { s.Era = dialect.Legacy })
	c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "x"}}, nil
		},
	})
	session, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: g.url + "/mcp/peer", HTTPClient: &http.Client{Transport: bearer{g.key["dev"]}}, DisableStandaloneSSE: true,
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	got, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{}})
	require.NoError(t, err)
	assert.Equal(t, "accept", got.Content[0].(*sdk.TextContent).Text)
}

func TestATrustedServerGetsTheValues(t *testing.T) {
	peer := newToolPeer(t, true)
	g := openTools(t, peer.url, func(s *tools.Server) { s.Restores = true })
	s := connect(t, g, g.key["dev"])
	const address = "jane.doe@example.com"
	got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": address}})
	require.NoError(t, err)
	assert.Equal(t, "got "+address, got.Content[0].(*sdk.TextContent).Text)
	assert.Contains(t, peer.readReceived(), address)
}

func TestACallOfAToolIsRecordedWithItsServerAndADigest(t *testing.T) {
	peer := newToolPeer(t, true)
	g := openTools(t, peer.url, func(s *tools.Server) { s.Price = 7 })
	s := connect(t, g, g.key["dev"])
	_, err := s.ListTools(t.Context(), nil) // so that the gateway knows the name
	require.NoError(t, err)
	_, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x"}})
	require.NoError(t, err)
	_ = s.Close()
	var request, response map[string]any
	require.Eventually(t, func() bool { // an exchange settles after its answer
		for _, r := range g.records() {
			switch {
			case r.payload["mcp_tool"] == "echo":
				request = r.payload
			case r.payload["model"] == "mcp/peer/echo":
				response = r.payload
			}
		}
		return response != nil
	}, generous, 5*time.Millisecond)
	assert.Equal(t, "peer", request["mcp_server"])
	assert.Equal(t, "tools/call", request["mcp_method"])
	assert.Len(t, request["arguments_sha256"], 64)
	assert.Equal(t, "mcp/peer", response["provider"])
	assert.Equal(t, "served", response["outcome"])
}

func TestBadMessagesAreRefusedAsJSONRPCErrors(t *testing.T) {
	peer := newToolPeer(t, false)
	g := openTools(t, peer.url, nil)
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"a batch":                          {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400},
		"no JSON":                          {`{`, 400},
		"a doubled member":                 {`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400},
		"an id of {}":                      {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400},
		"an unknown method":                {`{"jsonrpc":"2.0","id":1,"method":"tools/run"}`, 200},
		"deep nesting":                     {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 201), 400},
		"too large a body":                 {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", 2<<20) + `"}}`, 413},
		"a name of no tool":                {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"../x"}}`, 400},
		"a subscription without a session": {`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}`, 400},
		"an unknown version":               {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			a := g.postTo("/mcp/peer", g.key["dev"], c.body)
			assert.Equal(t, c.status, a.status, a.body)
			assert.Contains(t, a.body, `"jsonrpc":"2.0"`)
			assert.Contains(t, a.body, `"error"`)
		})
	}
	assert.Empty(t, peer.readReceived())
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	assert.Equal(t, 401, g.postTo("/mcp/peer", "", ping).status)
	suspended := g.postTo("/mcp/peer", "suspended", ping)
	assert.Equal(t, 403, suspended.status)
	assert.Contains(t, suspended.body, "suspended")
	assert.Equal(t, 404, g.postTo("/mcp/other", g.key["dev"], ping).status)
	assert.Equal(t, 403, g.postTo("/mcp/peer", g.key["chat"], `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).status)
	assert.Equal(t, 404, g.postTo("/mcp/peer", g.key["dev"], ping, "Mcp-Session-Id", "made-up").status)
	assert.Empty(t, peer.readReceived())
}

func TestASessionBelongsToTheKeyThatOpenedItOnEveryNode(t *testing.T) {
	node := func(name string) *tools.Server { return &tools.Server{Name: name, Sessions: sessionBox(t)} }
	a, b := &core.Principal{Tenant: "t", KeyID: "a"}, &core.Principal{Tenant: "t", KeyID: "b"}
	sealed := node("peer").SealSession(a, "s-1")
	assert.NotContains(t, sealed, "s-1")
	id, ok := node("peer").UnsealSession(a, sealed)
	assert.True(t, ok, "another node, or this one after a restart, opens it")
	assert.Equal(t, "s-1", id)
	_, ok = node("peer").UnsealSession(b, sealed)
	assert.False(t, ok)
	_, ok = node("other").UnsealSession(a, sealed)
	assert.False(t, ok)
}
