package proxy_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/socket"
)

// spoiltLive are events of a session's client, each of which is answered with an error.
var spoiltLive = []string{
	"", " ", "{", "[]", "null", "1", `"session.update"`, `{}`, `{"type":null}`, `{"type":1}`, `{"type":"response.create"`, `{"type":"response.create"}x`,
	`{"type":"response.create","type":"response.create"}`, `{"type":"\ud800"}`, "\ufeff{\"type\":\"response.create\"}", `{"type":"response.steer"}`,
	`{"type":"RESPONSE.CREATE"}`, strings.Repeat("[", 100_000), `{"type":"session.update","x":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000) + `}`,
	`{"type":"session.update"}`, `{"type":"session.update","session":null}`, `{"type":"session.update","session":[]}`, `{"type":"session.update","session":"x"}`,
	`{"type":"session.update","session":{"type":"transcription"}}`, `{"type":"session.update","session":{"model":"mock-tools"}}`,
	`{"type":"session.update","session":{"model":["mock-echo"]}}`, `{"type":"session.update","session":{"prompt":{"id":"p"}}}`,
	`{"type":"session.update","session":{"tracing":{"workflow_name":"w"}}}`, `{"type":"session.update","session":{"tools":[{"type":"mcp","server_label":"s"}]}}`,
	`{"type":"session.update","session":{"tools":{}}}`, `{"type":"session.update","session":{"instructions":7}}`,
	`{"type":"session.update","session":{"instructions":"a","instructions":"b"}}`, `{"type":"session.update","session":{"audio":7}}`,
	`{"type":"session.update","session":{"audio":{"input":7}}}`, `{"type":"session.update","session":{"audio":{"input":{"turn_detection":7}}}}`,
	`{"type":"session.update","session":{"audio":{"input":{"turn_detection":{"type":"server_vad","idle_timeout_ms":5000}}}}}`,
	`{"type":"session.update","session":{},"also":"x"}`, `{"type":"transcription_session.update","session":{}}`,
	`{"type":"conversation.item.create"}`, `{"type":"conversation.item.create","item":null}`, `{"type":"conversation.item.create","item":[]}`,
	`{"type":"conversation.item.create","item":{}}`, `{"type":"conversation.item.create","item":{"type":"mcp_approval_response","approve":true}}`,
	`{"type":"conversation.item.create","item":{"type":"message"}}`, `{"type":"conversation.item.create","item":{"type":"message","role":"boss","content":[]}}`,
	`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":7}}`,
	`{"type":"conversation.item.create","item":{"id":"a b","type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`,
	`{"type":"conversation.item.create","item":{"id":7,"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`,
	`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":7}]}}`,
	`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"\udc00"}]}}`,
	`{"type":"conversation.item.create","previous_item_id":["x"],"item":{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`,
	`{"type":"conversation.item.create","extra":"x","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`,
	`{"type":"conversation.item.retrieve","item_id":"i"}`, `{"type":"conversation.item.delete","item_id":"my card"}`, `{"type":"conversation.item.delete","item_id":{}}`,
	`{"type":"conversation.item.truncate","item_id":"i","content_index":"0"}`, `{"type":"conversation.item.truncate","item_id":"i","audio_end_ms":-1}`,
	`{"type":"input_audio_buffer.append","audio":7}`, `{"type":"input_audio_buffer.append","audio":"not sound"}`, `{"type":"input_audio_buffer.append","audio":"\u0041"}`,
	`{"type":"input_audio_buffer.append","audio":"AAAA","text":"x"}`, `{"type":"input_audio_buffer.commit"}`,
	`{"type":"response.create","response":7}`, `{"type":"response.create","response":{"prompt":{"id":"p"}}}`, `{"type":"response.create","text":"x"}`,
	`{"type":"response.create","response":{"tools":[{"type":"mcp"}]}}`, `{"type":"response.create","response":{"input":7}}`, `{"type":"response.create","response":{"input":[7]}}`,
	`{"type":"response.create","response":{"input":[{"type":"mcp_list_tools"}]}}`, `{"type":"response.create","response":{"instructions":{}}}`,
	`{"type":"response.cancel"}`, `{"type":"response.cancel","response_id":"a b"}`, `{"type":"response.cancel","event_id":"a b"}`, `{"type":"response.cancel","event_id":7}`,
}

const liveEcho = `{"type":"response.create","response":{"output_modalities":["text"]}}`

func TestSessionsSurviveClientsThatBreakTheProtocol(t *testing.T) {
	frames := spoiltFrames()
	require.GreaterOrEqual(t, len(frames)+len(spoiltLive), 100)
	g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1000}, chain: judging(t, "")})
	good := g.session(t, "other", "mock-echo")
	for name, bytes := range frames {
		c, r := g.shakeAt(t, "/v1/realtime?model=mock-echo")
		go func() { // the gateway may have closed the connection
			_, _ = io.WriteString(c, bytes)
			_ = c.(*net.TCPConn).CloseWrite()
		}()
		_, err := io.Copy(io.Discard, r)
		if n, ok := err.(net.Error); ok {
			assert.False(t, n.Timeout(), "%s: the session stays open", name)
		}
		require.NoError(t, c.Close())
	}
	c := g.session(t, "dev", "mock-echo")
	hearUntil(t, c, "session.created")
	for _, event := range spoiltLive {
		say(t, c, event)
		got := lastOf(hearUntil(t, c, "error"))
		assert.NotEmpty(t, findAt(got, "error.message").text(), "%.100q", event)
		assert.Less(t, len(got), 1000, "%.100q", event)
	}
	say(t, c, liveEcho)
	assert.Equal(t, "completed", findAt(lastOf(hearUntil(t, c, "response.done")), "response.status").text(), "the session goes on")
	say(t, good, liveEcho)
	hearUntil(t, good, "response.done")
	assert.NotContains(t, g.lines.String(), "panic")
}

// spoiltReplies are what a provider sends for a response, by name. "" stands for the end of the connection.
func spoiltReplies() map[string][]string {
	created := `{"type":"response.created","event_id":"e","response":{"id":"r1","object":"realtime.response","status":"in_progress","output":[]}}`
	item := `{"type":"response.output_item.added","response_id":"r1","output_index":0,"item":{"id":"i1","type":"message","role":"assistant","content":[]}}`
	delta := func(id, text string) string {
		return `{"type":"response.output_text.delta","response_id":"` + id + `","item_id":"i1","output_index":0,"content_index":0,"delta":"` + text + `"}`
	}
	done := `{"type":"response.done","response":{"id":"r1","object":"realtime.response","status":"completed","output":[]}}`
	return map[string][]string{
		"the end at once":                     {""},
		"the end in a response":               {created, item, delta("r1", "x"), ""},
		"an end without a beginning":          {done, created, done},
		"deltas before their response":        {delta("r1", "x"), created, done},
		"deltas of another response":          {created, delta("r9", "x"), done},
		"a second response between":           {created, strings.ReplaceAll(created, "r1", "r2"), delta("r2", "x"), delta("r1", "y"), strings.ReplaceAll(done, "r1", "r2"), done},
		"the same response twice":             {created, created, done, done},
		"deltas after the end":                {created, done, delta("r1", "x")},
		"equal members":                       {created, `{"type":"response.output_text.delta","response_id":"r1","delta":"a","delta":"b"}`, done},
		"text that is not JSON":               {created, `{`, done},
		"an event that is not an object":      {created, `[]`, `7`, `null`, done},
		"ids that are numbers":                {created, `{"type":"response.output_text.delta","response_id":1,"item_id":2,"delta":"x"}`, done},
		"a delta that is a number":            {created, `{"type":"response.output_text.delta","response_id":"r1","delta":7}`, done},
		"an unknown event":                    {created, `{"type":"response.new.delta","response_id":"r1","delta":"x"}`, `{"type":"new","x":"y"}`, done},
		"sound that is not base64":            {created, `{"type":"response.output_audio.delta","response_id":"r1","delta":"my card"}`, done},
		"a delta of 900 KB":                   {created, item, delta("r1", strings.Repeat("x", 900<<10)), done},
		"a message that is too large":         {created, delta("r1", strings.Repeat("x", 2<<20)), done},
		"an item that is not an object":       {created, `{"type":"response.output_item.done","response_id":"r1","item":7}`, done},
		"usage that makes no sense":           {created, strings.Replace(done, `"output":[]`, `"output":{},"usage":{"input_tokens":-4,"output_tokens":1e99}`, 1)},
		"an error for the response":           {`{"type":"error","error":{"type":"invalid_request_error","code":"c","message":"no","event_id":"@"}}`},
		"an error of nothing":                 {`{"type":"error"}`, created, done},
		"a failed response":                   {created, strings.Replace(done, `"completed"`, `"failed","status_details":{"type":"failed","error":{"code":"rate_limit_exceeded","message":"m"}}`, 1)},
		"a cancelled response":                {created, delta("r1", "x"), strings.Replace(done, `"completed"`, `"cancelled"`, 1)},
		"lines in an event":                   {strings.ReplaceAll(created, ",", ",\r\n"), strings.ReplaceAll(done, ",", ",\n")},
		"a transcript of nothing":             {`{"type":"conversation.item.input_audio_transcription.completed"}`, created, done},
		"turns without speech":                {`{"type":"input_audio_buffer.committed"}`, `{"type":"conversation.item.input_audio_transcription.failed"}`, created, done},
		"an item of the system":               {`{"type":"conversation.item.added","item":{"id":"s","type":"message","role":"system","content":[{"type":"input_text","text":"x"}]}}`, created, done},
		"1,000 events":                        append(append([]string{created}, strings.Split(strings.Repeat(delta("r1", "x")+"\n", 1000), "\n")[:1000]...), done),
		"a session that turns answers on":     {`{"type":"session.updated","session":{"audio":7}}`, created, done},
		"a session that is not an object":     {`{"type":"session.updated","session":7}`, created, done},
		"arguments that are no JSON":          {created, `{"type":"response.function_call_arguments.delta","response_id":"r1","output_index":0,"delta":"{{{"}`, done},
		"arguments that end in an escape":     {created, `{"type":"response.function_call_arguments.delta","response_id":"r1","output_index":0,"delta":"{\"a\":\"\\"}`, done},
		"parts of the same text with two ids": {created, delta("r1", "a"), strings.Replace(delta("r1", "b"), "i1", "i2", 1), done},
	}
}

func TestSessionsSurviveProvidersThatBreakTheProtocol(t *testing.T) {
	for name, events := range spoiltReplies() {
		t.Run(name, func(t *testing.T) {
			up := newLiveProvider(t, func(ctx context.Context, c *websocket.Conn, next func() string) {
				tell(ctx, c, liveCreated)
				for ev := next(); ev != ""; ev = next() {
					if findAt(ev, "type").text() != "response.create" {
						continue
					}
					for _, e := range events {
						if e == "" {
							return
						}
						tell(ctx, c, strings.ReplaceAll(e, "@", findAt(ev, "event_id").text()))
					}
				}
			})
			g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, chain: judging(t, ""), sockets: socket.Limits{PerKey: 2}})
			c := g.session(t, "dev", "gpt-test")
			hearUntil(t, c, "session.created")
			say(t, c, `{"type":"response.create"}`)
			ctx, cancel := context.WithTimeout(t.Context(), generous)
			defer cancel()
			for { // an end of the response, an error, or the end of the session
				_, b, err := c.Read(ctx)
				if err != nil {
					require.NoError(t, ctx.Err(), "the session is silent")
					break
				}
				if typ := findAt(string(b), "type").text(); typ == "response.done" || typ == "error" {
					break
				}
			}
			_ = c.CloseNow()
			g.end()
			assert.NotContains(t, g.lines.String(), "panic")
		})
	}
}

func TestASessionThatAProviderRefusesIsNotOpened(t *testing.T) {
	for name, c := range map[string]struct {
		serve  func(ctx context.Context, c *websocket.Conn, next func() string)
		status int
	}{
		"an error event": {func(ctx context.Context, c *websocket.Conn, _ func() string) {
			tell(ctx, c, `{"type":"error","error":{"type":"invalid_request_error","code":"model_not_found","message":"no"}}`)
		}, 400},
		"another event": {func(ctx context.Context, c *websocket.Conn, _ func() string) { tell(ctx, c, `{"type":"hello"}`) }, 502},
		"the end":       {func(context.Context, *websocket.Conn, func() string) {}, 502},
		"a binary message": {func(ctx context.Context, c *websocket.Conn, _ func() string) {
			_ = c.Write(ctx, websocket.MessageBinary, []byte(liveCreated))
		}, 502},
	} {
		t.Run(name, func(t *testing.T) {
			up := newLiveProvider(t, c.serve)
			g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2}})
			_, res, err := websocket.Dial(t.Context(), g.url+"/v1/realtime?model=gpt-test", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + g.key["dev"]}}})
			require.Error(t, err)
			require.NotNil(t, res)
			assert.Equal(t, c.status, res.StatusCode)
		})
	}
}
