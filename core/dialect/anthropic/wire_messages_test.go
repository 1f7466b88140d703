package anthropic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/llm"
)

func TestTurnsAreMergedAndSystemMessagesGathered(t *testing.T) {
	call := func(id, name, input string) llm.Part {
		return llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: id, Name: name, Input: input}}
	}
	result := func(id, name string, parts ...llm.Part) llm.Part {
		return llm.Part{Kind: llm.ResultPart, Result: &llm.Result{CallID: id, Name: name, Parts: parts}}
	}
	r := &llm.Request{Messages: []llm.Message{
		{Role: llm.System, Parts: []llm.Part{llm.NewText("s1"), llm.NewText("")}},
		{Role: llm.User, Name: "joe", Parts: []llm.Part{llm.NewText("a")}},
		user(
			llm.Part{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://x", Detail: "high"}},
			llm.Part{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "iVBO", Detail: "auto"}},
		),
		{Role: llm.System, Parts: []llm.Part{llm.NewText("s2")}},
		assistant(llm.NewText("")),
		assistant(
			llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "hm", Signature: "sig"}},
			llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Encrypted: "red"}},
			llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "unsigned"}},
			llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "openai", Encrypted: "other"}},
			llm.Part{Kind: llm.RefusalPart, Text: "no"}, call("call_1|x", "f", ` {"a": 1.0}`),
		),
		assistant(
			call("", "g", ""),
			call("", "h", `[1]`),
			llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "c4", Name: "i", Input: "{", Signature: "s"}},
		),
		{Role: llm.ToolRole, Parts: []llm.Part{result("call_1|x", "", llm.NewText("r1"))}},
		{Role: llm.ToolRole, Parts: []llm.Part{
			result("", "h", llm.NewText("r2"), llm.Part{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "AAAA"}}),
			result("", "g"),
			{Kind: llm.ResultPart, Result: &llm.Result{CallID: "c4", Failed: true, Parts: []llm.Part{llm.NewText("")}}},
			result("", "nobody"),
		}},
		user(llm.NewText("b")),
	}}
	want := `{"model":"claude","max_tokens":4096,"system":[{"type":"text","text":"s1"},{"type":"text","text":"s2"}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"https://x"}},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"red"},{"type":"text","text":"no"},` +
		`{"type":"tool_use","id":"call_1_x","name":"f","input":{"a": 1.0}},{"type":"tool_use","id":"unnamed_call_1","name":"g","input":{}},{"type":"tool_use","id":"unnamed_call_2","name":"h","input":{"input":"[1]"}},{"type":"tool_use","id":"c4","name":"i","input":{"input":"{"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_x","content":"r1"},{"type":"tool_result","tool_use_id":"unnamed_call_2","content":[{"type":"text","text":"r2"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},` +
		`{"type":"tool_result","tool_use_id":"unnamed_call_1"},{"type":"tool_result","tool_use_id":"c4","content":"","is_error":true},{"type":"tool_result","tool_use_id":"unnamed_call_0"},{"type":"text","text":"b"}]}]}`
	assert.Equal(t, want, encode(t, r, all))
	assert.Equal(t, []string{"messages.name", "image_url.detail", "reasoning", "thought_signature"}, r.Dropped)
}

func TestAnInputIsAnObjectThatIsReadOneWay(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600)
	for input, want := range map[string]string{
		"":                 `{}`,
		" {\"a\": 1.0}\n":  `{"a": 1.0}`,
		`{"a":1,"a":2}`:    `{"input":"{\"a\":1,\"a\":2}"}`,
		`{"a":"\ud800"}`:   `{"input":"{\"a\":\"\\ud800\"}"}`,
		`{"a":1} {}`:       `{"input":"{\"a\":1} {}"}`,
		"{\"a\":\"\xff\"}": `{"input":"{\"a\":\"` + "\ufffd" + `\"}"}`,
		`"x"`:              `{"input":"\"x\""}`,
		deep:               `{"input":"` + strings.ReplaceAll(deep, `"`, `\"`) + `"}`,
	} {
		assert.Equal(t, want, string(appendInput(nil, input)))
	}
}

func TestARoundTripGivesTheSameMeaning(t *testing.T) {
	for name, body := range map[string]string{
		"plain": `{"model":"claude","max_tokens":64,"messages":[{"role":"user","content":"x"}]}`,
		"full": `{"model":"claude","max_tokens":64,"stream":true,"temperature":0.70,"top_k":40,"stop_sequences":["a"],"metadata":{"user_id":"u1"},"system":"be kind",
"tool_choice":{"type":"any","disable_parallel_tool_use":true},"thinking":{"type":"enabled","budget_tokens":1024},"output_config":{"effort":"high","format":{"type":"json_schema","schema":{"type":"object"}}},
"tools":[{"name":"f","description":"d","input_schema":{"type":"object"},"strict":true}],"messages":[
{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"u"}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"red"},{"type":"tool_use","id":"t1","name":"f","input":{"a":1.0}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"r"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}}]},{"type":"text","text":"b"}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			first := must(t, body)
			again := must(t, encode(t, first, all))
			assert.Empty(t, first.Dropped)
			assert.Equal(t, first, again)
		})
	}
}
