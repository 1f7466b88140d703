package proxy_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

func TestAStreamThatGoesWrong(t *testing.T) {
	big := strings.Repeat("x", 9<<20)
	for _, c := range []struct {
		name, raw string
		timeouts  upstream.Timeouts
		stalls    bool
		status    int    // of the answer
		content   string // that the client has received by then
		code      string // of the error, in the body or in the stream
		says      string
		done      bool
		outcome   string
		complete  bool
	}{
		{name: "cut off after output", raw: streamHead + chunk(roleEvent+textEvent("one")), status: 200, content: "one", code: "upstream_error", says: "broke off", outcome: "upstream_error"},
		{name: "cut off before output", raw: streamHead, status: 502, code: "upstream_error", says: "broke off", outcome: "upstream_error"},
		{name: "stalls after output", raw: streamHead + chunk(roleEvent+textEvent("one")), stalls: true, timeouts: upstream.Timeouts{Idle: 50 * time.Millisecond}, status: 200, content: "one", code: "upstream_timeout", says: "in time (body)", outcome: "upstream_error"},
		{name: "stalls before output", raw: streamHead, stalls: true, timeouts: upstream.Timeouts{Idle: 50 * time.Millisecond}, status: 504, code: "upstream_timeout", says: "in time (body)", outcome: "upstream_error"},
		{name: "takes longer than its total time", raw: streamHead + chunk(roleEvent+textEvent("one")), stalls: true, timeouts: upstream.Timeouts{Idle: generous, Total: time.Second}, status: 200, content: "one", code: "upstream_timeout", says: "in time (total)", outcome: "upstream_error"},
		{name: "ends with half an event", raw: stream(roleEvent, textEvent("one"), `data: {"choices":[{"index":0,"del`), status: 200, content: "one", code: "upstream_invalid_response", says: "does not match this API", outcome: "upstream_error"},
		{name: "starts with half an event", raw: stream(`data: {"choices":[{"index":0,"del`), status: 502, code: "upstream_invalid_response", says: "does not match this API", outcome: "upstream_error"},
		{name: "has an event that is not JSON", raw: stream(roleEvent, textEvent("one"), "data: nope\n\n", textEvent("two")), status: 200, content: "one", code: "upstream_invalid_response", says: "does not match this API", outcome: "upstream_error"},
		{name: "has an event with a key twice", raw: stream(roleEvent, `data: {"choices":[],"choices":[]}`+"\n\n"), status: 200, code: "upstream_invalid_response", says: "does not match this API", outcome: "upstream_error"},
		{name: "reports a limit before output", raw: stream(limitEvent), status: 429, code: "rate_limit_exceeded", says: "OpenAI API error 429: rate_limit_exceeded: Rate limit reached", outcome: "upstream_error"},
		{name: "is an error in place of a stream", raw: buildWhole(200, "application/json", `{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}`), status: 429, code: "rate_limit_exceeded", says: "OpenAI API error 429: rate_limit_exceeded: slow down", outcome: "upstream_error"},
		{name: "is a whole answer in place of a stream", raw: buildWhole(200, "application/json", `{"choices":[{"index":0,"message":{"content":"x"}}],"error":null}`), status: 502, code: "upstream_invalid_response", says: "not an event stream", outcome: "upstream_error"},
		{name: "reports an error before output", raw: stream(errorEvent), status: 500, code: "upstream_error", says: "OpenAI API error 500", outcome: "upstream_error"},
		{name: "reports an error after output", raw: streamHead + chunk(roleEvent+textEvent("one")) + chunk(errorEvent) + chunk(""), status: 200, content: "one", code: "upstream_error", says: "OpenAI API error 500", outcome: "upstream_error"},
		{name: "has an event that is too large", raw: streamHead + chunk(roleEvent) + chunk("data: "+big), status: 200, code: "upstream_invalid_response", says: "too large", outcome: "upstream_error"},
		{name: "cut off while all of it is held", raw: streamHead + chunk(textEvent("{{PII_")), status: 502, code: "upstream_error", says: "broke off", outcome: "upstream_error"},
		{name: "lacks [DONE]", raw: stream(roleEvent, textEvent("one"), stopEvent), status: 200, content: "one", outcome: "served"},
		{name: "has no last blank line", raw: stream(roleEvent, textEvent("one"), stopEvent, "data: [DONE]"), status: 200, content: "one", done: true, outcome: "served", complete: true},
		{name: "ends in one line feed", raw: stream(roleEvent, textEvent("one"), stopEvent, "data: [DONE]\n"), status: 200, content: "one", done: true, outcome: "served", complete: true},
		{name: "goes on after its end", raw: stream(roleEvent, textEvent("one"), stopEvent, doneEvent, textEvent("two"), "data: nope\n\n"), status: 200, content: "one", done: true, outcome: "served", complete: true},
	} {
		for _, chain := range []string{"", "action: redact", "response: redact"} {
			if chain == "" && strings.Contains(c.name, "held") {
				continue // no link holds anything
			}
			t.Run(c.name+", chain "+chain, func(t *testing.T) {
				release := make(chan struct{})
				s := setup{timeouts: c.timeouts, url: newFake(t, func(conn net.Conn, _ sent) {
					_, _ = io.WriteString(conn, c.raw)
					if c.stalls {
						<-release
					}
				}).url}
				defer close(release)
				if chain != "" {
					s.chain = redacting(t, chain)
				}
				g := open(t, s)
				a := g.post("dev", chatStream("hi"))
				require.NoError(t, a.err, "the stream ends properly")
				require.Equal(t, c.status, a.status, a.body)
				if c.status != 200 {
					e := errorOf(t, a)
					assert.Equal(t, c.code, e["code"])
					assert.Contains(t, e["message"], c.says)
				} else {
					h := listen(t, a.body)
					assert.Equal(t, c.content, h.content)
					assert.Equal(t, c.done, h.done)
					assert.Zero(t, h.after)
					if c.code == "" {
						assert.Nil(t, h.err)
					} else {
						require.NotNil(t, h.err, a.body)
						assert.Equal(t, c.code, h.err["code"])
						assert.Contains(t, h.err["message"], c.says)
						assert.Greater(t, strings.Index(a.body, `"error"`), strings.LastIndex(a.body, `"delta"`), "nothing follows the error")
					}
				}
				res := g.outcome()
				assert.Equal(t, c.outcome, res["outcome"])
				assert.Equal(t, c.complete, res["complete"] == true && c.status == 200)
				assert.InDelta(t, c.status, res["status"], 0)
			})
		}
	}
}

func TestWhatIsHeldIsReleasedWhenTheStreamEnds(t *testing.T) {
	for _, c := range []struct{ name, raw string }{
		{"by its end", stream(roleEvent, textEvent("a {{PII_EM"), stopEvent, doneEvent)},
		{"without a finish", stream(roleEvent, textEvent("a {{PII_EM"), doneEvent)},
		{"without an end", stream(roleEvent, textEvent("a {{PII_EM"))},
		{"by a cut connection", streamHead + chunk(roleEvent+textEvent("a {{PII_EM"))},
		{"by the provider's error", stream(roleEvent, textEvent("a {{PII_EM"), errorEvent)},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := open(t, setup{url: newFake(t, says(c.raw)).url, chain: redacting(t, "")})
			a := g.post("dev", chatStream("hi"))
			assert.Equal(t, "a {{PII_EM", listen(t, a.body).content)
			if at := strings.Index(a.body, `"error"`); at >= 0 {
				assert.Greater(t, at, strings.LastIndex(a.body, "PII_EM"), "the error comes last")
			}
		})
	}
}
