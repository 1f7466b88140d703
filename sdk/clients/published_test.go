package clients

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// published are streams after transcripts that others have published, kept beside
// the shapes they are in, with the text and the calls that they hold.
var published = []struct {
	file, model string
	text        string
	calls       []string
}{
	{"anthropic/testdata/streams/text.sse", "claude-sonnet-4-5", "Hello! \"Bonjour\"\né 日", nil},
	{
		"anthropic/testdata/streams/tools.sse",
		"claude-sonnet-4-5",
		"I'll check the current weather in Paris for you.",
		[]string{"get_weather", "get_time"},
	},
	{"anthropic/testdata/streams/thinking.sse", "claude-sonnet-4-5", "The greatest common divisor is **21**.", nil},
	{"bedrock/testdata/text.events", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "Grüße, 世界 \"x\"", nil},
	{"bedrock/testdata/tools.events", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "I'll look.", []string{"top_song", "now"}},
	{"cohere/testdata/text.sse", "command-a-03-2025", "Coca-Cola ☃", nil},
	{"cohere/testdata/tools.sse", "command-a-03-2025", "", []string{"get_weather", "now"}},
	{"ollama/testdata/text.ndjson", "llama3.2", "The ☀ \"shines\".", nil},
	{"ollama/testdata/tools.ndjson", "llama3.2", "Looking.", []string{"get_weather", "now"}},
	{"gemini/testdata/streams/text.sse", "gemini-2.5-pro", "There are **3** \"r\"s in strawberry.\n\nst**r**awbe**rr**y 🍓 é", nil},
	{"gemini/testdata/streams/tools.sse", "gemini-2.5-pro", "I will look.", []string{"weather", "weather", "now"}},
	{"openai/testdata/streams/plain.sse", "gpt-4o", "Hello é 😀", nil},
	{"openai/testdata/streams/tools.sse", "gpt-4o", "", []string{"get_weather"}},
	{"openai/testdata/streams/crlf.sse", "gpt-4o", "ab", nil},
	{"openai/testdata/streams/azure.sse", "gpt-4o", "Hi", nil},
	{"openai/testdata/streams/usage.sse", "gpt-4o", "Hi", nil},
	{"openai/testdata/wire/mistral.sse", "gpt-4o", "Two calls.", []string{"get_weather", "get_weather"}},
	{"openai/testdata/wire/deepseek.sse", "gpt-4o", "**9.8** > 9.11 – ja", nil},
	{"openai/testdata/wire/groq.sse", "gpt-4o", "Low latency", nil},
	{"openai/testdata/wire/moonshot.sse", "gpt-4o", "你好", nil},
	{"openai/testdata/wire/xai.sse", "grok-4", "303", nil},
}

// read is what a client makes of a stream.
type read struct {
	text  string
	calls []string
	args  []string
}

func TestEachClientReadsPublishedStreamsAlike(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider, s.URL)
	for _, x := range published {
		s.answer(func(*received) (string, []byte) {
			b, err := os.ReadFile(filepath.FromSlash("../../core/dialect/" + x.file))
			assert.NoError(t, err)
			switch filepath.Ext(x.file) {
			case ".events":
				return "application/vnd.amazon.eventstream", frames(t, string(b))
			case ".ndjson":
				return "application/x-ndjson", b
			}
			return "text/event-stream", b
		})
		var first *read
		for _, client := range []struct {
			name string
			read func(t *testing.T, addr, model string) read
		}{{"chat", readChat}, {"responses", readResponses}, {"messages", readMessages}, {"generateContent", readContents}} {
			switch {
			case client.name == "responses" && x.model == "gpt-4o":
				continue // it is not asked in the chat shape
			case client.name == "messages" && strings.HasPrefix(x.file, "bedrock/"):
				continue // it invokes the model, and is not answered in the shape of Converse
			case client.name == "chat" && strings.Contains(x.file, "mistral"):
				continue // what it sends is no text to OpenAI's client
			}
			t.Run(x.file+" as "+client.name, func(t *testing.T) {
				got := client.read(t, addr, x.model)
				assert.Equal(t, x.text, got.text)
				assert.Equal(t, x.calls, got.calls)
				if first == nil {
					first = &got
				}
				require.Len(t, got.args, len(first.args))
				for k, args := range first.args {
					assert.JSONEq(t, args, got.args[k])
				}
			})
		}
	}
}

// orEmpty is the arguments of a call, which may have none.
func orEmpty(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	return args
}

func readChat(t *testing.T, addr, model string) (out read) {
	c, _ := official(addr, gatewayKey)
	s := c.Chat.Completions.NewStreaming(context.Background(), ask(model))
	var all openai.ChatCompletionAccumulator
	for s.Next() {
		require.True(t, all.AddChunk(s.Current()))
	}
	require.NoError(t, s.Err())
	require.NotEmpty(t, all.Choices)
	assert.NotEmpty(t, all.Choices[0].FinishReason)
	out.text = all.Choices[0].Message.Content
	for _, call := range all.Choices[0].Message.ToolCalls {
		out.calls, out.args = append(out.calls, call.Function.Name), append(out.args, orEmpty(call.Function.Arguments))
		assert.NotEmpty(t, call.ID)
	}
	return out
}

func readResponses(t *testing.T, addr, model string) (out read) {
	c, _ := official(addr, gatewayKey)
	r := responding{c}.readStream(t, responses.ResponseNewParams{
		Model: model, MaxOutputTokens: openai.Int(64), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt)},
	})
	out.text = r.OutputText()
	for _, item := range r.Output {
		if item.Type == "function_call" {
			f := item.AsFunctionCall()
			out.calls, out.args = append(out.calls, f.Name), append(out.args, orEmpty(f.Arguments))
		}
	}
	return out
}

func readMessages(t *testing.T, addr, model string) (out read) {
	c, _ := anthropics(addr, "/")
	s := c.Messages.NewStreaming(context.Background(), message(model))
	var r anthropic.Message
	for s.Next() {
		require.NoError(t, r.Accumulate(s.Current()))
	}
	require.NoError(t, s.Err())
	assert.NotEmpty(t, r.StopReason)
	for _, b := range r.Content {
		switch b.Type {
		case "text":
			out.text += b.Text
		case "tool_use":
			out.calls, out.args = append(out.calls, b.Name), append(out.args, orEmpty(string(b.Input)))
		default:
			assert.True(t, strings.HasPrefix(model, "claude") && strings.Contains(b.Type, "thinking"), b.RawJSON())
		}
	}
	return out
}

func readContents(t *testing.T, addr, model string) (out read) {
	c, _ := googles(t, addr, "/v1/gen")
	contents, config := question()
	finish := ""
	for r, err := range c.Models.GenerateContentStream(context.Background(), model, contents, config) {
		require.NoError(t, err)
		for _, x := range r.Candidates {
			finish += string(x.FinishReason)
			if x.Content == nil {
				continue
			}
			for _, p := range x.Content.Parts {
				if !p.Thought {
					out.text += p.Text
				}
				if f := p.FunctionCall; f != nil {
					args, err := json.Marshal(f.Args)
					require.NoError(t, err)
					out.calls, out.args = append(out.calls, f.Name), append(out.args, strings.Replace(string(args), "null", "{}", 1))
				}
			}
		}
	}
	assert.NotEmpty(t, finish)
	return out
}
