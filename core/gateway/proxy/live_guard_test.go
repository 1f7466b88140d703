package proxy_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages/budget"
)

// newObjector returns a link that objects to texts with a word, in requests and in streams.
func newObjector(word string) chain.Link {
	st := streams{acts{
		check: func(x *core.Exchange, p core.Phase) (core.Verdict, error) {
			for i := range x.Request.Segments {
				if p == core.Request && strings.Contains(x.Request.ReadText(i), word) {
					return objection(), nil
				}
			}
			return pass, nil
		},
		window: func(w core.Window) (core.Verdict, int, error) {
			if strings.Contains(w.Text, word) {
				return objection(), 0, nil
			}
			return pass, 0, nil
		},
	}}
	l := link("against", st, core.Request, core.Response)
	l.Guards = true
	return l
}

const liveText = `{"type":"conversation.item.create","event_id":"mine","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"@"}]}}`

func TestAGuardStopsWhatASessionMustNotSay(t *testing.T) {
	up := newLiveProvider(t, func(ctx context.Context, c *websocket.Conn, next func() string) {
		tell(ctx, c, liveCreated)
		for ev := next(); ev != ""; ev = next() {
			if findAt(ev, "type").text() != "response.create" {
				continue
			}
			tell(ctx, c, `{"type":"response.created","response":{"id":"r1","object":"realtime.response","status":"in_progress","output":[]}}`,
				`{"type":"response.output_item.added","response_id":"r1","output_index":0,"item":{"id":"i1","type":"message","role":"assistant","content":[]}}`,
				`{"type":"response.output_audio_transcript.delta","response_id":"r1","item_id":"i1","output_index":0,"content_index":0,"delta":"now FORBIDDEN"}`,
				`{"type":"response.output_audio.delta","response_id":"r1","item_id":"i1","output_index":0,"content_index":0,"delta":"AAAA"}`)
		}
	})
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, links: []chain.Link{newObjector("FORBIDDEN")}, sockets: socket.Limits{PerKey: 2}})
	c := g.session(t, "dev", "gpt-test")
	hearUntil(t, c, "session.created")
	say(t, c, strings.Replace(liveText, "@", "FORBIDDEN", 1))
	refused := lastOf(hearUntil(t, c, "error"))
	assert.Equal(t, "content_filter", findAt(refused, "error.code").text())
	assert.Equal(t, "mine", findAt(refused, "error.event_id").text())
	say(t, c, `{"type":"session.update","session":{"instructions":"FORBIDDEN"}}`)
	assert.Equal(t, "content_filter", findAt(lastOf(hearUntil(t, c, "error")), "error.code").text())

	say(t, c, `{"type":"response.create"}`)
	events := hearUntil(t, c, "error")
	assert.NotContains(t, strings.Join(events, ""), "FORBIDDEN")
	assert.NotContains(t, strings.Join(events, ""), "AAAA", "the sound waits behind its transcript")
	end := lastOf(hearUntil(t, c, "response.done"))
	assert.Equal(t, "incomplete", findAt(end, "response.status").text())
	assert.Equal(t, "content_filter", findAt(end, "response.status_details.reason").text())
	require.Eventually(t, func() bool {
		all := strings.Join(up.listSent(), "\n")
		return strings.Contains(all, `"response.cancel"`) && strings.Contains(all, `"conversation.item.delete"`)
	}, generous, time.Millisecond, "the provider stops, and forgets what it has said")
	assert.NotContains(t, strings.Join(up.listSent(), ""), "FORBIDDEN")
}

func TestAGuardHearsATurnBeforeItIsAnswered(t *testing.T) {
	g := open(t, setup{listens: true, links: []chain.Link{newObjector("FORBIDDEN")}, sockets: socket.Limits{PerKey: 2}})
	c := g.session(t, "dev", "mock-echo")
	hearUntil(t, c, "session.created")
	say(t, c, `{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad","create_response":true}}}}}`)
	hearUntil(t, c, "session.updated")
	say(t, c, `{"type":"input_audio_buffer.append","audio":"`+soundOf("say FORBIDDEN things")+`"}`)
	say(t, c, `{"type":"input_audio_buffer.append","audio":"AAAAAAAA"}`)
	events := hearUntil(t, c, "error")
	assert.Equal(t, "content_filter", findAt(lastOf(events), "error.code").text())
	assert.NotContains(t, typesOf(events), "response.created")
	assert.NotContains(t, strings.Join(events, ""), "FORBIDDEN", "the client wants no transcripts")
	hearUntil(t, c, "conversation.item.deleted")
	say(t, c, `{"type":"input_audio_buffer.append","audio":"`+soundOf("say nice things")+`"}`)
	say(t, c, `{"type":"input_audio_buffer.append","audio":"AAAAAAAA"}`)
	assert.Equal(t, "completed", findAt(lastOf(hearUntil(t, c, "response.done")), "response.status").text())
}

func TestAResponseThatNobodyAskedForIsCancelled(t *testing.T) {
	up := newLiveProvider(t, func(ctx context.Context, c *websocket.Conn, next func() string) {
		tell(ctx, c, liveCreated, `{"type":"response.created","response":{"id":"r7","object":"realtime.response","status":"in_progress","output":[]}}`,
			`{"type":"response.output_text.delta","response_id":"r7","item_id":"i","output_index":0,"content_index":0,"delta":"secret"}`,
			`{"type":"input_audio_buffer.cleared"}`)
		for next() != "" {
		}
	})
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2}})
	c := g.session(t, "dev", "gpt-test")
	assert.NotContains(t, strings.Join(hearUntil(t, c, "input_audio_buffer.cleared"), ""), "r7")
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(up.listSent(), ""), `"r7"`) }, generous, time.Millisecond)
}

func TestABudgetHoldsForAResponseOfASession(t *testing.T) {
	money := new(spending.Budgets)
	money.Set([]spending.Budget{{ID: "all", Name: "all", Period: spending.Daily, Limit: -1, Tokens: 5000}})
	st, err := budget.New(block("least_output_tokens: 0"), budget.Deps{State: state.NewMemory(state.Options{}), Now: time.Now, Spending: money})
	require.NoError(t, err)
	g := open(t, setup{listens: true, links: []chain.Link{link("budget", st, core.Target)}, sockets: socket.Limits{PerKey: 2}})
	c := g.session(t, "dev", "mock-echo")
	hearUntil(t, c, "session.created")
	for range 3 { // each holds 4,096 tokens, and gives back what it has not used
		say(t, c, `{"type":"response.create"}`)
		assert.Equal(t, "completed", findAt(lastOf(hearUntil(t, c, "response.done")), "response.status").text())
	}
	say(t, c, `{"type":"response.create","response":{"max_output_tokens":6000}}`)
	assert.Equal(t, core.CodeQuota, findAt(lastOf(hearUntil(t, c, "error")), "error.code").text())
}

func TestASessionIsNotOpenedAroundTheGateway(t *testing.T) {
	g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1}})
	for _, path := range []string{"/client_secrets", "/sessions", "/transcription_sessions", "/calls"} {
		a := g.callPath("/v1/realtime"+path, `{"session":{"type":"realtime","model":"gpt-realtime"}}`)
		assert.Equal(t, 400, a.status, path)
		assert.Contains(t, a.body, "without it", path)
	}
	dial := func(query, key string) int {
		_, res, err := websocket.Dial(t.Context(), g.url+"/v1/realtime"+query, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + key}}})
		require.Error(t, err)
		return res.StatusCode
	}
	key := g.key["dev"]
	assert.Equal(t, 401, dial("?model=mock-echo", "gw_wrong"))
	assert.Equal(t, 400, dial("", key))
	assert.Equal(t, 404, dial("?model=unknown", key))
	assert.Equal(t, 429, dial("?model=mock-error-429", key))
	assert.Equal(t, 400, dial("?model=mock-echo&intent=transcription", key))
	assert.Equal(t, 400, dial("?model=mock-echo&call_id=c", key))
	c := g.session(t, "dev", "mock-echo")
	assert.Equal(t, 429, dial("?model=mock-echo", key), "one session of this key")
	hearUntil(t, c, "session.created")
	ended := make(chan error, 1)
	go func() { ended <- g.proxy.ShutdownSockets(context.Background()) }()
	_, _, err := c.Read(t.Context())
	assert.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err))
	require.NoError(t, <-ended)
}

func TestAStageThatAnswersDoesNotOpenASession(t *testing.T) {
	says := streams{acts{check: reply(200, completion("from the stage"))}}
	g := open(t, setup{listens: true, links: []chain.Link{link("says", says, core.Request)}, sockets: socket.Limits{PerKey: 1}})
	_, res, err := websocket.Dial(t.Context(), g.url+"/v1/realtime?model=mock-echo", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + g.key["dev"]}}})
	require.Error(t, err)
	assert.Equal(t, 503, res.StatusCode)
}
