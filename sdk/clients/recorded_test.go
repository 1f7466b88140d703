package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// readRecorded is a client's request with text where it names a card, for a model.
func readRecorded(t *testing.T, file, text, model string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "recorded", file))
	require.NoError(t, err)
	return strings.Replace(fmt.Sprintf(string(b), text), "MODEL", model, 1)
}

func TestClaudeCodesRequestsArePassedToAnthropic(t *testing.T) {
	s := newScripted(t)
	header := http.Header{
		"Anthropic-Version": {"2023-06-01"}, "User-Agent": {"claude-cli/2.1.0 (external, cli)"}, "X-App": {"cli"},
		"Anthropic-Beta": {"claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27"},
		"Anthropic-Dangerous-Direct-Browser-Access": {"true"}, "X-Stainless-Lang": {"js"}, "X-Stainless-Retry-Count": {"0"},
	}
	checkHeader := func(t *testing.T, r received) {
		t.Helper()
		assert.Equal(t, header["Anthropic-Beta"], r.header["Anthropic-Beta"])
		assert.Equal(t, header["Anthropic-Version"], r.header["Anthropic-Version"])
		assert.Equal(t, providerKey, r.header.Get("X-Api-Key"))
		assert.Empty(t, r.header.Get("Authorization"))
	}
	const path = "/v1/messages?beta=true"
	t.Run("byte for byte", func(t *testing.T) {
		body := readRecorded(t, "claude_code.json", card, "")
		s.answer(func(*received) (string, []byte) { return anthropicThinks(t) })
		a := post(t, serveWith(t, everyProvider, s.URL), path, header, body)
		require.Equal(t, 200, a.status, a.body)
		r := s.take(t)
		assert.Equal(t, body, string(r.body))
		assert.Equal(t, string(s.readAnswer()), a.body)
		checkHeader(t, r)
	})
	t.Run("with redaction", func(t *testing.T) {
		s.answer(func(r *received) (string, []byte) {
			return transcript(t, "anthropic", "tools", true, string(token.Find(r.body)), 0)
		})
		a := post(t, serveWith(t, everyProvider+personal, s.URL), path, header, readRecorded(t, "claude_code.json", card, ""))
		require.Equal(t, 200, a.status, a.body)
		r := s.take(t)
		k := string(token.Find(r.body))
		assert.Equal(t, readRecorded(t, "claude_code.json", k, ""), string(r.body))
		sameAnswer(t, string(s.readAnswer()), k, a.body, true)
		checkHeader(t, r)
	})
	t.Run("the key may come as an API key", func(t *testing.T) {
		h := header.Clone()
		h.Set("X-Api-Key", gatewayKey)
		s.answer(nil)
		a := post(t, serveWith(t, everyProvider, s.URL), "/anthropic"+path, h, readRecorded(t, "claude_code.json", "it", ""))
		require.Equal(t, 200, a.status, a.body)
		checkHeader(t, s.take(t))
	})
	t.Run("another provider is named when it cannot think", func(t *testing.T) {
		body := strings.Replace(readRecorded(t, "claude_code.json", card, ""), "claude-sonnet-4-5", "gpt-4o", 1)
		a := post(t, serveWith(t, everyProvider, s.URL), path, header, body)
		assert.Equal(t, 400, a.status, a.body)
		assert.Equal(t, "error", gjson.Get(a.body, "type").String())
		assert.Contains(t, gjson.Get(a.body, "error.message").String(), "OpenAI")
	})
	t.Run("another provider answers without thinking", func(t *testing.T) {
		body := readRecorded(t, "claude_code.json", card, "")
		body = strings.Replace(
			strings.Replace(body, "claude-sonnet-4-5", "gpt-4o", 1),
			`"thinking":{"budget_tokens":31999,"type":"enabled"},`,
			"",
			1,
		)
		s.answer(func(r *received) (string, []byte) { return transcript(t, "openai", "tools", true, card, 9) })
		a := post(t, serveWith(t, everyProvider, s.URL), path, header, body)
		require.Equal(t, 200, a.status, a.body)
		assert.Contains(t, a.body, `"type":"tool_use"`)
		got := s.take(t).body
		assert.EqualValues(t, 6, gjson.GetBytes(got, "tools.#").Int())
		assert.Equal(t, "toolu_01A09q90qw90lq917835lq9", gjson.GetBytes(got, `messages.#(role=="tool").tool_call_id`).String())
		assert.NotContains(t, string(got), "cache_control")
	})
}

// anthropicThinks is a transcript of thinking, signed and redacted.
func anthropicThinks(t *testing.T) (string, []byte) {
	b, err := os.ReadFile(filepath.FromSlash("../../core/dialect/anthropic/testdata/streams/thinking.sse"))
	assert.NoError(t, err)
	return "text/event-stream", b
}

func TestCodexsRequestsArePassedToOpenAI(t *testing.T) {
	s := newScripted(t)
	header := http.Header{
		"Originator": {"codex_cli_rs"},
		"User-Agent": {"codex_cli_rs/0.60.1"},
		"Session_id": {"019aa2b0"},
		"Accept":     {"text/event-stream"},
	}
	s.answer(func(*received) (string, []byte) {
		b, err := os.ReadFile(filepath.FromSlash("../../core/dialect/openai/testdata/responses/reasoning.sse"))
		assert.NoError(t, err)
		return "text/event-stream", b
	})
	for _, x := range []struct{ name, chain string }{{"without redaction", ""}, {"with redaction", personal}} {
		t.Run(x.name, func(t *testing.T) {
			a := post(t, serveWith(t, everyProvider+x.chain, s.URL), "/v1/responses", header, readRecorded(t, "codex.json", card, "gpt-5-codex"))
			require.Equal(t, 200, a.status, a.body)
			got := string(s.take(t).body)
			k := card
			if x.chain != "" {
				k = token.FindString(got)
			}
			// Only the default cap is added.
			const limit = `"max_output_tokens":4096,`
			require.Equal(t, 1, strings.Count(got, limit), got)
			assert.Equal(t, readRecorded(t, "codex.json", k, "gpt-5-codex"), strings.Replace(got, limit, "", 1))
			assert.Equal(t, string(s.readAnswer()), a.body)
		})
	}
}

func TestCodexsRequestsAreTranslatedToAnthropic(t *testing.T) {
	s := newScripted(t)
	c, _ := official(serveWith(t, everyProvider+personal, s.URL), gatewayKey)
	patch := "*** Begin Patch\n*** Add File: card.txt\n+" + card + "\n*** End Patch\n"
	s.answer(func(r *received) (string, []byte) {
		typ, b := transcript(t, "anthropic", "tools", true, "", 0)
		in, err := json.Marshal(map[string]string{"input": strings.Replace(patch, card, string(token.Find(r.body)), 1)})
		require.NoError(t, err)
		half := len(in) / 2
		first, _ := json.Marshal(string(in[:half]))
		second, _ := json.Marshal(string(in[half:]))
		text := strings.Replace(string(b), `"name":"charge"`, `"name":"apply_patch"`, 1)
		text = strings.Replace(text, `"{\"card\": \""`, string(first), 1)
		return typ, []byte(strings.Replace(text, `"\", \"n\": 12345678901234567890, \"u\": \"caf\\u00e9\"}"`, string(second), 1))
	})
	var raw *http.Response
	err := c.Post(
		context.Background(),
		"responses",
		[]byte(readRecorded(t, "codex.json", card, "claude-sonnet-4-5")),
		&raw,
		option.WithHeader("Accept", "text/event-stream"),
	)
	require.NoError(t, err)
	list := ssestream.NewStream[responses.ResponseStreamEventUnion](ssestream.NewDecoder(raw), nil)
	input, done := "", ""
	var last responses.Response
	for list.Next() {
		switch ev := list.Current(); ev.Type {
		case "response.custom_tool_call_input.delta":
			input += ev.Delta
		case "response.custom_tool_call_input.done":
			done = ev.Input
		case "response.completed":
			last = ev.Response
		}
	}
	require.NoError(t, list.Err())
	assert.Equal(t, patch, input)
	assert.Equal(t, patch, done)
	require.Len(t, last.Output, 1)
	call := last.Output[0].AsCustomToolCall()
	assert.Equal(t, "apply_patch", call.Name)
	assert.Equal(t, patch, call.Input)

	got := s.take(t).body
	assert.NotContains(t, string(got), card)
	assert.Equal(t, "Write "+card+" into card.txt", lastText(gjson.GetBytes(token.ReplaceAll(got, []byte(card)), "messages.0.content")))
	assert.Equal(
		t,
		`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`,
		jsonOnly(t, gjson.GetBytes(got, `tools.#(name=="apply_patch").input_schema`).Raw),
	)
	assert.Contains(t, gjson.GetBytes(got, `tools.#(name=="apply_patch").description`).String(), "begin_patch")
	assert.True(t, gjson.GetBytes(got, "tool_choice.disable_parallel_tool_use").Bool(), string(got))
	assert.Equal(t, "ls", gjson.GetBytes(got, "messages.1.content.#(type==\"tool_use\").input.cmd").String())
	assert.NotContains(t, string(got), "gAAAA")
	// The provider does not think on in a turn whose calls it made without thinking.
	assert.False(t, gjson.GetBytes(got, "thinking").Exists())
}

// lastText is the last text of a content.
func lastText(v gjson.Result) string {
	a := v.Array()
	if len(a) == 0 {
		return ""
	}
	return a[len(a)-1].Get("text").String()
}

// jsonOnly is a schema's type, properties' types and required names.
func jsonOnly(t *testing.T, raw string) string {
	t.Helper()
	v := gjson.Parse(raw)
	return `{"type":"` + v.Get(
		"type",
	).String() + `","properties":{"input":{"type":"` + v.Get(
		"properties.input.type",
	).String() + `"}},"required":` + v.Get(
		"required",
	).Raw + `}`
}

func TestTheEditorIsAnsweredInTheChatShape(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider+personal, s.URL)
	c := openai.NewClient(option.WithBaseURL("http://"+addr+"/v1/ide/"), option.WithAPIKey(gatewayKey), option.WithMaxRetries(0))
	list, err := c.Models.List(context.Background())
	require.NoError(t, err)
	assert.NotEmpty(t, list.Data)
	for _, x := range []struct{ file, model, dir, effort string }{
		{"editor_chat.json", "gpt-4o", "openai", ""},
		{"editor_chat.json", "gpt-4o-fast", "openai", ""},
		{"editor_chat.json", "claude-sonnet-4-5", "anthropic", ""},
		{"editor_chat.json", "claude-sonnet-4-5-thinking-high", "anthropic", "16384"},
		{"editor_chat.json", "gemini-2.5-pro", "gemini", ""},
		{"editor_agent.json", "gpt-5", "responses", "medium"},
		{"editor_agent.json", "gpt-5-thinking-high", "responses", "high"},
		{"editor_agent.json", "claude-sonnet-4-5", "anthropic", "4096"},
		{"editor_agent.json", "claude-sonnet-4-5-thinking-low", "anthropic", "1024"},
		{"editor_agent.json", "gemini-2.5-pro", "gemini", ""},
		{"editor_agent.json", "llama3.2", "ollama", ""},
	} {
		t.Run(x.file+" "+x.model, func(t *testing.T) {
			var raw *http.Response
			err := c.Post(context.Background(), "chat/completions", []byte(readRecorded(t, x.file, card, x.model)), &raw)
			require.NoError(t, err)
			var all openai.ChatCompletionAccumulator
			list := ssestream.NewStream[openai.ChatCompletionChunk](ssestream.NewDecoder(raw), nil)
			for list.Next() {
				require.True(t, all.AddChunk(list.Current()))
			}
			require.NoError(t, list.Err())
			require.Len(t, all.Choices, 1)
			assert.Equal(t, "tool_calls", all.Choices[0].FinishReason)
			require.Len(t, all.Choices[0].Message.ToolCalls, 1)
			assert.JSONEq(t, answerArgs, all.Choices[0].Message.ToolCalls[0].Function.Arguments)
			assert.EqualValues(t, 42, all.Usage.TotalTokens)

			r := s.take(t)
			assert.Equal(t, x.dir, called[r.path], r.path)
			assert.NotContains(t, string(r.body), card)
			assert.Contains(t, string(r.body), "Charge {{PII_")
			assert.NotContains(t, string(r.body), "-fast")
			assert.NotContains(t, string(r.body), "-thinking")
			switch x.dir {
			case "anthropic":
				assert.Equal(t, x.effort, gjson.GetBytes(r.body, "thinking.budget_tokens").String(), string(r.body))
			case "responses":
				assert.Equal(t, x.effort, gjson.GetBytes(r.body, "reasoning.effort").String(), string(r.body))
			}
		})
	}
}
