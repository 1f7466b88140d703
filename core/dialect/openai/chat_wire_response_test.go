package openai

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func TestAWholeAnswerOfEachProviderIsDecoded(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want llm.Response
	}{
		"OpenAI": {
			`{"id":"chatcmpl-B9MBs8","object":"chat.completion","created":1741569952,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":{"role":"assistant","content":"Hello!","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":0}},"service_tier":"default"}`,
			llm.Response{ID: "chatcmpl-B9MBs8", Model: "gpt-4.1-2025-04-14", Created: 1741569952, Choices: []llm.Answer{{Parts: []llm.Part{llm.NewText("Hello!")}, Finish: llm.FinishStop}}, Usage: llm.Usage{Reported: true, Input: 19, Output: 10, Cached: 4, Reasoning: 3}},
		},
		"OpenAI's refusal and log probabilities": {
			`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I'm sorry"},"logprobs":{"content":null,"refusal":[{"token":"I"}]},"finish_reason":"stop"}]}`,
			llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.RefusalPart, Text: "I'm sorry"}}, Finish: llm.FinishRefusal, Logprobs: json.RawMessage(`{"content":null,"refusal":[{"token":"I"}]}`)}}},
		},
		"DeepSeek": {
			`{"id":"930c60df","object":"chat.completion","created":1705651092,"model":"deepseek-reasoner","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"9.8","reasoning_content":"First"},"logprobs":null}],"usage":{"completion_tokens":10,"prompt_tokens":16,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":8,"total_tokens":26,"completion_tokens_details":{"reasoning_tokens":6}}}`,
			llm.Response{ID: "930c60df", Model: "deepseek-reasoner", Created: 1705651092, Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: ChatVendor, Text: "First"}}, llm.NewText("9.8")}, Finish: llm.FinishStop}}, Usage: llm.Usage{Reported: true, Input: 16, Output: 10, Cached: 8, Reasoning: 6}},
		},
		"Mistral": {
			`{"id":"cmpl-e5cc70bb","object":"chat.completion","model":"mistral-small-latest","usage":{"prompt_tokens":16,"completion_tokens":34,"total_tokens":50},"created":1702256327,"choices":[{"index":0,"message":{"content":"","tool_calls":[{"id":"VvvODy9mT","type":"function","function":{"name":"f","arguments":{"a":"T1"}},"index":0}],"prefix":false,"role":"assistant"},"finish_reason":"tool_calls"}]}`,
			llm.Response{ID: "cmpl-e5cc70bb", Model: "mistral-small-latest", Created: 1702256327, Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{ID: "VvvODy9mT", Name: "f", Input: `{"a":"T1"}`}}}, Finish: llm.FinishTools}}, Usage: llm.Usage{Reported: true, Input: 16, Output: 34}},
		},
		"custom, legacy and signed calls": {
			`{"choices":[{"message":{"tool_calls":[{"id":"1","type":"custom","custom":{"name":"c","input":"x"}},{"id":"2","type":"function","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"},{"message":{"function_call":{"name":"g","arguments":"{}"}},"finish_reason":"function_call","stop_reason":null}]}`,
			llm.Response{Choices: []llm.Answer{
				{Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{ID: "1", Name: "c", Kind: llm.CustomTool, Input: "x"}}, {Kind: llm.CallPart, Call: &llm.Call{ID: "2", Name: "f", Input: "{}", Signature: "s"}}}, Finish: llm.FinishTools},
				{Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{Name: "g", Input: "{}"}}}, Finish: llm.FinishTools},
			}},
		},
		"a call that was asked for by name": {
			`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
			llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{ID: "1", Name: "f", Input: "{}"}}}, Finish: llm.FinishTools}}},
		},
		"vLLM's stop sequence": {
			`{"choices":[{"message":{"content":"a"},"finish_reason":"stop","stop_reason":"END"}]}`,
			llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{llm.NewText("a")}, Finish: llm.FinishStop, StopSequence: "END"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := ChatWire{}.DecodeResponse([]byte(tc.body))
			require.NoError(t, err)
			assert.Equal(t, &tc.want, a)
		})
	}
	for _, body := range []string{``, `[]`, `{`, `{}`, `{"choices":[]}`, `{"error":{"message":"m","code":"c"}}`, `{"choices":[{}]}x`} {
		_, err := ChatWire{}.DecodeResponse([]byte(body))
		require.Error(t, err, body)
	}
}

func TestFinishReasonsOfManyProvidersAreUnderstood(t *testing.T) {
	for word, want := range map[string]llm.Finish{
		"stop": llm.FinishStop, "length": llm.FinishLength, "model_length": llm.FinishLength, "tool_calls": llm.FinishTools, "function_call": llm.FinishTools,
		"content_filter": llm.FinishFiltered, "sensitive": llm.FinishFiltered, "eos": llm.FinishStop, "": llm.FinishUnsaid,
	} {
		assert.Equal(t, want, parseFinish(word), word)
	}
}

func TestErrorBodiesOfManyProvidersAreRead(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"error":{"message":"m","type":"t","param":null,"code":"c"}}`:                                                                                {"c", "m"},
		`{"error":"model \"x\" not found, try pulling it first"}`:                                                                                     {"", `model "x" not found, try pulling it first`},
		`{"object":"error","message":"Invalid model: x","type":"invalid_model","param":null,"code":"1500"}`:                                           {"1500", "Invalid model: x"},
		`{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required"}]}`:                                                            {"missing", "messages: Field required"},
		`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs"}]},"type":"invalid_request_error"}`: {"invalid_request_error", "x: Extra inputs"},
		`{"detail":"Unauthorized"}`:                  {"", "Unauthorized"},
		`{"message":"no such key"}`:                  {"", "no such key"},
		`{"code":"bad","error":"Incorrect API key"}`: {"bad", "Incorrect API key"},
		`<html>`: {"", ""},
	} {
		code, message := ChatWire{}.ReadError([]byte(body))
		assert.Equal(t, want, [2]string{code, message}, body)
	}
}
