package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	count "github.com/headgate-dev/headgate/core/llm/tokens"
	"github.com/headgate-dev/headgate/core/records/meter"
)

const (
	story      = "Once upon a time there was a \"gateway\" that counted every token, wasn't it?"
	tale       = "Once upon a time there was a gateway that counted every token."
	claudeTold = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Once upon a time there was a \\\"gateway\\\" that counted every token, wasn't it?\"}}\n\n"
	geminiTold = "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Once upon a time\"}]}}],\"usageMetadata\":{\"promptTokenCount\":40,\"candidatesTokenCount\":4,\"totalTokenCount\":44}}\n\n"
)

func tokensOf(t *testing.T, text string) int64 {
	n, err := count.CountText(text)
	require.NoError(t, err)
	return n
}

// leaving sends a request, hangs up once the client has read the given word, and returns the records of the only
// exchange.
func leaving(t *testing.T, g *gate, path, body, word string) (map[string]any, meter.Totals) {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	r := g.request("dev", strings.NewReader(body)).WithContext(ctx)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	res, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	lines := bufio.NewReader(res.Body)
	for line := ""; !strings.Contains(line, word); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	leave()
	_ = res.Body.Close()
	return g.outcome(), g.usage()
}

// "The client's hang-up cancels the provider call at once and still settles what was used."
func TestAClientThatHangsUpPaysForWhatItWasTold(t *testing.T) {
	question := "How are you today?"
	chatAsk := `{"model":"gpt-test","stream":true,"messages":[{"role":"user","content":"` + question + `"}]}`
	input := tokensOf(t, question+"\n") + 6 // of the message, and of the answer
	told := tokensOf(t, story)
	quoted, err := json.Marshal(story)
	require.NoError(t, err)
	for _, c := range []struct {
		name, typ, path, body, raw, word string
		input, output                    int64
		estimated                        bool
	}{
		{
			"a stream passed through", "openai", "/v1/chat/completions", chatAsk,
			streamHead + chunk(roleEvent+`data: {"choices":[{"index":0,"delta":{"content":`+string(quoted)+`}}]}`+"\n\n"), "gateway", input, told, true,
		},
		{
			"a stream in two pieces", "openai", "/v1/chat/completions", chatAsk,
			streamHead + chunk(roleEvent+textEvent("Once upon")) + chunk(textEvent(" a time")), "a time", input, tokensOf(t, "Once upon a time"), true,
		},
		{
			"arguments of a tool", "openai", "/v1/chat/completions", strings.Replace(chatAsk, `"stream"`, `"tools":[{"type":"function","function":{"name":"f"}}],"stream"`, 1),
			streamHead + chunk(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"city\":\"Graz\"}"}}]}}]}`+"\n\n"), "Graz",
			-1, tokensOf(t, `{"city":"Graz"}`), true,
		},
		{"a translated stream whose provider reports its input tokens at once", "anthropic", "/v1/chat/completions", chatAsk, claudeHead + claudeStart + claudeTold, "gateway", 1, 1 + told, true},
		{
			"Messages passed through, with output tokens reported last", "anthropic", "/v1/messages", strings.Replace(chatAsk, `"stream"`, `"max_tokens":99,"stream"`, 1),
			claudeHead + claudeStart + claudeTold, "gateway", 1, 1 + told, true,
		},
		{
			"generateContent passed through, with usage in each event", "gemini", "/v1beta/models/gpt-test:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"` + question + `"}]}]}`,
			claudeHead + geminiTold, "Once", 40, 4, false,
		},
		{
			"Responses passed through", "openai", "/v1/responses", `{"model":"gpt-test","stream":true,"input":"` + question + `"}`,
			claudeHead + "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"status\":\"in_progress\",\"output\":[]}}\n\n" +
				"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":" + string(quoted) + "}\n\n", "gateway", input, told, true,
		},
		{
			"translated Responses", "anthropic", "/v1/responses", `{"model":"gpt-test","stream":true,"input":"` + question + `"}`,
			claudeHead + claudeStart + claudeTold, "gateway", 1, 1 + told, true,
		},
	} {
		for _, governed := range []bool{false, true} {
			t.Run(c.name+map[bool]string{true: ", governed"}[governed], func(t *testing.T) {
				gone := make(chan bool, 1)
				s := setup{listens: true, provider: newProvider(t, c.typ, newFake(t, func(conn net.Conn, _ sent) {
					_, _ = io.WriteString(conn, c.raw)
					gone <- hungUp(conn)
				}).url)}
				if governed {
					s.chain = redacting(t, "")
				}
				g := open(t, s)
				res, used := leaving(t, g, c.path, c.body, c.word)
				assert.True(t, <-gone, "the call to the provider is cancelled")
				assert.Equal(t, "client_gone", res["outcome"])
				assert.Equal(t, false, res["complete"])
				if c.input >= 0 {
					assert.Equal(t, c.input, used.Input)
					assert.InDelta(t, c.input, res["tokens_prompt"], 0)
				}
				assert.Equal(t, c.output, used.Output)
				assert.InDelta(t, c.output, res["tokens_completion"], 0)
				assert.Equal(t, c.estimated, res["tokens_estimated"] == true)
				assert.Equal(t, map[bool]int64{true: 1}[c.estimated], used.Estimated)
				assert.Equal(t, map[bool]int64{false: 1}[c.estimated], used.Counted)
			})
		}
	}
}

// A request that a provider received is charged, even if the provider has not answered yet.
func TestAClientThatHangsUpBeforeTheAnswerPaysForItsRequest(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		asked := make(chan struct{})
		g := open(t, setup{listens: true, url: newFake(t, func(conn net.Conn, _ sent) {
			close(asked)
			hungUp(conn)
		}).url})
		ctx, leave := context.WithCancel(context.Background())
		go func() { <-asked; leave() }()
		_, err := http.DefaultTransport.RoundTrip(
			g.request("dev", strings.NewReader(chatBody("How are you today?", streamed))).WithContext(ctx),
		) // it fails
		require.Error(t, err)
		assert.Equal(t, true, g.outcome()["tokens_estimated"])
		assert.Equal(t, tokensOf(t, "How are you today?\n")+6, g.usage().Input)
		assert.Zero(t, g.usage().Output)
	}
}

// A stream that its provider cuts off is settled like one whose client hangs up.
func TestAnAnswerThatIsCutOffIsSettled(t *testing.T) {
	g := open(t, setup{url: newFake(t, says(streamHead+chunk(roleEvent+textEvent(tale)))).url})
	a := g.post("dev", chatStream("hi"))
	require.Equal(t, 200, a.status)
	res, used := g.outcome(), g.usage()
	assert.Equal(t, "upstream_error", res["outcome"])
	assert.Equal(t, tokensOf(t, tale), used.Output)
	assert.EqualValues(t, 1, used.Estimated)
}

// Refused or unsent requests cost nothing, and reported usage is not estimated.
func TestWhatCostsNothingIsNotEstimated(t *testing.T) {
	usage := `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}` + "\n\n"
	for _, c := range []struct {
		name, raw     string
		input, output int64
		counted       int64
	}{
		{"a refusal", buildWhole(429, "application/json", "{}"), 0, 0, 0},
		{"a failure", buildWhole(500, "application/json", "{}"), 0, 0, 0},
		{"an error at the beginning", stream(errorEvent), 0, 0, 0},
		{"a stream with a count that breaks off", streamHead + chunk(roleEvent+textEvent(tale)+usage), 5, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := open(t, setup{url: newFake(t, says(c.raw)).url})
			g.post("dev", chatStream("hi"))
			res, used := g.outcome(), g.usage()
			assert.Nil(t, res["tokens_estimated"])
			assert.Equal(t, [3]int64{c.input, c.output, c.counted}, [3]int64{used.Input, used.Output, used.Counted})
			assert.Zero(t, used.Estimated)
		})
	}
}

// The tokens of a long text are extrapolated from its beginning.
func TestTheEstimateOfALongTextIsBounded(t *testing.T) {
	long := strings.Repeat(story+" ", 4000)
	asked := make(chan struct{})
	g := open(t, setup{listens: true, maxBody: 4 << 20, url: newFake(t, func(conn net.Conn, _ sent) {
		close(asked)
		hungUp(conn)
	}).url})
	ctx, leave := context.WithCancel(context.Background())
	go func() { <-asked; leave() }()
	_, err := http.DefaultTransport.RoundTrip(g.request("dev", strings.NewReader(chat(long))).WithContext(ctx)) // it fails
	require.Error(t, err)
	g.outcome()
	assert.InEpsilon(t, tokensOf(t, long), g.usage().Input, 0.01)
}
