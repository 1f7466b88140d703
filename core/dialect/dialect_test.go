package dialect_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// shapes are those that clients speak and that are answered by any wire.
var shapes = []wire.Translator{openai.Chat{}, openai.Completions{}, openai.Responses{}, anthropic.Messages{}, gemini.Generate{}}

var wires = []string{
	"openai.chat", "openai.responses", "anthropic.messages", "gemini.generate", "bedrock.converse", "cohere.chat", "ollama.chat",
}

func TestEachWireIsFoundByItsName(t *testing.T) {
	for _, name := range wires {
		w, ok := dialect.FindWire(name)
		require.True(t, ok, name)
		assert.Equal(t, name, w.Name())
		assert.Equal(t, "application/json", w.Whole)
		assert.NotEmpty(t, w.Stream)
	}
	_, ok := dialect.FindWire("openai.embeddings")
	assert.False(t, ok, "embeddings pass through alone")
}

// A wire writes what Sends says that it has words for, and nothing of it where it says no.
func TestAWireSendsTheToolsThatItHasWordsFor(t *testing.T) {
	for _, name := range wires {
		w, _ := dialect.FindWire(name)
		r := &llm.Request{
			Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("x")}}},
			Tools: []llm.Tool{
				{Kind: llm.CustomTool, Name: "sql", Grammar: &llm.Grammar{Syntax: "lark", Definition: "start: X"}},
				{Kind: llm.SearchTool, Name: "tool_search"},
				{Namespace: "crm", Name: "get"},
			},
		}
		low := llm.Lower(r, llm.Target{CustomTools: w.Sends.CustomTools, Namespaces: w.Sends.Namespaces, SearchTools: w.Sends.SearchTools})
		body, e := w.EncodeRequest(nil, low.Request, core.Traits{Model: "m", Label: "P", CustomTools: w.Sends.CustomTools})
		require.Nil(t, e, "%s: %v", name, e)
		require.True(t, json.Valid(body), "%s: %s", name, body)
		assert.Equal(t, w.Sends.CustomTools, strings.Contains(string(body), `"custom"`), "%s: %s", name, body)
		assert.Equal(t, w.Sends.Namespaces, strings.Contains(string(body), `"namespace"`), "%s: %s", name, body)
		assert.Equal(t, w.Sends.SearchTools, strings.Contains(string(body), `"execution":"client"`), "%s: %s", name, body)
		assert.Equal(t, !w.Sends.Namespaces, strings.Contains(string(body), "crm__get"), "%s: %s", name, body)
	}
}

// Comparing each named tool with each tool, or each call with each tool, would take longer than a test may.
func TestEachWireWritesManyNamedToolsInLinearTime(t *testing.T) {
	const n = 200_000
	tools, calls := make([]llm.Tool, n), []llm.Part{}
	names := []string{"tool-0", "tool-1"}
	for i := range tools {
		tools[i].Name = "tool-" + strconv.Itoa(i)
		names = append(names, "other-"+strconv.Itoa(i))
		calls = append(calls, llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: strconv.Itoa(i), Name: "called-" + strconv.Itoa(i)}})
	}
	user := llm.Message{Role: llm.User, Parts: []llm.Part{llm.NewText("x")}}
	for _, name := range wires {
		w, _ := dialect.FindWire(name)
		for about, r := range map[string]*llm.Request{
			"tools that are named": {Messages: []llm.Message{user}, Tools: tools, Choice: llm.Choice{Mode: llm.ChooseNamed, Names: names}},
			"calls without tools":  {Messages: []llm.Message{user, {Role: llm.Assistant, Parts: calls}}},
		} {
			low := llm.Lower(r, llm.Target{CustomTools: w.Sends.CustomTools, Namespaces: w.Sends.Namespaces, SearchTools: w.Sends.SearchTools})
			body, e := w.EncodeRequest(nil, low.Request, core.Traits{Model: "m", Label: "P"})
			require.Nil(t, e, "%s, %s: %v", name, about, e)
			assert.NotEmpty(t, body)
		}
	}
}

// A line end in an event would cut it in two, wherever the model has written it.
func TestEachEventOfAStreamIsOneLineOfJSON(t *testing.T) {
	const odd = "a\n\nb\r\n\u2028 \"c\" \\"
	call := func(kind llm.ToolKind) llm.Part {
		return llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "c" + odd, Name: "f", Kind: kind}}
	}
	events := []llm.Event{
		{Kind: llm.Started, ID: "i", Model: "m"},
		{Kind: llm.Opened, Part: llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic"}}},
		{Kind: llm.Delta, Text: odd},
		{Kind: llm.Signed, Text: "s"},
		{Kind: llm.Opened, Part: llm.Part{Kind: llm.TextPart}},
		{Kind: llm.Delta, Text: odd},
	}
	for _, kind := range []llm.ToolKind{llm.FunctionTool, llm.SearchTool, llm.CustomTool} {
		events = append(
			events,
			llm.Event{Kind: llm.Opened, Part: call(kind)},
			llm.Event{Kind: llm.Delta, Text: "{\r\n \"a\":"},
			llm.Event{Kind: llm.Delta, Text: " \"x\\n\"\n}\n"},
		)
	}
	events = append(
		events,
		llm.Event{Kind: llm.Finished, Finish: llm.FinishTools},
		llm.Event{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 1, Output: 2}},
		llm.Event{Kind: llm.Ended},
	)
	for _, d := range shapes {
		t.Run(d.Name(), func(t *testing.T) {
			enc, out := d.EncodeStream(&llm.Request{Stream: true, StreamUsage: true, Thoughts: true}), []byte(nil)
			for i := range events {
				out = enc.Append(out, &events[i])
			}
			for event := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(string(out), "\r\n\r\n", "\n\n"), "\n\n"), "\n\n") {
				lines := strings.Split(event, "\n")
				if strings.HasPrefix(lines[0], "event: ") {
					lines = lines[1:]
				}
				require.Len(t, lines, 1, "%q", event)
				data, ok := strings.CutPrefix(lines[0], "data: ")
				require.True(t, ok, "%q", event)
				require.NotContains(t, data, "\r")
				assert.True(t, data == "[DONE]" || json.Valid([]byte(data)), data)
			}
		})
	}
}

// What wires leave out has a name that a client of the shape finds in its own reference.
func TestEachShapeSpellsWhatIsLeftOutInItsOwnWords(t *testing.T) {
	for field, want := range map[string][5]string{ // in the order of shapes
		"reasoning_effort":    {"reasoning_effort", "reasoning_effort", "reasoning.effort", "output_config.effort", "reasoning_effort"},
		"parallel_tool_calls": {"parallel_tool_calls", "parallel_tool_calls", "parallel_tool_calls", "tool_choice.disable_parallel_tool_use", "parallel_tool_calls"},
		"top_p":               {"top_p", "top_p", "top_p", "top_p", "generationConfig.topP"},
		"verbosity":           {"verbosity", "verbosity", "text.verbosity", "verbosity", "verbosity"},
		"user":                {"user", "user", "user", "metadata.user_id", "user"},
		"of nobody's":         {"of nobody's", "of nobody's", "of nobody's", "of nobody's", "of nobody's"},
	} {
		for i, d := range shapes {
			assert.Equal(t, want[i], d.TranslateField(field), d.Name())
		}
	}
}
