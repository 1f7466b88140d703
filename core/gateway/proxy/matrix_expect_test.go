package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// mainWire is the wire used for a provider that does not speak the client's own.
var mainWire = map[string]string{
	"anthropic": "anthropic.messages", "gemini": "gemini.generate", "bedrock": "bedrock.converse",
	"cohere": "cohere.chat", "ollama": "ollama.chat", "vertex": "anthropic.messages",
}

// wireFor returns the expected wire of the cell.
func (c *cell) wireFor() string {
	if c.shape.wire == "openai.responses" && (c.vendor.name == "openai" || c.vendor.name == "azure-openai") {
		return c.shape.wire
	}
	if c.shape.name == "messages" && c.vendor.name == "bedrock" {
		return c.shape.wire // Anthropic's models are invoked in their own shape
	}
	if w := mainWire[c.vendor.name]; w != "" {
		return w
	}
	return "openai.chat"
}

// hosts serve other vendors' models, which may take an effort.
var hosts = map[string]bool{"openrouter": true, "together": true, "fireworks": true, "vllm": true, "ollama-openai": true}

// lacking is the specification's table of features that providers lack.
var lacking = map[string]map[string]bool{
	"mistral":  {"images": true},
	"deepseek": {"images": true, "structured": true},
	"moonshot": {"images": true, "structured": true},
	"zhipu":    {"images": true, "structured": true},
	"cohere":   {"images": true, "structured": true, "tools": true, "parallel": true},
	"groq":     {"images": true, "structured": true, "tools": true, "parallel": true},
	"qwen":     {"images": true, "structured": true, "tools": true, "parallel": true},
}

// expect returns what the specification requires of the cell.
func (c *cell) expect() verdict {
	own := translated
	if c.wireFor() == c.shape.wire {
		own = native
	}
	if c.feature == "custom" && c.wireFor() == "openai.chat" && c.vendor.name != "openai" {
		own = translated
	}
	if c.feature == "unknown" {
		if own == native {
			return native
		}
		return dropped
	}
	if c.shape.name == "completions" {
		switch c.feature {
		case "tools", "parallel", "structured", "reasoning", "detour":
			return dropped // text completions have no such field
		case "images":
			return refused // a prompt is text
		}
		return own
	}
	if c.feature == "seen" && lacking[c.vendor.name]["images"] {
		return refused
	}
	if lacking[c.vendor.name][c.feature] || withTools[c.feature] && lacking[c.vendor.name]["tools"] {
		return refused
	}
	if !withEffort[c.feature] {
		return own
	}
	takes := c.vendor.name == "openai" || c.vendor.name == "azure-openai" || c.vendor.name == "anthropic" || c.vendor.name == "vertex"
	switch {
	case c.feature == "detour" && c.shape.requests == "chat" && takes:
		return translated // over the Responses API, or as thinking
	case c.shape.variant && (takes || hosts[c.vendor.name]):
		return translated // the effort moves from the model's name into the body
	case c.shape.name == "messages" && c.vendor.name == "mock":
		return dropped // accepts extended thinking without thinking
	case c.shape.name == "messages" && own != native:
		return refused // extended thinking
	case c.shape.name == "messages" || c.shape.name == "generateContent":
		if own == native {
			return native
		}
		return dropped
	case takes, hosts[c.vendor.name]:
		return own
	}
	return dropped
}

// finishes are the finish reasons of each shape.
var finishes = map[string]map[string]string{
	"chat":        {"": "stop", "tools": "tool_calls"},
	"completions": {"": "stop", "tools": "stop"},
	"messages":    {"": "end_turn", "tools": "tool_use"},
	"responses":   {"": "completed", "tools": "completed"},
	"generate":    {"": "STOP", "tools": "STOP"},
}

// judgeAnswer checks that the client can read what the provider said.
func (c *cell) judgeAnswer(t *testing.T) {
	got := c.shape.read(t, c.got.body, c.manner)
	want := told{Text: hello, Finish: finishes[c.shape.dialect][""], Usage: &spent{In: 12, Out: 7}}
	switch c.feature {
	case "custom":
		want.Text, want.Calls, want.Finish = "", []string{"sql SELECT 2"}, finishes[c.shape.dialect]["tools"]
	case "tools", "detour":
		want.Text, want.Calls, want.Finish = "", []string{`get_weather {"input":"Rome"}`}, finishes[c.shape.dialect]["tools"]
	case "parallel":
		want.Text, want.Calls, want.Finish = "", []string{
			`get_weather {"input":"Rome"}`,
			`get_time {"input":"Rome"}`,
		}, finishes[c.shape.dialect]["tools"]
	case "images":
		want.Text = "Red?"
	case "structured":
		want.Text = `{"city":"Paris"}`
	case "refusal":
		c.decline(&want)
	}
	if !c.shape.calls && len(want.Calls) > 0 {
		want.Text, want.Calls = hello, nil
		if c.vendor.name == "mock" {
			want.Text = "Rome"
		}
	}
	switch {
	case (c.shape.dialect == "chat" || c.shape.dialect == "completions") && c.manner == streamed && c.shape.name != "ide-responses":
		want.Usage = nil // it was not requested
		if c.fake.counts && c.ownWire() {
			want.Usage = got.Usage // passed through as the provider reports it
		}
	case c.vendor.name == "mock":
		want.Usage = got.Usage // counted separately
	case c.feature == "reasoning" && (c.asked.wire == "openai.chat" || c.asked.wire == "openai.responses" || c.asked.wire == "anthropic.messages" || c.asked.wire == "gemini.generate"):
		want.Usage.Thought = 5
	}
	assert.Equal(t, want, got)
}

const no = "I can't help with that."

// decline returns how a refusal is expressed: in the shape's own field for it, as a filter's finish reason, or as
// plain text.
func (c *cell) decline(want *told) {
	want.Text = no
	switch c.asked.wire {
	case "cohere.chat", "ollama.chat":
		return // there is no other form
	case "openai.chat", "openai.responses", "anthropic.messages":
		switch c.shape.dialect {
		case "chat", "responses":
			want.Text, want.Refusal = "", no
			return
		}
	case "gemini.generate":
		want.Text, want.Usage.Out = "", 0
	}
	want.Finish = map[string]string{
		"chat": "content_filter", "completions": "content_filter", "messages": "refusal",
		"responses": "incomplete content_filter", "generate": "SAFETY",
	}[c.shape.dialect]
	switch {
	case c.asked.wire == "anthropic.messages" && c.shape.dialect == "messages":
		want.Text = "" // it is in stop_details, which passes through
	case c.asked.wire == "gemini.generate" && c.shape.dialect == "generate":
		want.Finish = "blocked PROHIBITED_CONTENT"
	}
}
