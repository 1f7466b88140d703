package proxy_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// changingPeer is a server of the official SDK with resources that clients can subscribe to.
type changingPeer struct {
	url    string
	server *sdk.Server
	mu     sync.Mutex
	active map[string]int // subscriptions by address
}

func (p *changingPeer) count(uri string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.active[uri]
}

func (p *changingPeer) add(uri string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active[uri] += n
}

func newChangingPeer(t *testing.T, stateless bool) *changingPeer {
	t.Helper()
	p := &changingPeer{active: map[string]int{}}
	p.server = sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1"}, &sdk.ServerOptions{
		SubscribeHandler: func(_ context.Context, r *sdk.SubscribeRequest) error {
			p.add(r.Params.URI, 1)
			return nil
		},
		UnsubscribeHandler: func(_ context.Context, r *sdk.UnsubscribeRequest) error {
			p.add(r.Params.URI, -1)
			return nil
		},
	})
	p.addTool("plain")
	for _, uri := range []string{"file:///note", "file:///other", "file:///secret"} {
		p.server.AddResource(&sdk.Resource{Name: uri[8:], URI: uri}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, Text: "a note"}}}, nil
		})
	}
	srv := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return p.server }, &sdk.StreamableHTTPOptions{Stateless: stateless}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	p.url = srv.URL
	return p
}

func (p *changingPeer) addTool(name string) {
	sdk.AddTool(p.server, &sdk.Tool{Name: name}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil, nil
	})
}

// change says that a resource has changed.
func (p *changingPeer) change(t *testing.T, uri string) {
	t.Helper()
	require.NoError(t, p.server.ResourceUpdated(t.Context(), &sdk.ResourceUpdatedNotificationParams{URI: uri}))
}

// hearer is a client that listens.
type hearer struct {
	*sdk.ClientSession

	updates chan string
	lists   chan string
}

// hear connects a client of a revision that listens to a server.
func hear(t *testing.T, g *gate, server, version string) *hearer {
	t.Helper()
	h := &hearer{updates: make(chan string, 64), lists: make(chan string, 64)}
	c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { h.updates <- r.Params.URI },
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { h.lists <- "tools" },
	})
	s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: g.url + "/mcp/" + server, HTTPClient: &http.Client{Transport: bearer{g.key["dev"]}},
	}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	h.ClientSession = s
	return h
}

// await returns what arrives next.
func await(t *testing.T, of <-chan string) string {
	t.Helper()
	select {
	case s := <-of:
		return s
	case <-time.After(generous):
		require.FailNow(t, "nothing has arrived")
		return ""
	}
}

// pairsOfEras are the eras of a client and of its server.
var pairsOfEras = map[string]struct {
	version   string
	stateless bool
}{
	"modern to modern": {dialect.ModernVersion, true}, "modern to legacy": {dialect.ModernVersion, false},
	"legacy to modern": {dialect.LegacyVersion, true}, "legacy to legacy": {dialect.LegacyVersion, false},
}

// setEra states the era of a server as its peer speaks it.
func setEra(s *tools.Server, stateless bool) {
	if s.Era = dialect.Legacy; stateless {
		s.Era = dialect.Modern
	}
}

func TestAClientOfEitherEraHearsWhatChangesAtAServerOfEither(t *testing.T) {
	for name, c := range pairsOfEras {
		for server, prefix := range map[string]string{"peer": "", "all": "mcp://peer/"} {
			t.Run(name+", "+server, func(t *testing.T) {
				peer := newChangingPeer(t, c.stateless)
				g := openJoined(t, map[string]string{"peer": peer.url}, func(s tools.Servers) {
					setEra(s["peer"], c.stateless)
					s["peer"].Resources = []string{"file:///note", "file:///other"}
				}, "peer")
				s := hear(t, g, server, c.version)
				ctx, cancel := context.WithTimeout(t.Context(), generous)
				defer cancel()
				require.NoError(t, s.Subscribe(ctx, &sdk.SubscribeParams{URI: prefix + "file:///note"}))
				require.Eventually(t, func() bool { return peer.count("file:///note") == 1 }, generous, 5*time.Millisecond)
				peer.change(t, "file:///other")
				peer.change(t, "file:///note")
				assert.Equal(t, prefix+"file:///note", await(t, s.updates), "and nothing of what it has not subscribed to")
				require.NoError(t, s.Subscribe(ctx, &sdk.SubscribeParams{URI: prefix + "file:///other"}))
				require.Eventually(t, func() bool { return peer.count("file:///other") == 1 }, generous, 5*time.Millisecond)
				peer.change(t, "file:///other")
				assert.Equal(t, prefix+"file:///other", await(t, s.updates))
				peer.addTool("second")
				assert.Equal(t, "tools", await(t, s.lists))
				require.NoError(t, s.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: prefix + "file:///other"}))
				require.Eventually(t, func() bool { return peer.count("file:///other") == 0 }, generous, 5*time.Millisecond)
				peer.change(t, "file:///other")
				peer.change(t, "file:///note")
				assert.Equal(t, prefix+"file:///note", await(t, s.updates))
				require.NoError(t, s.Close())
				if name != "legacy to legacy" || server == "all" { // else the SDK's server ends the subscription with the session without a message
					require.Eventually(t, func() bool { return peer.count("file:///note") == 0 }, generous, 5*time.Millisecond)
				}
			})
		}
	}
}
