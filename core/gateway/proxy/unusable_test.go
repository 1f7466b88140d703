package proxy_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

const (
	claudeHead  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	claudeStart = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"c\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n"
	claudeText  = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"one\"}}\n\n"
	claudeOverload = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
	serverError    = `{"error":{"message":"x","type":"server_error","code":"server_error"}}`
)

// unusable are answers with a success status that cannot be used.
var unusable = []struct {
	name, typ, raw string
	streamed       bool
	status         int // of the client's answer, if no other provider is called
}{
	{"a page", "openai", buildWhole(200, "text/html", page), false, 502},
	{"HTML declared as JSON", "openai", buildWhole(200, "application/json", page), false, 502},
	{"another content type", "openai", buildWhole(200, "text/plain", completion("x")), false, 502},
	{"JSON of another shape", "openai", buildWhole(200, "application/json", "[]"), false, 502},
	{"nothing", "openai", buildWhole(200, "application/json", ""), false, 502},
	{
		"half a body",
		"openai",
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n" + completion("x")[:20],
		false,
		502,
	},
	{"half a head", "openai", "HTTP/1.1 200 OK\r\nContent-Ty", false, 502},
	{"an error", "openai", buildWhole(200, "application/json", serverError), false, 500},
	{"an error with an unknown status", "openai", buildWhole(200, "application/json", `{"error":{"message":"x"}}`), false, 502},
	{
		"half a body, translated",
		"anthropic",
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{",
		false,
		502,
	},
	{"JSON of another shape, translated", "anthropic", buildWhole(200, "application/json", "{}"), false, 502},
	{"HTML in place of a stream", "openai", buildWhole(200, "text/html", page), true, 502},
	{"HTML declared as a stream", "openai", buildWhole(200, "text/event-stream", page), true, 502},
	{"a stream without an event", "openai", stream(), true, 502},
	{"a stream that breaks off at once", "openai", streamHead, true, 502},
	{"a stream of half an event", "openai", stream(`data: {"choices":[{"index":0,"del`), true, 502},
	{"a stream with only an error", "openai", stream("data: " + serverError + "\n\n"), true, 500},
	{"a stream with only its opening, translated", "anthropic", claudeHead + claudeStart, true, 502},
	{"a stream that starts with an error, translated", "anthropic", claudeHead + claudeStart + claudeOverload, true, 529},
}

// "Retries and fallback before the first byte only."
func TestAnAnswerThatCannotBeUsedIsAskedForElsewhere(t *testing.T) {
	good := map[bool]string{
		false: buildWhole(200, "application/json", completion("second")),
		true:  stream(roleEvent, textEvent("second"), stopEvent, doneEvent),
	}
	for _, c := range unusable {
		for _, chain := range []string{"", "response: redact"} {
			t.Run(c.name+", chain "+chain, func(t *testing.T) {
				bad := newFake(t, says(c.raw))
				second := newFake(t, says(good[c.streamed]))
				s := setup{targets: []route.Provider{newNamedProvider(t, "a", c.typ, bad.url), openAI(t, "b", second.url, nil, noTimeouts)}}
				if chain != "" {
					s.chain = redacting(t, chain)
				}
				g := open(t, s)
				a := g.post("dev", answerMany(c.streamed))
				require.Equal(t, 200, a.status, a.body)
				assert.Contains(t, a.body, "second")
				assert.NotContains(t, a.body, "error")
				if c.streamed {
					h := listen(t, a.body)
					assert.Equal(t, "second", h.content)
					assert.True(t, h.done)
				}
				res := g.outcome()
				assert.Equal(t, "b", res["provider"])
				assert.Equal(t, "served", res["outcome"])
				assert.Equal(t, true, res["complete"])
				assert.Len(t, bad.requests(), 1)
			})
		}
	}
}

func TestAnAnswerThatCannotBeUsedIsAskedForAgain(t *testing.T) {
	for _, c := range unusable {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(c.raw))
			g := open(t, setup{provider: newNamedProvider(t, "a", c.typ, up.url), runtime: eager, chain: redacting(t, "")})
			a := g.post("dev", chatBody("hi", c.streamed))
			assert.Equal(t, c.status, a.status, a.body)
			assert.NotEmpty(t, errorOf(t, a)["message"])
			assert.Len(t, up.requests(), 3, "as often as the route allows")
			assert.Equal(t, "upstream_error", g.outcome()["outcome"])
		})
	}
}

// strict opens a circuit at the second failure and never closes it.
func strict(rt *snapshot.Runtime) {
	rt.Traffic.Health = route.NewHealth(
		route.BreakerSettings{Failures: 2, FailurePercent: 100, Window: time.Minute, OpenFor: time.Hour, MaxOpen: time.Hour, Trials: 1},
		nil,
	)
}

// "Circuit breaking and health by provider": an unusable answer may be due to the request; an error that the provider
// reports is not.
func TestAnErrorInAnAnswerCountsAgainstItsModelAndAnAnswerThatCannotBeUsedDoesNot(t *testing.T) {
	cases := unusable
	for _, late := range []struct{ name, typ, raw string }{
		{"a stream that breaks off after its output", "openai", streamHead + chunk(roleEvent+textEvent("one"))},
		{"a stream with an error after its output", "openai", stream(roleEvent, textEvent("one"), "data: "+serverError+"\n\n")},
		{"a stream with nonsense after its output", "openai", stream(roleEvent, textEvent("one"), "data: nope\n\n")},
		{"a translated stream that breaks off after its output", "anthropic", claudeHead + claudeStart + claudeText},
		{"a translated stream with an error after its output", "anthropic", claudeHead + claudeStart + claudeText + claudeOverload},
	} {
		cases = append(cases[:len(cases):len(cases)], struct {
			name, typ, raw string
			streamed       bool
			status         int
		}{late.name, late.typ, late.raw, true, 200})
	}
	for _, c := range cases {
		stated := strings.Contains(c.raw, serverError) || strings.Contains(c.raw, claudeOverload)
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(c.raw))
			g := open(t, setup{provider: newNamedProvider(t, "a", c.typ, up.url), runtime: strict})
			for _, key := range []string{"dev", "foreign", "dev", "foreign"} {
				assert.Equal(t, c.status, g.post(key, chatBody("hi", c.streamed)).status)
			}
			require.Eventually(t, func() bool { return g.usage().Records == 4 }, generous, time.Millisecond)
			status, calls := c.status, 5
			if stated {
				status, calls = 503, 4
			}
			assert.Equal(t, status, g.post("dev", chatBody("hi", c.streamed)).status)
			assert.Len(t, up.requests(), calls)
		})
	}
}

// What is not the provider's failure does not count as one.
func TestWhatIsNotTheProvidersFaultDoesNotCountAgainstIt(t *testing.T) {
	objects := streams{acts{
		check:  func(*core.Exchange, core.Phase) (core.Verdict, error) { return objection(), nil },
		window: func(core.Window) (core.Verdict, int, error) { return objection(), 0, nil },
	}}
	for _, c := range []struct {
		name, raw string
		streamed  bool
		status    int
	}{
		{"an error of the request in a 200", buildWhole(200, "application/json", `{"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}`), false, 400},
		{"an error of the request at the beginning of a stream", stream(`data: {"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}` + "\n\n"), true, 400},
		{"a limit at the beginning of a stream", stream(limitEvent), true, 429},
		{"an answer that a guard objects to", buildWhole(200, "application/json", completion("no")), false, 400},
		{"a stream that a guard objects to", stream(roleEvent, textEvent("no"), stopEvent, doneEvent), true, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(c.raw))
			g := open(t, setup{url: up.url, runtime: strict, links: []chain.Link{link("objects", objects, core.Response)}})
			for range 4 {
				assert.Equal(t, c.status, g.post("dev", chatBody("hi", c.streamed)).status)
			}
			assert.Len(t, up.requests(), 4)
		})
	}
}

// A stream is not restarted once the client has received a part of it.
func TestAStreamThatHasReachedTheClientIsNotAskedForElsewhere(t *testing.T) {
	for _, c := range []struct{ name, typ, raw string }{
		{"breaks off", "openai", streamHead + chunk(roleEvent+textEvent("one"))},
		{"reports an error", "openai", stream(roleEvent, textEvent("one"), errorEvent)},
		{"breaks off, translated", "anthropic", claudeHead + claudeStart + claudeText},
	} {
		t.Run(c.name, func(t *testing.T) {
			second := newFake(t, says(stream(roleEvent, textEvent("second"), stopEvent, doneEvent)))
			g := open(t, setup{runtime: eager, targets: []route.Provider{
				newNamedProvider(t, "a", c.typ, newFake(t, says(c.raw)).url), openAI(t, "b", second.url, nil, noTimeouts),
			}})
			a := g.post("dev", answerMany(true))
			h := listen(t, a.body)
			assert.Equal(t, "one", h.content)
			assert.NotNil(t, h.err)
			assert.False(t, h.done)
			assert.Empty(t, second.requests())
		})
	}
}

// A provider that stalls may still be working: the operator chooses whether another is called.
func TestAfterATimeoutTheNextTargetIsCalledUnlessThatIsTurnedOff(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		streamed  bool
	}{
		{"before the first byte", "", false},
		{"in the middle of a body", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", false},
		{"at the beginning of a stream", streamHead, true},
	} {
		for _, lost := range []bool{true, false} {
			t.Run(c.name+map[bool]string{true: ", allowed", false: ", turned off"}[lost], func(t *testing.T) {
				short := upstream.Timeouts{FirstByte: 50 * time.Millisecond, Idle: 50 * time.Millisecond}
				slow := newFake(t, func(conn net.Conn, _ sent) {
					_, _ = io.WriteString(conn, c.raw)
					hungUp(conn)
				})
				answer := buildWhole(200, "application/json", completion("second"))
				if c.streamed {
					answer = stream(roleEvent, textEvent("second"), stopEvent, doneEvent)
				}
				g := open(t, setup{
					targets: []route.Provider{openAI(t, "a", slow.url, nil, short), openAI(t, "b", newFake(t, says(answer)).url, nil, noTimeouts)},
					runtime: func(rt *snapshot.Runtime) {
						rt.Traffic.Retry = route.DefaultRetry
						rt.Traffic.Retry.Lost = lost
					},
				})
				a := g.post("dev", answerMany(c.streamed))
				if lost {
					assert.Equal(t, 200, a.status, a.body)
					assert.Len(t, slow.requests(), 1, "the same target is not called again")
				} else {
					assert.Equal(t, 504, a.status, a.body)
				}
			})
		}
	}
}

// A target that cannot serve the request is skipped in favour of one that can.
func TestATargetWhoseTranslationRefusesIsSkipped(t *testing.T) {
	const thinking = `{"model":"many","max_tokens":2048,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"}]}`
	first := newFake(t, says(buildWhole(200, "application/json", completion("x"))))
	claude := newFake(
		t,
		says(
			buildWhole(
				200,
				"application/json",
				`{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":"thought"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`,
			),
		),
	)
	ask := func(t *testing.T, targets ...route.Provider) answer {
		g := open(t, setup{targets: targets})
		return g.postTo("/v1/messages", "dev", thinking)
	}
	a := ask(t, openAI(t, "a", first.url, nil, noTimeouts), newNamedProvider(t, "b", "anthropic", claude.url))
	assert.Equal(t, 200, a.status, a.body)
	assert.Contains(t, a.body, "thought")
	a = ask(t, openAI(t, "a", first.url, nil, noTimeouts))
	assert.Equal(t, 400, a.status, a.body)
	assert.Contains(t, a.body, "extended thinking")
	assert.Empty(t, first.requests(), "the request was refused before the call")
}

func answerMany(streamed bool) string {
	if streamed {
		return `{"model":"many","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	}
	return manyBody
}
