package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers"
)

// turnProvider is a provider that has the WebSocket mode of the Responses API, and answers over HTTP as well.
type turnProvider struct {
	url string
	mu  sync.Mutex
	// opened and posted count sockets and requests over HTTP; asked are the events of all sockets.
	opened, posted int
	asked          []string
}

// newTurnProvider calls serve for each event. It returns false to end the socket.
func newTurnProvider(t *testing.T, open bool, serve func(ctx context.Context, c *websocket.Conn, n int, event string) bool) *turnProvider {
	p := &turnProvider{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer "+upstreamKey, r.Header.Get("Authorization"))
		assert.Equal(t, "/v1/responses", r.URL.Path)
		if r.Method == http.MethodPost {
			p.mu.Lock()
			p.posted++
			p.mu.Unlock()
			head, body, _ := strings.Cut(responsesStream("resp_http", "over HTTP"), "\r\n\r\n")
			assert.Contains(t, head, "event-stream")
			w.Header().Set("Content-Type", "text/event-stream")
			for line := range strings.SplitSeq(body, "\n") { // without the sizes of chunks
				if strings.HasPrefix(line, "event:") || strings.HasPrefix(line, "data:") {
					end := "\n"
					if strings.HasPrefix(line, "data:") {
						end = "\n\n"
					}
					_, _ = io.WriteString(w, strings.TrimSuffix(line, "\r")+end)
				}
			}
			return
		}
		if !open {
			http.Error(w, `{"error":{"message":"no sockets"}}`, http.StatusUpgradeRequired)
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = c.CloseNow() }()
		c.SetReadLimit(-1)
		p.mu.Lock()
		p.opened++
		p.mu.Unlock()
		for {
			_, b, err := c.Read(r.Context())
			if err != nil {
				return
			}
			p.mu.Lock()
			p.asked = append(p.asked, string(b))
			n := len(p.asked)
			p.mu.Unlock()
			if !serve(r.Context(), c, n, string(b)) {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

func (p *turnProvider) counts() (opened, posted int, asked []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened, p.posted, append([]string(nil), p.asked...)
}

// withSockets returns the provider as one of OpenAI's kind that has the mode.
func (p *turnProvider) withSockets(t *testing.T) route.Provider {
	t.Helper()
	client := upstream.NewLean(upstream.LeanOptions{})
	t.Cleanup(func() { _ = client.Close() })
	to, err := providers.New(providers.Settings{
		Name: "openai", BaseURL: p.url, APIKey: upstreamKey, Client: client, Capabilities: map[string]bool{"sockets": true},
	})
	require.NoError(t, err)
	return to
}

// tellResponse sends the events of a response with a text, of which @ stands for the first placeholder of the event.
func tellResponse(ctx context.Context, c *websocket.Conn, id, text, event string) {
	text = strings.ReplaceAll(text, "@", cardToken.FindString(event))
	for line := range strings.SplitSeq(responsesStream(id, text), "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			tell(ctx, c, strings.TrimSuffix(data, "\r"))
		}
	}
}

func TestATurnGoesByAWebSocketWhereTheProviderHasOne(t *testing.T) {
	p := newTurnProvider(t, true, func(ctx context.Context, c *websocket.Conn, n int, event string) bool {
		tellResponse(ctx, c, "resp_"+string(rune('0'+n)), "card @.", event)
		return true
	})
	g := open(t, setup{provider: p.withSockets(t), chain: redacting(t, ""), listens: true, sockets: socket.Limits{PerKey: 2}, runtime: setPrices})
	c := g.dial(t, "dev")
	say(t, c, `{"type":"response.create","model":"gpt-test","store":false,"input":"my card is `+card+`"}`)
	events, err := hearTurn(t, c)
	require.NoError(t, err)
	require.Len(t, events, 5, events)
	assert.Contains(t, strings.Join(events, ""), card, "the client reads its own value")
	say(t, c, `{"type":"response.create","model":"gpt-test","store":false,"previous_response_id":"resp_1","input":"again"}`)
	events, err = hearTurn(t, c)
	require.NoError(t, err)
	assert.Equal(t, "resp_2", findAt(lastOf(events), "response.id").text())
	opened, posted, asked := p.counts()
	assert.Equal(t, 1, opened, "the turns of a client share a socket")
	assert.Zero(t, posted)
	require.Len(t, asked, 2)
	assert.NotContains(t, strings.Join(asked, ""), card)
	assert.Equal(t, "response.create", findAt(asked[1], "type").text())
	assert.Nil(t, findAt(asked[1], "stream").v)
	assert.Nil(t, findAt(asked[1], "previous_response_id").v)
	assert.Len(t, findAt(asked[1], "input").list(), 3, "guards and provider see the whole conversation")
	require.NoError(t, c.Close(websocket.StatusNormalClosure, ""))
	require.Eventually(t, func() bool { return len(g.records()) >= 4 }, generous, 5*time.Millisecond)
	g.awaitCost(2 * (3*1_500 + 2*6_000))
}

func TestATurnGoesOverHTTPWhereNoSocketCanBeHad(t *testing.T) {
	for name, c := range map[string]struct {
		opens  bool
		serve  func(ctx context.Context, c *websocket.Conn, n int, event string) bool
		opened int
	}{
		"the handshake is refused": {false, nil, 0},
		"the socket is too old": {true, func(ctx context.Context, c *websocket.Conn, _ int, _ string) bool {
			tell(ctx, c, `{"type":"error","status":400,"error":{"code":"websocket_connection_limit_reached","message":"60 minutes"}}`)
			return false
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTurnProvider(t, c.opens, c.serve)
			g := open(t, setup{provider: p.withSockets(t), listens: true, sockets: socket.Limits{PerKey: 2}})
			ws := g.dial(t, "dev")
			say(t, ws, `{"type":"response.create","model":"gpt-test","input":"x"}`)
			events, err := hearTurn(t, ws)
			require.NoError(t, err)
			assert.Equal(t, "resp_http", findAt(lastOf(events), "response.id").text(), events)
			opened, posted, _ := p.counts()
			assert.Equal(t, []int{c.opened, 1}, []int{opened, posted})
		})
	}
	t.Run("another server of the same API is not asked for one", func(t *testing.T) {
		up := newFake(t, numberAnswers("hello"))
		g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2}})
		ws := g.dial(t, "dev")
		say(t, ws, `{"type":"response.create","model":"gpt-test","input":"x"}`)
		_, err := hearTurn(t, ws)
		require.NoError(t, err)
		assert.Len(t, up.requests(), 1)
	})
}

func TestErrorsOfAProvidersSocketAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		serve func(ctx context.Context, c *websocket.Conn, event string) bool
		code  string
	}{
		"an error before output": {func(ctx context.Context, c *websocket.Conn, _ string) bool {
			tell(ctx, c, `{"type":"error","status":429,"error":{"type":"x","code":"rate_limit_exceeded","message":"slow down"}}`)
			return true
		}, "rate_limit_exceeded"},
		"the end before output": {func(context.Context, *websocket.Conn, string) bool { return false }, ""},
		"the end behind output": {func(ctx context.Context, c *websocket.Conn, _ string) bool {
			tell(ctx, c, `{"type":"response.created","response":{"id":"r","object":"response","status":"in_progress","output":[]}}`,
				`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"hel"}`)
			return false
		}, ""},
		"no JSON": {func(ctx context.Context, c *websocket.Conn, _ string) bool {
			tell(ctx, c, `{`)
			return true
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTurnProvider(t, true, func(ctx context.Context, ws *websocket.Conn, _ int, event string) bool {
				return c.serve(ctx, ws, event)
			})
			g := open(t, setup{provider: p.withSockets(t), listens: true, sockets: socket.Limits{PerKey: 2}})
			ws := g.dial(t, "dev")
			say(t, ws, `{"type":"response.create","model":"gpt-test","input":"x"}`)
			events, err := hearTurn(t, ws)
			require.NoError(t, err)
			assert.Contains(t, []string{"error", "response.failed"}, findAt(lastOf(events), "type").text(), events)
			if c.code != "" {
				assert.Equal(t, c.code, findAt(lastOf(events), "error.code").text(), events)
				assert.InDelta(t, 429, findAt(lastOf(events), "status").number(), 0)
			}
		})
	}
}

func TestAnAnswerThatIsCutShortEndsTheProvidersSocket(t *testing.T) {
	gone := make(chan struct{})
	p := newTurnProvider(t, true, func(ctx context.Context, c *websocket.Conn, n int, event string) bool {
		if n > 1 {
			tellResponse(ctx, c, "resp_2", "nice", event)
			return true
		}
		tell(ctx, c, `{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}`,
			`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"now FORBIDDEN"}`)
		_, _, _ = c.Read(ctx) // the gateway closes it
		close(gone)
		return false
	})
	g := open(t, setup{provider: p.withSockets(t), listens: true, sockets: socket.Limits{PerKey: 2}, links: []chain.Link{newObjector("FORBIDDEN")}})
	c := g.dial(t, "dev")
	say(t, c, `{"type":"response.create","model":"gpt-test","input":"x"}`)
	events, err := hearTurn(t, c)
	require.NoError(t, err)
	assert.NotContains(t, strings.Join(events, ""), "FORBIDDEN")
	<-gone
	say(t, c, `{"type":"response.create","model":"gpt-test","input":"y"}`)
	events, err = hearTurn(t, c)
	require.NoError(t, err)
	assert.Equal(t, "resp_2", findAt(lastOf(events), "response.id").text())
	opened, _, _ := p.counts()
	assert.Equal(t, 2, opened)
}

func TestARefusalByAProvidersSocketLetsItsKeyRest(t *testing.T) {
	for name, status := range map[string]int{"a rate limit": 429, "a wrong key": 401, "a wrong request": 400} {
		t.Run(name, func(t *testing.T) {
			p := newTurnProvider(t, true, func(ctx context.Context, c *websocket.Conn, _ int, _ string) bool {
				tell(ctx, c, fmt.Sprintf(`{"type":"error","status":%d,"error":{"type":"x","code":"y","message":"no"}}`, status))
				return true
			})
			to := p.withSockets(t)
			pool := providers.NewPool([]providers.Member{
				{ID: "a", Weight: 2, Provider: to, Mark: upstreamKey}, {ID: "b", Weight: 1, Provider: to, Mark: "another"},
			}, nil)
			g := open(t, setup{provider: pool, listens: true, sockets: socket.Limits{PerKey: 2}})
			ws := g.dial(t, "dev")
			say(t, ws, `{"type":"response.create","model":"gpt-test","input":"x"}`)
			_, err := hearTurn(t, ws)
			require.NoError(t, err)
			if status == 400 {
				status = 0
			}
			assert.Equal(t, status, pool.States()["a"].Status)
		})
	}
}
