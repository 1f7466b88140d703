package proxy_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// responsesStream is a stream of the Responses API that answers with a text, as the response with the id.
func responsesStream(id, text string) string {
	event := func(typ, members string) string {
		return "event: " + typ + "\ndata: {\"type\":\"" + typ + "\"," + members + "}\n\n"
	}
	message := `{"id":"m_` + id + `","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"` + text + `","annotations":[]}]}`
	reasoning := `{"id":"rs_` + id + `","type":"reasoning","summary":[]}`
	return stream(
		event("response.created", `"sequence_number":0,"response":{"id":"`+id+`","object":"response","status":"in_progress","model":"gpt-test","output":[]}`),
		event("response.output_item.added", `"sequence_number":1,"output_index":0,"item":{"id":"m_`+id+`","type":"message","status":"in_progress","role":"assistant","content":[]}`),
		event("response.output_text.delta", `"sequence_number":2,"item_id":"m_`+id+`","output_index":0,"content_index":0,"delta":"`+text+`"`),
		event("response.output_item.done", `"sequence_number":3,"output_index":0,"item":`+message),
		event("response.completed", `"sequence_number":4,"response":{"id":"`+id+`","object":"response","status":"completed","model":"gpt-test","output":[`+
			message+`,`+reasoning+`],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`),
	)
}

// numberAnswers answers each request with its number as the id of the response, and with a placeholder that the request has.
func numberAnswers(text string) func(net.Conn, sent) {
	var n atomic.Int64
	return func(c net.Conn, r sent) {
		said := strings.ReplaceAll(text, "@", cardToken.FindString(r.body))
		_, _ = io.WriteString(c, responsesStream("resp_"+strconv.FormatInt(n.Add(1), 10), said))
	}
}

// found is a value of a JSON document, or nil.
type found struct{ v any }

// findAt returns the value at a path of a document, with the names and indices separated by dots.
func findAt(doc, path string) found {
	var v any
	if json.Unmarshal([]byte(doc), &v) != nil {
		return found{}
	}
	return found{v}.get(path)
}

func (f found) get(path string) found {
	for name := range strings.SplitSeq(path, ".") {
		switch v := f.v.(type) {
		case map[string]any:
			f.v = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return found{}
			}
			f.v = v[i]
		default:
			return found{}
		}
	}
	return f
}

func (f found) text() string { s, _ := f.v.(string); return s }

func (f found) number() float64 { n, _ := f.v.(float64); return n }

func (f found) list() (out []found) {
	all, _ := f.v.([]any)
	for _, v := range all {
		out = append(out, found{v})
	}
	return out
}

// dial opens a socket.
func (g *gate) dial(t testing.TB, key string) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	c, res, err := websocket.Dial(ctx, g.url+"/v1/responses", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + g.key[key]}}})
	require.NoError(t, err)
	require.Equal(t, 101, res.StatusCode)
	c.SetReadLimit(-1)
	t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

// say sends one event.
func say(t testing.TB, c *websocket.Conn, event string) {
	t.Helper()
	require.NoError(t, c.Write(t.Context(), websocket.MessageText, []byte(event)))
}

// hearTurn reads events to the end of a turn, or until the socket ends.
func hearTurn(t testing.TB, c *websocket.Conn) (events []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	for {
		_, b, err := c.Read(ctx)
		if err != nil {
			require.NoError(t, ctx.Err(), "the socket is silent")
			return events, err
		}
		require.True(t, json.Valid(b), "%s", b)
		events = append(events, string(b))
		switch findAt(string(b), "type").text() {
		case "response.completed", "response.incomplete", "response.failed", "error":
			return events, nil
		}
	}
}

func TestASocketContinuesAConversation(t *testing.T) {
	for name, netHTTP := range map[string]bool{"fast": false, "net/http": true} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, numberAnswers("hello"))
			g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, netHTTP: netHTTP, sockets: socket.Limits{PerKey: 2}})
			c := g.dial(t, "dev")
			say(t, c, `{"type":"response.create","model":"gpt-test","store":false,"input":"one","tools":[]}`)
			events, err := hearTurn(t, c)
			require.NoError(t, err)
			require.Len(t, events, 5)
			assert.JSONEq(t, `{"stream":true,"model":"gpt-test","store":false,"input":"one","tools":[]}`, up.last(t).body)

			say(t, c, `{"type":"response.create","model":"gpt-test","store":false,"previous_response_id":"resp_1","input":[{"type":"message","role":"user","content":"two"}]}`)
			events, err = hearTurn(t, c)
			require.NoError(t, err)
			assert.Equal(t, "resp_2", findAt(events[4], "response.id").text())
			items := findAt(up.last(t).body, "input").list()
			require.Len(t, items, 3, "reasoning without its encrypted content is left out")
			assert.Equal(t, "one", items[0].get("content").text())
			assert.Equal(t, "hello", items[1].get("content.0.text").text())
			assert.Equal(t, "two", items[2].get("content").text())
			assert.NotContains(t, up.last(t).body, "previous_response_id")

			say(t, c, `{"type":"response.create","model":"gpt-test","previous_response_id":"resp_1","input":"three"}`)
			events, err = hearTurn(t, c)
			require.NoError(t, err)
			assert.Equal(t, "previous_response_not_found", findAt(events[0], "error.code").text())
			assert.InDelta(t, 400, findAt(events[0], "status").number(), 0)

			say(t, c, `{"type":"response.create","model":"gpt-test","previous_response_id":"resp_2"}`)
			_, err = hearTurn(t, c)
			require.NoError(t, err)
			assert.Len(t, findAt(up.last(t).body, "input").list(), 4)
			require.NoError(t, c.Close(websocket.StatusNormalClosure, ""))
			assert.Len(t, up.requests(), 3)
			require.Eventually(t, func() bool { return len(g.records()) == 6 }, generous, 5*time.Millisecond, "each turn is one exchange")
		})
	}
}

func TestGuardsSeeTheWholeConversationOfASocket(t *testing.T) {
	up := newFake(t, numberAnswers("card @."))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), chain: redacting(t, ""), listens: true, sockets: socket.Limits{PerKey: 2}})
	c := g.dial(t, "dev")
	say(t, c, `{"type":"response.create","model":"gpt-test","input":"my card is `+card+`"}`)
	events, err := hearTurn(t, c)
	require.NoError(t, err)
	assert.Contains(t, strings.Join(events, ""), card)
	say(t, c, `{"type":"response.create","model":"gpt-test","previous_response_id":"resp_1","input":"again"}`)
	_, err = hearTurn(t, c)
	require.NoError(t, err)
	for _, r := range up.requests() {
		assert.NotContains(t, r.body, card, "the answer that the client was sent is judged again")
	}
	assert.Len(t, cardToken.FindAllString(up.last(t).body, -1), 2)
}

func TestASocketPreparesAConversationWithoutACall(t *testing.T) {
	up := newFake(t, numberAnswers("hello"))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2}})
	c := g.dial(t, "dev")
	say(t, c, `{"type":"response.create","stream_id":"a","generate":false,"model":"gpt-test","input":[{"role":"user","content":"one"}]}`)
	events, err := hearTurn(t, c)
	require.NoError(t, err)
	require.Len(t, events, 2)
	assert.Empty(t, up.requests())
	assert.Equal(t, "a", findAt(events[1], "stream_id").text())
	id := findAt(events[1], "response.id").text()
	require.NotEmpty(t, id)
	say(t, c, `{"type":"response.create","stream_id":"b","model":"gpt-test","previous_response_id":"`+id+`","input":"two"}`)
	events, err = hearTurn(t, c)
	require.NoError(t, err)
	for _, e := range events {
		assert.Equal(t, "b", findAt(e, "stream_id").text())
	}
	assert.Len(t, findAt(up.last(t).body, "input").list(), 2)
	assert.NotContains(t, up.last(t).body, "stream_id")
}

func TestTurnsThatAreSentTogetherAreServedOneAfterAnother(t *testing.T) {
	up := newFake(t, numberAnswers("hello"))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2}})
	c := g.dial(t, "dev")
	for range 5 {
		say(t, c, `{"type":"response.create","model":"gpt-test","input":"x"}`)
	}
	for n := 1; n <= 5; n++ {
		events, err := hearTurn(t, c)
		require.NoError(t, err)
		for _, e := range events {
			if r := findAt(e, "response.id"); r.v != nil {
				assert.Equal(t, "resp_"+strconv.Itoa(n), r.text())
			}
		}
	}
}

func TestARefusedTurnLeavesTheSocketOpen(t *testing.T) {
	g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 2}})
	c := g.dial(t, "dev")
	for event, code := range map[string]string{
		`{"type":"response.create","model":"none-such","input":"x"}`:                           "model_not_found",
		`{"type":"response.create","model":"mock-error-429","input":"x"}`:                      "",
		`{"type":"response.create","model":"mock-echo","input":"x","store":true}`:              "unsupported_parameter",
		`{"type":"response.create","model":"mock-echo"}`:                                       "missing_required_parameter",
		`{"type":"response.create","input":"x"}`:                                               "missing_required_parameter",
		`{"type":"response.create","model":"mock-echo","input":"x","background":true}`:         "unsupported_parameter",
		`{"type":"response.create","model":"mock-echo","input":"x","previous_response_id":""}`: "invalid_value",
	} {
		say(t, c, event)
		events, err := hearTurn(t, c)
		require.NoError(t, err, event)
		require.Len(t, events, 1)
		assert.Equal(t, "error", findAt(events[0], "type").text(), event)
		assert.GreaterOrEqual(t, findAt(events[0], "status").number(), 400.0, event)
		if code != "" {
			assert.Equal(t, code, findAt(events[0], "error.code").text(), event)
		}
	}
	say(t, c, `{"type":"response.create","model":"mock-echo","input":"still here"}`)
	events, err := hearTurn(t, c)
	require.NoError(t, err)
	assert.Contains(t, events[len(events)-1], "still here")
}

// handshake asks for a socket and returns the answer.
func (g *gate) handshake(t *testing.T, key string) (status int, header http.Header, body string) {
	t.Helper()
	return g.handshakeAt(t, "/v1/responses", key, nil)
}

// handshakeAt asks for a socket at a path, with some headers in place of those of a valid handshake.
func (g *gate) handshakeAt(t *testing.T, path, key string, other http.Header) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, http.NoBody)
	require.NoError(t, err)
	req.Header = http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		"Authorization": {"Bearer " + key},
	}
	maps.Copy(req.Header, other)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	if res.StatusCode != http.StatusSwitchingProtocols {
		b, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		body = string(b)
	}
	require.NoError(t, res.Body.Close())
	return res.StatusCode, res.Header, body
}

func TestAHandshakeIsRefusedLikeARequest(t *testing.T) {
	g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1}})
	for key, want := range map[string]struct {
		status int
		code   string
	}{"gw_wrong": {401, "UNAUTHORIZED"}, g.key["models"]: {403, "FORBIDDEN"}, g.key["suspended"]: {403, "TENANT_SUSPENDED"}} {
		status, _, body := g.handshake(t, key)
		assert.Equal(t, want.status, status)
		assert.Equal(t, want.code, findAt(body, "error.code").text())
	}
	require.Eventually(t, func() bool { return len(g.records()) == 5 }, generous, 5*time.Millisecond)
	ended, strangers := map[any]any{}, 0
	for _, r := range g.records() {
		switch r.kind {
		case audit.AuthFailure:
			strangers++
		case audit.GatewayResponse:
			ended[r.payload["code"]] = r.payload["status"]
		}
	}
	assert.Equal(t, 1, strangers)
	assert.Equal(t, map[any]any{"FORBIDDEN": 403.0, "TENANT_SUSPENDED": 403.0}, ended, "that of a known key is an exchange")
	_ = g.dial(t, "dev")
	status, header, body := g.handshake(t, g.key["dev"])
	assert.Equal(t, 429, status, body)
	assert.NotEmpty(t, header.Get("Retry-After"))
	require.Eventually(t, func() bool { return len(g.records()) == 7 }, generous, 5*time.Millisecond)
	_ = g.dial(t, "other")

	off := open(t, setup{listens: true})
	for _, path := range []string{"/v1/responses", "/v1/realtime?model=mock-echo"} {
		status, header, _ = off.handshakeAt(t, path, off.key["dev"], nil)
		assert.Equal(t, 426, status, path)
		assert.Equal(t, "HTTP/1.1", header.Get("Upgrade"), path)
	}
}

// Nothing is opened for such a client, and it is refused in the API's own words, as any request is.
func TestABrokenHandshakeIsRefusedBeforeAnythingIsOpened(t *testing.T) {
	for loop, netHTTP := range map[string]bool{"fast": false, "net/http": true} {
		for name, c := range map[string]struct {
			header http.Header
			status int
		}{
			"a connection that is kept as it is": {http.Header{"Connection": {"keep-alive"}}, 426},
			"a token that only begins alike":     {http.Header{"Connection": {"keep-alive, Upgrade-Insecure-Requests"}}, 426},
			"another version":                    {http.Header{"Sec-Websocket-Version": {"8"}}, 426},
			"no key":                             {http.Header{"Sec-Websocket-Key": nil}, 400},
			"a short key":                        {http.Header{"Sec-Websocket-Key": {"c2hvcnQ="}}, 400},
			"two keys":                           {http.Header{"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="}}, 400},
		} {
			t.Run(loop+", "+name, func(t *testing.T) {
				g := open(t, setup{listens: true, netHTTP: netHTTP, sockets: socket.Limits{PerKey: 1}})
				for _, path := range []string{"/v1/responses", "/v1/realtime?model=mock-echo"} {
					status, header, body := g.handshakeAt(t, path, g.key["dev"], c.header)
					assert.Equal(t, c.status, status, path)
					assert.NotEmpty(t, findAt(body, "error.message").text(), path)
					assert.NotEmpty(t, header.Get("X-Trace-Id"), path)
					if c.status == 426 {
						assert.Equal(t, []string{"websocket", "13"}, []string{header.Get("Upgrade"), header.Get("Sec-Websocket-Version")}, path)
					}
				}
				require.Eventually(t, func() bool { return len(g.records()) == 4 }, generous, 5*time.Millisecond, "two records for each")
				for _, r := range g.records() {
					if r.kind == audit.GatewayResponse {
						assert.InDelta(t, c.status, r.payload["status"], 0, "no exchange opened a session")
					}
				}
				_ = g.dial(t, "dev") // none of them is counted
			})
		}
	}
}

func TestASocketEndsWithItsKey(t *testing.T) {
	for name, status := range map[string]float64{"the key is revoked": 401, "the tenant is suspended": 403} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1}})
			c := g.dial(t, "dev")
			say(t, c, `{"type":"response.create","model":"mock-echo","input":"x"}`)
			_, err := hearTurn(t, c)
			require.NoError(t, err)
			tenant := auth.Tenant{ID: "tenant-a", Suspended: status == 403}
			key := auth.Key{ID: "id-dev", Tenant: "tenant-a", Hash: auth.Hash(g.key["dev"])}
			if status == 401 {
				key.Hash = auth.Hash(g.key["other"])
			}
			now := g.proxy.Snapshots.Acquire()
			g.proxy.Snapshots.Swap(snapshot.New(now.Runtime, auth.NewKeys([]auth.Tenant{tenant}, []auth.Key{key}), 2))
			now.Release()
			say(t, c, `{"type":"response.create","model":"mock-echo","input":"x"}`)
			events, err := hearTurn(t, c)
			require.NoError(t, err)
			assert.InDelta(t, status, findAt(events[0], "status").number(), 0)
			_, err = hearTurn(t, c)
			assert.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err))
		})
	}
}

func TestSocketsEndWithTheGateway(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	up := newFake(t, func(c net.Conn, _ sent) {
		close(begun)
		<-goOn
		_, _ = io.WriteString(c, responsesStream("resp_1", "late"))
	})
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2}})
	idle, busy := g.dial(t, "dev"), g.dial(t, "dev")
	say(t, busy, `{"type":"response.create","model":"gpt-test","input":"x"}`)
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- g.proxy.ShutdownSockets(context.Background()) }()
	_, err := hearTurn(t, idle)
	assert.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err))
	close(goOn)
	events, err := hearTurn(t, busy)
	require.NoError(t, err)
	assert.Contains(t, events[len(events)-1], "late", "the turn in flight ends in order")
	_, err = hearTurn(t, busy)
	assert.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err))
	require.NoError(t, <-ended)
	status, _, _ := g.handshake(t, g.key["dev"])
	assert.Equal(t, 503, status)
}

func TestAHangUpEndsTheTurnOfASocket(t *testing.T) {
	begun, gone := make(chan struct{}), make(chan struct{})
	up := newFake(t, func(c net.Conn, _ sent) {
		close(begun)
		_, _ = c.Read(make([]byte, 1)) // the gateway closes the connection
		close(gone)
	})
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2}})
	c := g.dial(t, "dev")
	say(t, c, `{"type":"response.create","model":"gpt-test","input":"x"}`)
	<-begun
	require.NoError(t, c.CloseNow())
	<-gone
	require.Eventually(t, func() bool { return len(g.records()) == 2 }, generous, 5*time.Millisecond)
}

func TestConversationsAreKeptWithinTheirMemory(t *testing.T) {
	up := newFake(t, numberAnswers(strings.Repeat("hello ", 200)))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2, Kept: 4000}})
	c := g.dial(t, "dev")
	turn := func(previous, text string) string {
		say(t, c, `{"type":"response.create","model":"gpt-test","previous_response_id":`+previous+`,"input":"`+text+`"}`)
		events, err := hearTurn(t, c)
		require.NoError(t, err)
		return findAt(events[len(events)-1], "error.code").text()
	}
	assert.Empty(t, turn("null", strings.Repeat("x", 1000)))
	assert.Empty(t, turn(`"resp_1"`, strings.Repeat("x", 1000)), "too much is not kept, and served all the same")
	assert.Equal(t, "previous_response_not_found", turn(`"resp_2"`, "x"))
	assert.Empty(t, turn("null", "x"))
	assert.Empty(t, turn(`"resp_3"`, "x"), "what was kept before is free again")
}
