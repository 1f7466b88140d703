package proxy_test

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/providers"
)

// vendor is a provider of the matrix, and the model that is requested from it.
type vendor struct {
	name, model string
	tools       string // the model that calls tools, if different
}

var vendors = []vendor{
	{name: "openai", model: "gpt-5-mini"},
	{name: "azure-openai", model: "gpt-5-mini"},
	{name: "anthropic", model: "claude-sonnet-4-5-20250929"},
	{name: "gemini", model: "gemini-2.5-flash"},
	{name: "bedrock", model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0"},
	{name: "xai", model: "grok-4"},
	{name: "mistral", model: "mistral-large-2512"},
	{name: "deepseek", model: "deepseek-v4-flash"},
	{name: "moonshot", model: "kimi-k2.5"},
	{name: "zhipu", model: "glm-5"},
	{name: "cohere", model: "command-a-03-2025"},
	{name: "groq", model: "llama-3.3-70b-versatile"},
	{name: "qwen", model: "qwen-plus"},
	{name: "ollama", model: "llama3.2"},
	{name: "openrouter", model: "openai/gpt-oss-20b"},
	{name: "together", model: "openai/gpt-oss-20b"},
	{name: "fireworks", model: "accounts/fireworks/models/gpt-oss-20b"},
	{name: "vllm", model: "openai/gpt-oss-20b"},
	{name: "ollama-openai", model: "gpt-oss:20b"},
	{name: "vertex", model: "claude-sonnet-4-5@20250929"},
	{name: "mock", model: "mock-echo", tools: "mock-tools"},
}

// features are the features of requests and answers, with their descriptions for the table.
var features = []struct{ name, title, about string }{
	{"plain", "Text", "A system message, a message of the user's and a text as the answer, with usage."},
	{"tools", "Tools", "A tool, a call of it and its result in the conversation, and another call in the answer."},
	{"parallel", "Parallel calls", "Two tools, two calls in one turn with their results, and two calls in the answer."},
	{"custom", "Custom tools", "A tool with free text in a grammar, a call of it and its result, and another call in the answer."},
	{"seen", "Images in tool results", "A PNG in the result of a tool, which most providers are given in a message of the user's."},
	{"images", "Images", "A PNG, as base64, beside a text."},
	{"structured", "Structured output", "A JSON Schema for the answer."},
	{
		"reasoning",
		"Reasoning",
		"An effort, or what the shape has in its place: `thinking`, `thinkingConfig`, `-thinking-high` in the model's name of the editor client. The answer holds a thought and tells its tokens.",
	},
	{"detour", "Tools with an effort", "A tool together with an effort, which newer models of OpenAI take on the Responses API alone."},
	{"unknown", "Unknown fields", "A field that the gateway does not model, beside a text."},
	{"refusal", "Refusal", "The model declines, or the provider's filter does, as the provider tells it."},
	{"error", "Error of the provider", "The provider answers 429 with a reason, and the time to wait."},
	{
		"early",
		"Error at the start of a stream",
		"The provider begins a stream with its error: the client gets the status that the error stands for.",
	},
}

// manner is how an answer is requested: whole or streamed.
type manner string

const (
	wholly   manner = "whole"
	streamed manner = "stream"
)

// cell is one request of the matrix and its outcome.
type cell struct {
	*column
	shape   *shapeOf
	feature string
	manner  manner
	body    string // as the client sent it
	got     answer
	asked   *asked   // nil: the provider was not called
	counted float64  // by headgate_dropped_fields_total
	dropped []string // the names in the log
}

func (c *cell) title() string { return c.shape.name + "/" + c.feature + "/" + string(c.manner) }

// withTools are the features that call tools, withEffort those that request an effort.
var (
	withTools  = map[string]bool{"tools": true, "parallel": true, "detour": true, "custom": true, "seen": true}
	withEffort = map[string]bool{"reasoning": true, "detour": true}
)

// TestEveryShapeOnEveryProvider sends each feature in each client shape to each provider, derives the outcome from the
// bytes on both sides, and compares it with the rules of the specification and with docs/shapes.md.
func TestEveryShapeOnEveryProvider(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]finding{}
	t.Run("cells", func(t *testing.T) {
		for _, v := range vendors {
			t.Run(v.name, func(t *testing.T) {
				t.Parallel()
				for _, x := range newColumn(t, v).cells(t) {
					t.Run(x.title(), func(t *testing.T) {
						assert.InDelta(t, len(x.dropped), x.counted, 0, "dropped fields are counted, and named in the log")
						got := x.judge(t)
						assert.Equal(
							t,
							x.expect(),
							got,
							"sent on:\n%s\nleft out: %v\nthe client got %d:\n%s",
							x.sentOn(),
							x.dropped,
							x.got.status,
							x.got.body,
						)
						mu.Lock()
						defer mu.Unlock()
						seen[v.name+"/"+x.title()] = finding{got, x.wire(), x.dropped}
					})
				}
			})
		}
	})
	if t.Failed() || len(seen) < len(vendors)*len(shapesOf)*len(features) { // some were left out by -run
		return
	}
	const doc = "../../../docs/shapes.md"
	table := tableOf(seen) + directTable(t)
	if *update {
		require.NoError(t, os.WriteFile(doc, []byte(table), 0o644))
		return
	}
	old, err := os.ReadFile(doc)
	require.NoError(t, err)
	assert.Equal(t, string(old), table, "docs/shapes.md differs from this run: run go generate ./core/gateway/proxy")
}

func TestTheMatrixHasEveryProvider(t *testing.T) {
	names := make([]string, 0, len(vendors))
	for _, v := range vendors {
		names = append(names, v.name)
	}
	slices.Sort(names)
	assert.Equal(t, providers.ListTypes(), names)
}

// wire returns the wire in which the provider was called.
func (c *cell) wire() string {
	if c.asked == nil {
		return ""
	}
	return c.asked.wire
}

// sentOn returns what reached the provider, for failure messages.
func (c *cell) sentOn() string {
	if c.asked == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s: %s", c.asked.wire, c.asked.body)
}
