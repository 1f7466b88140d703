package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// ask sends a body to the mock.
func ask(t testing.TB, body string) (*upstream.Response, string) {
	p, err := New(Settings{Name: "mock"})
	require.NoError(t, err)
	r := request(t, p, exchange(openAIChat, "mock-echo", false))
	assert.Equal(t, "POST", r.Method)
	r.Body = []byte(body)
	res, err := p.Client().Do(context.Background(), r)
	require.NoError(t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res, string(b)
}

func mockAsk(model, message, more string) string {
	m, _ := json.Marshal(message)
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"system","content":"be kind"},{"role":"user","content":%s}]%s}`, model, m, more)
}

// texts decodes a whole answer with the dialect that clients use.
func texts(t testing.TB, body string) ([]string, *core.Exchange) {
	x := &core.Exchange{}
	x.Response.Raw = []byte(body)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	var out []string
	for i := range x.Response.Segments {
		out = append(out, x.Response.ReadText(i))
	}
	return out, x
}

func TestTheMockEchoesTheLastUserMessage(t *testing.T) {
	for name, tc := range map[string]struct{ body, want string }{
		"a text":                 {mockAsk("mock-echo", "hello <b> é 😀 \"q\"", ""), "hello <b> é 😀 \"q\""},
		"any name after mock-":   {mockAsk("mock-1", "hi", ""), "hi"},
		"parts":                  {`{"model":"mock-echo","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"b"}]}]}`, "ab"},
		"the last of several":    {`{"model":"mock-echo","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]}`, "c"},
		"a tool's result counts": {`{"model":"mock-tools","messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"x","content":"42"}]}`, "42"},
	} {
		t.Run(name, func(t *testing.T) {
			res, body := ask(t, tc.body)
			assert.Equal(t, 200, res.Status)
			assert.Equal(t, "application/json", res.Get("content-type"))
			assert.Equal(t, int64(len(body)), res.ContentLength)
			got, _ := texts(t, body)
			assert.Equal(t, []string{tc.want}, got)
		})
	}
}

func TestTheMockEndsAtTheTokenLimit(t *testing.T) {
	for name, tc := range map[string]struct{ body, text, reason string }{
		"within the limit":        {mockAsk("mock-echo", "12345678", `,"max_tokens":2`), "12345678", "stop"},
		"beyond the limit":        {mockAsk("mock-echo", "123456789", `,"max_tokens":2`), "12345678", "length"},
		"the newer field":         {mockAsk("mock-echo", "123456789", `,"max_completion_tokens":1`), "1234", "length"},
		"in a character":          {mockAsk("mock-echo", "123é", `,"max_tokens":1`), "123", "length"},
		"streamed":                {mockAsk("mock-echo", "123456789", `,"max_tokens":2,"stream":true`), `"content":"8"`, "length"},
		"no limit":                {mockAsk("mock-echo", "123456789", ``), "123456789", "stop"},
		"the arguments of a tool": {mockAsk("mock-tools", "123456789", `,"max_tokens":2`), `{\"input`, "length"},
	} {
		t.Run(name, func(t *testing.T) {
			_, body := ask(t, tc.body)
			assert.Contains(t, body, tc.text)
			assert.Contains(t, body, `"finish_reason":"`+tc.reason+`"`)
		})
	}
}

func TestTheMockCountsTheSameTokensEachTime(t *testing.T) {
	body := mockAsk("mock-echo", "12345678", "")
	_, first := ask(t, body)
	_, second := ask(t, body)
	_, a := texts(t, first)
	_, b := texts(t, second)
	assert.True(t, a.Usage.Reported)
	assert.Equal(t, int64(2+2), a.Usage.Input, "four bytes are a token, rounded up: 7 and 8 bytes")
	assert.Equal(t, int64(2), a.Usage.Output)
	assert.Equal(t, a.Usage, b.Usage)
	var one, two struct{ ID string }
	require.NoError(t, json.Unmarshal([]byte(first), &one))
	require.NoError(t, json.Unmarshal([]byte(second), &two))
	assert.Equal(t, one, two, "the id depends on the request only")
}

func TestTheMockCallsTheFirstTool(t *testing.T) {
	_, body := ask(t, mockAsk("mock-tools", `say "x"`, `,"tools":[{"type":"function","function":{"name":"get_weather"}}]`))
	var v struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content *string
				Calls   []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &v))
	assert.Equal(t, "tool_calls", v.Choices[0].FinishReason)
	assert.Nil(t, v.Choices[0].Message.Content)
	assert.Equal(t, "get_weather", v.Choices[0].Message.Calls[0].Function.Name)
	assert.JSONEq(t, `{"input":"say \"x\""}`, v.Choices[0].Message.Calls[0].Function.Arguments)
}

func TestTheMockFailsAsItIsTold(t *testing.T) {
	for model, want := range map[string]int{
		"mock-error-429": 429, "mock-error-500": 500, "mock-error-401": 401, "mock-error-599": 599, "mock-error-": 400, "mock-error-200": 400, "mock-error-x": 400, "mock-error-600": 400,
	} {
		for _, more := range []string{"", `,"stream":true`} {
			res, body := ask(t, mockAsk(model, "x", more))
			assert.Equal(t, want, res.Status, model)
			code, message := openai.Chat{}.ReadError([]byte(body))
			assert.NotEmpty(t, code)
			assert.NotEmpty(t, message)
			assert.Equal(t, want == 429, res.Get("Retry-After") != "")
		}
	}
	res, _ := ask(t, "{")
	assert.Equal(t, 400, res.Status)
}

func TestTheMockStreamsInSmallPieces(t *testing.T) {
	const text = "a longer text, with é and 😀, in which everything is cut"
	for name, more := range map[string]string{"without usage": `,"stream":true`, "with usage": `,"stream":true,"stream_options":{"include_usage":true}`} {
		t.Run(name, func(t *testing.T) {
			for _, model := range []string{"mock-echo", "mock-tools"} {
				res, body := ask(t, mockAsk(model, text, more))
				assert.Equal(t, "text/event-stream", res.Get("Content-Type"))
				assert.Equal(t, int64(-1), res.ContentLength)
				var s sse.Splitter
				require.NoError(t, s.Write([]byte(body)))
				x, content, deltas, done := &core.Exchange{}, "", 0, false
				var ev core.Event
				for raw := s.Next(); raw != nil; raw = s.Next() {
					assert.False(t, done, "nothing comes after [DONE]")
					ev.Reset(raw)
					require.NoError(t, openai.Chat{}.ScanEvent(x, &ev))
					for _, d := range ev.Deltas {
						var piece string
						require.NoError(t, json.Unmarshal([]byte(`"`+string(raw[d.Span.Start:d.Span.End])+`"`), &piece))
						content += piece
						deltas++
						assert.LessOrEqual(t, len([]rune(piece)), mockPiece)
					}
					done = ev.Done
				}
				assert.True(t, done)
				assert.Greater(t, deltas, 8)
				assert.Equal(t, name == "with usage", x.Usage.Reported)
				if model == "mock-tools" {
					var args struct{ Input string }
					require.NoError(t, json.Unmarshal([]byte(content), &args))
					content = args.Input
				}
				assert.Equal(t, text, content)
			}
		})
	}
}

func TestTheMockStopsWhenItsCallerLeaves(t *testing.T) {
	p, err := New(Settings{Name: "mock"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	res, err := p.Client().Do(ctx, &upstream.Request{Body: []byte(mockAsk("mock-echo", "x", `,"stream":true`))})
	require.NoError(t, err)
	assert.Zero(t, res.Body.Buffered(), "pieces come one by one")
	small := make([]byte, 5)
	n, err := res.Body.Read(small)
	require.NoError(t, err)
	assert.Equal(t, "data:", string(small[:n]))
	cancel()
	_, err = res.Body.Read(small)
	var u *upstream.Error
	require.ErrorAs(t, err, &u)
	assert.Equal(t, upstream.PhaseBody, u.Phase)
	_, err = p.Client().Do(ctx, &upstream.Request{})
	require.ErrorAs(t, err, &u)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTheMockListsItsModelsOrThoseOfItsSettings(t *testing.T) {
	p, err := New(Settings{Name: "mock"})
	require.NoError(t, err)
	for _, m := range p.Models() {
		assert.True(t, strings.HasPrefix(m, p.Prefixes()[0]))
	}
	p, err = New(Settings{Name: "mock", Models: []string{"mock-a"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"mock-a"}, p.Models())
}
