package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// formatListen writes a modern client's request for notifications.
func formatListen(notifications string) string {
	return `{"jsonrpc":"2.0","id":"l-1","method":"subscriptions/listen","params":{"notifications":` + notifications +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
}

var listenHeader = []string{
	"Mcp-Protocol-Version", dialect.ModernVersion, "Mcp-Method", "subscriptions/listen", "Accept", "application/json, text/event-stream",
}

// openStream opens a modern stream and reads up to its acknowledgement. The test closes it.
func (g *gate) openStream(t *testing.T, path, key, notifications string) (*http.Response, *bufio.Scanner) {
	t.Helper()
	r := g.request(key, strings.NewReader(formatListen(notifications)), listenHeader...)
	r.URL.Path = path
	res, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	if res.StatusCode == http.StatusOK {
		require.Contains(t, nextData(lines), `"notifications/subscriptions/acknowledged"`)
	}
	return res, lines
}

// nextData returns the data of the next event, or "" at the end of the stream.
func nextData(lines *bufio.Scanner) string {
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return data
		}
	}
	return ""
}

func TestAClientHearsOnlyOfWhatItMayRead(t *testing.T) {
	peer := newChangingPeer(t, true)
	g := openJoined(t, map[string]string{"peer": peer.url, "second": peer.url}, func(s tools.Servers) {
		setEra(s["peer"], true)
		setEra(s["second"], true)
		s["peer"].Resources = []string{"file:///note"}
	}, "peer", "second")
	for name, c := range map[string]struct {
		path, key, notifications string
		status                   int
		says                     string
	}{
		"a resource that is not served":   {"/mcp/peer", "dev", `{"resourceSubscriptions":["file:///secret"]}`, 404, "no prompt or resource"},
		"one of two":                      {"/mcp/peer", "dev", `{"resourceSubscriptions":["file:///note","file:///secret"]}`, 404, "no prompt or resource"},
		"a path trick":                    {"/mcp/peer", "dev", `{"resourceSubscriptions":["file:///note/../secret"]}`, 404, "no prompt or resource"},
		"through the virtual server":      {"/mcp/all", "dev", `{"resourceSubscriptions":["mcp://peer/file:///secret"]}`, 404, "no prompt or resource"},
		"of no member":                    {"/mcp/all", "dev", `{"resourceSubscriptions":["mcp://x/file:///note"]}`, 404, "no prompt or resource"},
		"of two members":                  {"/mcp/all", "dev", `{"resourceSubscriptions":["mcp://peer/file:///note","mcp://second/file:///note"]}`, 400, "several servers"},
		"a key without a scope for tools": {"/mcp/peer", "chat", `{"toolsListChanged":true}`, 403, "scope"},
		"no key":                          {"/mcp/peer", "", `{"toolsListChanged":true}`, 401, ""},
		"nothing":                         {"/mcp/peer", "dev", `null`, 400, "notifications"},
		"no list":                         {"/mcp/peer", "dev", `{"resourceSubscriptions":"file:///note"}`, 400, "array"},
		"no address":                      {"/mcp/peer", "dev", `{"resourceSubscriptions":[7]}`, 400, "array"},
		"an empty address":                {"/mcp/peer", "dev", `{"resourceSubscriptions":[""]}`, 400, "4096"},
		"an invisible address":            {"/mcp/peer", "dev", `{"resourceSubscriptions":["file:///n\u200bote"]}`, 400, "invisible"},
		"too many addresses": {
			"/mcp/peer", "dev", `{"resourceSubscriptions":["` + strings.Repeat(`file:///note","`, 64) + `file:///note"]}`, 400, "at most 64",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := g.postTo(c.path, c.key, formatListen(c.notifications), listenHeader...)
			assert.Equal(t, c.status, a.status, a.body)
			assert.Contains(t, a.body, c.says)
			assert.Contains(t, a.body, `"error"`)
		})
	}
	legacy := newChangingPeer(t, false)
	old := openJoined(t, map[string]string{"peer": legacy.url}, func(s tools.Servers) {
		setEra(s["peer"], false)
		s["peer"].Resources = []string{"file:///note"}
	}, "peer")
	s := hear(t, old, "peer", dialect.LegacyVersion)
	require.Error(t, s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "file:///secret"}))
	require.Error(t, hear(t, old, "all", dialect.LegacyVersion).Subscribe(t.Context(), &sdk.SubscribeParams{URI: "mcp://peer/file:///secret"}))
	assert.Zero(t, legacy.count("file:///secret"))
	require.NoError(t, s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "file:///note"}))
	legacy.change(t, "file:///note")
	assert.Equal(t, "file:///note", await(t, s.updates))
}

func TestStreamsAreBoundedForEachKeyAndFreedWhenTheyEnd(t *testing.T) {
	peer := newChangingPeer(t, true)
	g := openTools(t, peer.url, modern)
	var open []*http.Response
	for range 16 {
		res, _ := g.openStream(t, "/mcp/peer", "dev", `{"toolsListChanged":true}`)
		require.Equal(t, 200, res.StatusCode)
		open = append(open, res)
	}
	res, _ := g.openStream(t, "/mcp/peer", "dev", `{"toolsListChanged":true}`)
	assert.Equal(t, 429, res.StatusCode)
	other, _ := g.openStream(t, "/mcp/peer", "other", `{"toolsListChanged":true}`)
	assert.Equal(t, 200, other.StatusCode, "another key is not limited by it")
	require.NoError(t, open[0].Body.Close())
	require.Eventually(t, func() bool {
		r := g.request("dev", strings.NewReader(formatListen(`{"toolsListChanged":true}`)), listenHeader...)
		r.URL.Path = "/mcp/peer"
		again, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return false
		}
		_ = again.Body.Close()
		return again.StatusCode == 200
	}, generous, 10*time.Millisecond, "a stream that the client has left makes room")
}

func TestASessionSubscribesToABoundedNumberOfResources(t *testing.T) {
	peer := newChangingPeer(t, false)
	for i := range 70 {
		uri := fmt.Sprintf("file:///many/%d", i)
		peer.server.AddResource(&sdk.Resource{Name: uri[8:], URI: uri}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{}, nil
		})
	}
	g := openTools(t, peer.url, func(s *tools.Server) { setEra(s, false) })
	s := hear(t, g, "peer", dialect.LegacyVersion)
	for i := range 64 {
		require.NoError(t, s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: fmt.Sprintf("file:///many/%d", i)}))
	}
	require.ErrorContains(t, s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "file:///many/64"}), "Too Many")
	require.NoError(t, s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "file:///many/3"}), "once more is no other one")
	require.NoError(t, s.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: "file:///many/3"}))
	require.NoError(t, s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "file:///many/64"}))
	require.NoError(t, s.Close())
	require.NoError(t, hear(t, g, "peer", dialect.LegacyVersion).Subscribe(t.Context(), &sdk.SubscribeParams{URI: "file:///note"}))
	assert.Equal(t, 1, g.proxy.CountSubscriptions(), "the end of a session ends its subscriptions")
}

func TestAStreamEndsWithTheRightToItAndAtTheShutdown(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *gate){
		"the key is revoked": func(_ *testing.T, g *gate) {
			now := g.proxy.Snapshots.Acquire()
			defer now.Release()
			key := auth.Key{ID: "id-dev", Tenant: "tenant-a", Hash: auth.Hash(g.key["other"])}
			g.proxy.Snapshots.Swap(snapshot.New(now.Runtime, auth.NewKeys([]auth.Tenant{{ID: "tenant-a"}}, []auth.Key{key}), 2))
		},
		"the configuration changes": func(t *testing.T, g *gate) { g.turnOnGuards(t) },
		"the gateway shuts down": func(t *testing.T, g *gate) {
			require.NoError(t, g.proxy.ShutdownSockets(t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			peer := newChangingPeer(t, true)
			s := withPeer(t, peer.url, setup{}, modern)
			g := open(t, s)
			g.proxy.SetListenCheck(5 * time.Millisecond)
			res, lines := g.openStream(t, "/mcp/peer", "dev", `{"toolsListChanged":true}`)
			require.Equal(t, 200, res.StatusCode)
			peer.addTool("second")
			assert.Contains(t, nextData(lines), `"notifications/tools/list_changed"`)
			change(t, g)
			assert.JSONEq(t, `{"jsonrpc":"2.0","id":"l-1","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"l-1"}}}`, nextData(lines))
			assert.Empty(t, nextData(lines), "and nothing after it")
		})
	}
}

func TestAGuardThatJudgesWholeAnswersHasNoStreams(t *testing.T) {
	peer := newChangingPeer(t, true)
	g := openToolsWith(t, peer.url, setup{links: []chain.Link{link("whole", wholeOnly{}, core.Request, core.Response)}}, modern)
	a := g.postTo("/mcp/peer", "dev", formatListen(`{"toolsListChanged":true}`), listenHeader...)
	assert.Equal(t, 404, a.status)
	assert.Contains(t, a.body, "-32601")
	s := connect(t, g, g.key["dev"])
	assert.False(t, s.InitializeResult().Capabilities.Tools.ListChanged, "and the server promises none")
}
