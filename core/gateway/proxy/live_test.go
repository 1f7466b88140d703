package proxy_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/socket"
)

// judging is the chain of redacting, whose link judges what clients say.
func judging(t testing.TB, config string) func(core.Tokens) []chain.Link {
	return func(tok core.Tokens) []chain.Link {
		links := redacting(t, config)(tok)
		links[0].Redacts = true
		return links
	}
}

// session opens a session of the Realtime API.
func (g *gate) session(t testing.TB, key, model string, header ...string) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	h := http.Header{"Authorization": {"Bearer " + g.key[key]}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	c, res, err := websocket.Dial(ctx, g.url+"/v1/realtime?model="+model, &websocket.DialOptions{HTTPHeader: h})
	require.NoError(t, err)
	require.Equal(t, 101, res.StatusCode)
	c.SetReadLimit(-1)
	t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

// hearUntil reads events up to the first of a type, or an error event.
func hearUntil(t testing.TB, c *websocket.Conn, typ string) (events []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	for {
		_, b, err := c.Read(ctx)
		require.NoError(t, err, "%s after %q", typ, events)
		events = append(events, string(b))
		if got := findAt(string(b), "type").text(); got == typ || got == "error" {
			return events
		}
	}
}

// lastOf returns the last of some events.
func lastOf(events []string) string { return events[len(events)-1] }

// typesOf returns the types of events, each once where several follow each other.
func typesOf(events []string) (out []string) {
	for _, ev := range events {
		typ := findAt(ev, "type").text()
		if typ == "rate_limits.updated" { // of the response before
			continue
		}
		if len(out) == 0 || out[len(out)-1] != typ {
			out = append(out, typ)
		}
	}
	return out
}

// liveProvider is a provider of the Realtime API: a fake that has the mock's answers, and remembers what it was sent.
type liveProvider struct {
	url string
	mu  sync.Mutex
	got []string
}

func newLiveProvider(t testing.TB, serve func(ctx context.Context, c *websocket.Conn, next func() string)) *liveProvider {
	p := &liveProvider{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+upstreamKey {
			http.Error(w, `{"error":{"message":"no key","code":"invalid_api_key"}}`, http.StatusUnauthorized)
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = c.CloseNow() }()
		c.SetReadLimit(-1)
		serve(r.Context(), c, func() string {
			_, b, err := c.Read(r.Context())
			if err != nil {
				return ""
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			p.got = append(p.got, string(b))
			return string(b)
		})
	}))
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

// listSent returns what the provider was sent so far.
func (p *liveProvider) listSent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.got...)
}

const liveCreated = `{"type":"session.created","event_id":"e1","session":{"type":"realtime","id":"sess_1","model":"gpt-test","audio":{"input":{"turn_detection":{"type":"server_vad","create_response":true}}}}}`

func tell(ctx context.Context, c *websocket.Conn, events ...string) {
	for _, ev := range events {
		_ = c.Write(ctx, websocket.MessageText, []byte(ev))
	}
}

func soundOf(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestASessionAnswersInTextAndSound(t *testing.T) {
	for name, netHTTP := range map[string]bool{"fast": false, "net/http": true} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{listens: true, netHTTP: netHTTP, sockets: socket.Limits{PerKey: 2}})
			c := g.session(t, "dev", "mock-echo")
			created := lastOf(hearUntil(t, c, "session.created"))
			assert.Equal(t, "mock-echo", findAt(created, "session.model").text())
			say(t, c, `{"type":"session.update","session":{"type":"realtime","instructions":"Be brief.","output_modalities":["text"]}}`)
			updated := lastOf(hearUntil(t, c, "session.updated"))
			assert.Equal(t, "Be brief.", findAt(updated, "session.instructions").text())
			assert.Equal(t, true, findAt(updated, "session.audio.input.turn_detection.create_response").v, "the client sees its own setting")

			say(t, c, `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello there"}]}}`)
			added := hearUntil(t, c, "conversation.item.done")
			assert.Equal(t, "hello there", findAt(added[0], "item.content.0.text").text())
			say(t, c, `{"type":"response.create"}`)
			events := hearUntil(t, c, "response.done")
			assert.Equal(t, []string{
				"response.created", "response.output_item.added", "conversation.item.added", "response.content_part.added",
				"response.output_text.delta", "response.output_text.done", "response.content_part.done", "response.output_item.done",
				"conversation.item.done", "response.done",
			}, typesOf(events))
			assert.Equal(t, "hello there", findAt(lastOf(events), "response.output.0.content.0.text").text())

			say(t, c, `{"type":"response.create","response":{"output_modalities":["audio"]}}`)
			events = hearUntil(t, c, "response.done")
			assert.Contains(t, typesOf(events), "response.output_audio.delta")
			assert.Equal(t, "hello there", findAt(lastOf(events), "response.output.0.content.0.transcript").text())
			require.NoError(t, c.Close(websocket.StatusNormalClosure, ""))
			require.Eventually(t, func() bool { return len(g.records()) == 10 }, generous, 5*time.Millisecond, "the session, two events and two responses")
		})
	}
}

func TestGuardsJudgeTextsTranscriptsAndArgumentsOfASession(t *testing.T) {
	g := open(t, setup{listens: true, chain: judging(t, ""), sockets: socket.Limits{PerKey: 2}})
	for _, c := range []struct {
		name, model string
		events      []string
		done        string // what the client must read its card in
	}{
		{"text", "mock-echo", []string{
			`{"type":"session.update","session":{"type":"realtime","output_modalities":["text"]}}`,
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"my card is ` + card + `"}]}}`,
			`{"type":"response.create"}`,
		}, "response.output.0.content.0.text"},
		{"an output transcript", "mock-echo", []string{
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"my card is ` + card + `"}]}}`,
			`{"type":"response.create"}`,
		}, "response.output.0.content.0.transcript"},
		{"an input transcript, committed by the client", "mock-echo", []string{
			`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}}`,
			`{"type":"input_audio_buffer.append","audio":"` + soundOf("my card is "+card) + `"}`,
			`{"type":"input_audio_buffer.commit"}`,
			`{"type":"response.create"}`,
		}, "response.output.0.content.0.transcript"},
		{"a turn that the provider detects", "mock-echo", []string{
			`{"type":"input_audio_buffer.append","audio":"` + soundOf("my card is "+card) + `"}`,
			`{"type":"input_audio_buffer.append","audio":"AAAAAAAA"}`,
		}, "response.output.0.content.0.transcript"},
		{"arguments", "mock-tools", []string{
			`{"type":"session.update","session":{"type":"realtime","tools":[{"type":"function","name":"pay","parameters":{"type":"object"}}]}}`,
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"my card is ` + card + `"}]}}`,
			`{"type":"response.create"}`,
		}, "response.output.0.arguments"},
		{"a separate conversation", "mock-echo", []string{
			`{"type":"response.create","response":{"conversation":"none","output_modalities":["text"],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"my card is ` + card + `"}]}]}}`,
		}, "response.output.0.content.0.text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws := g.session(t, "dev", c.model)
			for _, ev := range c.events {
				say(t, ws, ev)
			}
			events := hearUntil(t, ws, "response.done")
			if !assert.Contains(t, findAt(lastOf(events), c.done).text(), card) {
				t.Log(g.lines.b.String())
			}
			whole := strings.Join(events, "\n")
			assert.NotContains(t, whole, "{{PII", "the client reads its own values")
			require.NoError(t, ws.Close(websocket.StatusNormalClosure, ""))
		})
	}
}

func TestAProviderOfASessionSeesPlaceholders(t *testing.T) {
	up := newLiveProvider(t, func(ctx context.Context, c *websocket.Conn, next func() string) {
		tell(ctx, c, liveCreated)
		for ev := next(); ev != ""; ev = next() {
			switch findAt(ev, "type").text() {
			case "session.update":
				tell(ctx, c, `{"type":"session.updated","event_id":"e2","session":`+jsonOf(findAt(ev, "session").v)+`}`)
			case "response.create":
				token := cardToken.FindString(ev)
				tell(ctx, c, `{"type":"response.created","event_id":"e3","response":{"id":"r1","object":"realtime.response","status":"in_progress","output":[]}}`,
					`{"type":"response.output_item.added","event_id":"e4","response_id":"r1","output_index":0,"item":{"id":"i1","type":"message","role":"assistant","content":[]}}`,
					`{"type":"response.output_text.delta","event_id":"e5","response_id":"r1","item_id":"i1","output_index":0,"content_index":0,"delta":"`+token[:9]+`"}`,
					`{"type":"response.output_text.delta","event_id":"e6","response_id":"r1","item_id":"i1","output_index":0,"content_index":0,"delta":"`+token[9:]+`"}`,
					`{"type":"response.output_text.done","event_id":"e7","response_id":"r1","item_id":"i1","output_index":0,"content_index":0,"text":"`+token+`"}`,
					`{"type":"response.output_item.done","event_id":"e8","response_id":"r1","output_index":0,"item":{"id":"i1","type":"message","role":"assistant","content":[{"type":"output_text","text":"`+token+`"}]}}`,
					`{"type":"response.done","event_id":"e9","response":{"id":"r1","object":"realtime.response","status":"completed","output":[{"id":"i1","type":"message","role":"assistant","content":[{"type":"output_text","text":"`+token+`"}]}],"usage":{"input_tokens":30,"output_tokens":20,"input_token_details":{"audio_tokens":10,"cached_tokens":5},"output_token_details":{"audio_tokens":15}}}}`)
			}
		}
	})
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, chain: judging(t, ""), sockets: socket.Limits{PerKey: 2}, runtime: setPrices})
	c := g.session(t, "dev", "gpt-test")
	hearUntil(t, c, "session.created")
	say(t, c, `{"type":"session.update","session":{"type":"realtime","instructions":"the card is `+card+`","audio":{"input":{"turn_detection":{"type":"semantic_vad"}}}}}`)
	assert.Contains(t, lastOf(hearUntil(t, c, "session.updated")), card, "the client sees its own instructions")
	say(t, c, `{"type":"response.create","response":{"instructions":"say `+card+`","max_output_tokens":50}}`)
	events := hearUntil(t, c, "response.done")
	assert.Contains(t, lastOf(events), card)
	assert.NotContains(t, strings.Join(events, ""), "{{PII")
	require.NoError(t, c.Close(websocket.StatusNormalClosure, ""))

	sent := up.listSent()
	assert.NotContains(t, strings.Join(sent, ""), card)
	assert.Equal(t, false, findAt(sent[0], "session.audio.input.turn_detection.create_response").v, "before anything else")
	assert.NotEmpty(t, findAt(sent[0], "session.audio.input.transcription.model").text(), "a guard has to know what is said")
	assert.Equal(t, "semantic_vad", findAt(sent[1], "session.audio.input.turn_detection.type").text())
	assert.Equal(t, false, findAt(sent[1], "session.audio.input.turn_detection.create_response").v)
	assert.InDelta(t, 50, findAt(sent[2], "response.max_output_tokens").number(), 0)
	g.awaitCost(30*1_500 + 20*6_000)
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v) // it was JSON
	return string(b)
}
