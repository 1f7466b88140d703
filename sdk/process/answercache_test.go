package process_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/state"
	host "github.com/headgate-dev/headgate/plugins/process"
)

// answers is a chain of the cache that is a process.
func answers(t *testing.T, counters core.State, change ...func(*host.Spec)) *chain.Chain {
	t.Helper()
	h, spec := plug(t, "answercache", func(s *host.Spec) { s.State, s.Answer = counters, dialect.BuildAnswer })
	for _, c := range change {
		c(&spec)
	}
	st := open(t, h, spec)
	c, err := chain.New([]chain.Link{{Name: "answers", Stage: st, Phases: st.Phases(), Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close(context.Background())) })
	return c
}

// runRequest is a request of a tenant, and what the chain decides about it.
func runRequest(t *testing.T, c *chain.Chain, tenant, body string) (*core.Exchange, chain.Decision) {
	t.Helper()
	x := &core.Exchange{Dialect: openai.Chat{}.Name(), Principal: &core.Principal{Tenant: tenant, KeyID: "k"}, Received: time.Now()}
	x.Request.Raw = []byte(body)
	require.Nil(t, openai.Chat{}.Scan(x))
	d := c.RunRequest(context.Background(), x)
	require.False(t, d.Fault, "%v", d.Err)
	return x, d
}

func chat(model, text string, stream bool) string {
	b, _ := json.Marshal(map[string]any{"model": model, "stream": stream, "messages": []any{map[string]any{"role": "user", "content": text}}})
	return string(b)
}

// runAnswer gives an exchange a whole answer.
func runAnswer(t *testing.T, c *chain.Chain, x *core.Exchange, status int, message string) {
	t.Helper()
	x.Response.Status, x.Response.Raw = status, []byte(`{"choices":[{"index":0,"message":`+message+`}]}`)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	require.Equal(t, core.Pass, c.RunResponse(context.Background(), x).Action)
	c.Finish(context.Background(), x)
}

// runStream gives an exchange a streamed answer, and checks that each event is sent at once.
func runStream(t *testing.T, c *chain.Chain, x *core.Exchange, events ...string) {
	t.Helper()
	ctx := context.Background()
	s, e := c.Stream(ctx, x, openai.Chat{})
	require.Nil(t, e)
	assert.False(t, s.Withholds())
	for _, data := range events {
		raw := []byte("data: " + data + "\n\n")
		var ev core.Event
		ev.Reset(bytes.Clone(raw))
		require.NoError(t, openai.Chat{}.ScanEvent(x, &ev))
		out, e := s.RunEvent(ctx, &ev, nil)
		require.Nil(t, e)
		assert.Equal(t, string(raw), string(out))
	}
	_, e = s.End(ctx, nil)
	require.Nil(t, e)
	s.Close(ctx)
	c.Finish(ctx, x)
}

func delta(content, finish string) string {
	return `{"choices":[{"index":0,"delta":` + content + `,"finish_reason":` + finish + `}]}`
}

func TestAnAnswerCacheCanBeAProcess(t *testing.T) {
	c := answers(t, state.NewMemory(state.Options{}))
	x, d := runRequest(t, c, "acme", chat("m", "Say hello.", false))
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, []core.Field{{Name: "X-Answer-Cache", Value: "miss"}}, x.Header)
	runAnswer(t, c, x, 200, `{"role":"assistant","content":"Hello \"you\"."}`)

	x, d = runRequest(t, c, "acme", chat("m", "Say hello.", false))
	require.Equal(t, core.Answer, d.Action)
	assert.Equal(t, []core.Field{{Name: "X-Answer-Cache", Value: "hit"}}, x.Header)
	x.Response.Raw = d.Reply.Raw
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	assert.Equal(t, `Hello "you".`, x.Response.ReadText(0))
	for name, other := range map[string]struct{ tenant, body string }{
		"another tenant": {"other", chat("m", "Say hello.", false)}, "another model": {"acme", chat("n", "Say hello.", false)},
		"another text": {"acme", chat("m", "Say goodbye.", false)}, "another parameter": {"acme", chat("m", "Say hello.", true)},
	} {
		_, d = runRequest(t, c, other.tenant, other.body)
		assert.Equal(t, core.Pass, d.Action, name)
	}
}

func TestTheCacheThatIsAProcessFollowsStreams(t *testing.T) {
	c := answers(t, state.NewMemory(state.Options{}))
	body, long := chat("m", "Tell me.", true), strings.Repeat("word ", 2000)
	x, _ := runRequest(t, c, "acme", body)
	events := []string{delta(`{"role":"assistant","content":"It is "}`, "null")}
	for at := 0; at < len(long); at += 500 { // more than one lot of what it is shown at a time
		events = append(events, delta(`{"content":"`+long[at:at+500]+`"}`, "null"))
	}
	runStream(t, c, x, append(events, delta(`{}`, `"stop"`), "[DONE]")...)
	_, d := runRequest(t, c, "acme", body)
	require.Equal(t, core.Answer, d.Action)
	assert.Equal(t, "text/event-stream", d.Reply.Header.Get("Content-Type"))
	assert.Contains(t, string(d.Reply.Raw), "It is "+long)
}

func TestWhatIsNoWholeTextIsNotKeptByTheCache(t *testing.T) {
	c := answers(t, state.NewMemory(state.Options{}))
	text := `{"role":"assistant","content":"It is"}`
	for name, events := range map[string][]string{
		"cut by its length":   {delta(text, "null"), delta(`{}`, `"length"`), "[DONE]"},
		"broken off":          {delta(text, "null")},
		"with a call":         {delta(text, "null"), delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":\"b\"}"}}]}`, "null"), delta(`{}`, `"stop"`), "[DONE]"},
		"with another choice": {delta(text, "null"), `{"choices":[{"index":1,"delta":{"content":"or"}}]}`, delta(`{}`, `"stop"`), "[DONE]"},
		"without a text":      {delta(`{}`, `"stop"`), "[DONE]"},
	} {
		body := chat("m", name, true)
		x, _ := runRequest(t, c, "acme", body)
		runStream(t, c, x, events...)
		_, d := runRequest(t, c, "acme", body)
		assert.Equal(t, core.Pass, d.Action, name)
	}
	for name, a := range map[string]struct {
		status  int
		message string
	}{
		"with a call, whole": {200, `{"role":"assistant","content":"It is","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":\"b\"}"}}]}`},
		"an error":           {500, text},
	} {
		x, _ := runRequest(t, c, "acme", chat("m", name, false))
		runAnswer(t, c, x, a.status, a.message)
		_, d := runRequest(t, c, "acme", chat("m", name, false))
		assert.Equal(t, core.Pass, d.Action, name)
	}
}

func TestACallThatIsNotAnsweredInWordsPassesTheCache(t *testing.T) {
	c := answers(t, state.NewMemory(state.Options{}))
	x := &core.Exchange{Dialect: openai.Embeddings{}.Name(), Principal: &core.Principal{Tenant: "acme"}}
	x.Request.Raw = []byte(`{"model":"e","input":"text"}`)
	require.Nil(t, openai.Embeddings{}.Scan(x))
	assert.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Empty(t, x.Header)
}

func TestWithoutItsStateOrItsKeyTheCacheSaysSo(t *testing.T) {
	c := answers(t, state.NewMemory(state.Options{}), func(s *host.Spec) { s.Grant.Capabilities = []string{} })
	x, d := runRequest(t, c, "acme", chat("m", "hi", false))
	assert.Equal(t, core.Pass, d.Action, "the model answers")
	assert.Equal(t, "miss", x.Header[0].Value)
	c = answers(t, state.NewMemory(state.Options{}), func(s *host.Spec) { s.Grant.Fields = []string{"model"} })
	y := &core.Exchange{Dialect: openai.Chat{}.Name(), Principal: &core.Principal{Tenant: "acme"}}
	y.Request.Raw = []byte(chat("m", "hi", false))
	require.Nil(t, openai.Chat{}.Scan(y))
	assert.True(t, c.RunRequest(context.Background(), y).Fault)
}
