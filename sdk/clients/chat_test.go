package clients

import (
	"context"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const prompt = "Is my card " + card + " fine?"

// ask is a chat request that sets all the gateway would add otherwise.
func ask(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:     model,
		Messages:  []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Answer <briefly> & well"), openai.UserMessage(prompt)},
		MaxTokens: openai.Int(64),
	}
}

func withTool(p openai.ChatCompletionNewParams) openai.ChatCompletionNewParams {
	p.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name:       "charge",
		Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"card": map[string]any{"type": "string"}}},
	})}
	return p
}

// readStream reads a stream to its end.
func readStream(t *testing.T, c *openai.Client, p openai.ChatCompletionNewParams) openai.ChatCompletion {
	t.Helper()
	p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	s := c.Chat.Completions.NewStreaming(context.Background(), p)
	var all openai.ChatCompletionAccumulator
	for s.Next() {
		require.True(t, all.AddChunk(s.Current()), "a chunk that does not fit")
	}
	require.NoError(t, s.Err())
	require.NoError(t, s.Close())
	require.Len(t, all.Choices, 1)
	return all.ChatCompletion
}

func TestTheOfficialClientChatsWithTheMock(t *testing.T) {
	c, _ := official(serve(t, "http://127.0.0.1:1"), gatewayKey)
	ctx := context.Background()
	check := func(t *testing.T, r openai.ChatCompletion) {
		t.Helper()
		assert.Equal(t, prompt, r.Choices[0].Message.Content, "the client reads its own card number")
		assert.Equal(t, "stop", r.Choices[0].FinishReason)
		assert.Positive(t, r.Usage.PromptTokens)
		assert.Equal(t, r.Usage.TotalTokens, r.Usage.PromptTokens+r.Usage.CompletionTokens)
	}
	t.Run("whole", func(t *testing.T) {
		r, err := c.Chat.Completions.New(ctx, ask("mock-echo"))
		require.NoError(t, err)
		check(t, *r)
	})
	t.Run("streamed", func(t *testing.T) { check(t, readStream(t, &c, ask("mock-echo"))) })
	checkTool := func(t *testing.T, r openai.ChatCompletion) {
		t.Helper()
		require.Len(t, r.Choices[0].Message.ToolCalls, 1)
		call := r.Choices[0].Message.ToolCalls[0]
		assert.Equal(t, "charge", call.Function.Name)
		assert.JSONEq(t, `{"card":"`+prompt+`"}`, call.Function.Arguments, "the mock fills what the tool requires")
		assert.Equal(t, "tool_calls", r.Choices[0].FinishReason)
	}
	t.Run("a tool, whole, and its result", func(t *testing.T) {
		p := withTool(ask("mock-tools"))
		r, err := c.Chat.Completions.New(ctx, p)
		require.NoError(t, err)
		checkTool(t, *r)
		p.Messages = append(p.Messages, r.Choices[0].Message.ToParam(), openai.ToolMessage("charged "+card, r.Choices[0].Message.ToolCalls[0].ID))
		r, err = c.Chat.Completions.New(ctx, p)
		require.NoError(t, err)
		assert.Equal(t, "charged "+card, r.Choices[0].Message.Content)
	})
	t.Run("a tool, streamed", func(t *testing.T) { checkTool(t, readStream(t, &c, withTool(ask("mock-tools")))) })
	t.Run("models", func(t *testing.T) {
		list, err := c.Models.List(ctx)
		require.NoError(t, err)
		var names []string
		for _, m := range list.Data {
			names = append(names, m.ID)
			assert.Contains(t, m.RawJSON(), `"supports_tool_calls":true`, m.ID)
		}
		assert.Contains(t, names, "mock-echo")
		assert.Contains(t, names, "gpt-4o")
	})
}

// sameBytes checks that the provider got the client's bytes, but for the
// placeholders, which stand where the card numbers stood.
func sameBytes(t *testing.T, p *provider, c *capture) {
	t.Helper()
	got, header := p.readReceived()
	assert.NotContains(t, string(got), card)
	back := token.ReplaceAll(got, []byte(card))
	require.NotEqual(t, string(got), string(back), "there is a placeholder")
	assert.Equal(t, hash(c.sent), hash(back), "sent %s\nreceived %s", c.sent, got)
	assert.Equal(t, "Bearer "+providerKey, header.Get("Authorization"))
	assert.NotContains(t, strings.Join(header.Values("Authorization"), " "), gatewayKey)
}

func TestTheOfficialClientReadsTranscripts(t *testing.T) {
	p := newProvider(t)
	c, seen := official(serve(t, p.URL), gatewayKey)
	ctx := context.Background()
	text := func(t *testing.T, r openai.ChatCompletion, want string) {
		t.Helper()
		assert.Equal(t, want, r.Choices[0].Message.Content)
		assert.Equal(t, "stop", r.Choices[0].FinishReason)
		assert.Equal(t, []int64{19, 23, 42}, []int64{r.Usage.PromptTokens, r.Usage.CompletionTokens, r.Usage.TotalTokens})
		assert.EqualValues(t, 5, r.Usage.PromptTokensDetails.CachedTokens)
		assert.EqualValues(t, 7, r.Usage.CompletionTokensDetails.ReasoningTokens)
		assert.Equal(t, "gpt-4o-2024-08-06", r.Model)
	}
	args := func(t *testing.T, r openai.ChatCompletion, want string) {
		t.Helper()
		require.Len(t, r.Choices[0].Message.ToolCalls, 1)
		call := r.Choices[0].Message.ToolCalls[0]
		assert.Equal(t, "call_9TqP0xZk3yWv", call.ID)
		assert.Equal(t, "charge", call.Function.Name)
		assert.Equal(t, want, call.Function.Arguments)
		assert.EqualValues(t, 98, r.Usage.TotalTokens)
	}
	t.Run("text, whole", func(t *testing.T) {
		p.play("whole.json", 0, putToken, false)
		r, err := c.Chat.Completions.New(ctx, ask("gpt-4o"))
		require.NoError(t, err)
		text(t, *r, "Your card "+card+" is fine.\nSee https://example.com/café 🚀")
		assert.Contains(t, r.RawJSON(), `"x_unknown": {"big": 12345678901234567890, "e": 1.0e0}`)
		assert.Contains(t, r.RawJSON(), `https:\/\/example.com\/caf\u00e9 \ud83d\ude80`)
		assert.Equal(t, "req_123", seen.header.Get("X-Request-Id"))
		sameBytes(t, p, seen)
	})
	t.Run("tool arguments, whole", func(t *testing.T) {
		p.play("tools.json", 0, putToken, false)
		r, err := c.Chat.Completions.New(ctx, withTool(ask("gpt-4o")))
		require.NoError(t, err)
		args(t, *r, `{"card": "`+card+`", "note": "caf\u00e9 \/ `+card+`", "n": 12345678901234567890}`)
		sameBytes(t, p, seen)
	})
	t.Run("streams with the placeholder cut at every place", func(t *testing.T) {
		length := len("{{PII_CREDIT_CARD_0123456789abcdef}}")
		for n := range length + 1 {
			p.play("stream.sse", 0, split(n), n%12 == 0)
			text(t, readStream(t, &c, ask("gpt-4o")), "Your card "+card+" is fine. / café")
			sameBytes(t, p, seen)
			p.play("tools.sse", 0, split(n), n%12 == 0)
			args(t, readStream(t, &c, withTool(ask("gpt-4o"))), `{"card": "`+card+`", "n": 12345678901234567890}`)
			sameBytes(t, p, seen)
			if t.Failed() {
				require.FailNowf(t, "cut", "after %d bytes of the placeholder", n)
			}
		}
	})
}
