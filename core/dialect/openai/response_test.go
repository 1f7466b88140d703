package openai

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Written by hand after the example responses and the object reference at
// https://platform.openai.com/docs/api-reference/chat/object.
func TestTheTextsAndTheUsageOfAnAnswerAreFound(t *testing.T) {
	for name, tc := range map[string]struct {
		body  string
		texts []string
		usage llm.Usage
		tied  int
	}{
		"plain": {
			`{"id":"chatcmpl-B9MBs8","object":"chat.completion","created":1741569952,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":{"role":"assistant","content":"Hello! How can I assist you today?","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":0}},"service_tier":"default"}`,
			[]string{"Hello! How can I assist you today?"},
			llm.Usage{Reported: true, Input: 19, Output: 10, Cached: 4, Reasoning: 3},
			0,
		},
		"parallel tools": {
			`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function","function":{"name":"get_weather","arguments":"{\n\"location\": \"Boston, MA\", \"zip\": 2108123}"}},{"id":"call_b","type":"function","function":{"name":"now","arguments":"{}"}}]},"logprobs":{"content":[]},"finish_reason":"tool_calls"}],"usage":null}`,
			[]string{"location", "Boston, MA", "zip", "2108123"},
			llm.Usage{},
			1,
		},
		"a custom tool":   {`{"choices":[{"message":{"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sql","input":"SELECT \"x\""}}]}}]}`, []string{`SELECT "x"`}, llm.Usage{}, 0},
		"a function call": {`{"choices":[{"message":{"function_call":{"name":"f","arguments":"{\"a\":\"b\"}"}}}]}`, []string{"a", "b"}, llm.Usage{}, 0},
		"a refusal":       {`{"choices":[{"message":{"role":"assistant","content":null,"refusal":"I can't help with that."}}]}`, []string{"I can't help with that."}, llm.Usage{}, 0},
		"several choices": {`{"choices":[{"index":0,"message":{"content":"a"}},{"index":1,"message":{"content":"b"}}]}`, []string{"a", "b"}, llm.Usage{}, 0},
		"reasoning":       {`{"choices":[{"message":{"reasoning_content":"hm","content":"a"}},{"message":{"reasoning":"ah"}}]}`, []string{"hm", "a", "ah"}, llm.Usage{}, 0},
		"audio":           {`{"choices":[{"message":{"content":null,"audio":{"id":"audio_1","expires_at":1,"data":"UklGR","transcript":"spoken"}}}]}`, []string{"spoken"}, llm.Usage{}, 0},
		"annotations":     {`{"choices":[{"message":{"content":"see","annotations":[{"type":"url_citation","url_citation":{"url":"https://x","title":"A title","start_index":0,"end_index":3}}]}}]}`, []string{"see", "A title"}, llm.Usage{}, 0},
		"parts":           {`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"b"}]}}]}`, []string{"a", "b"}, llm.Usage{}, 0},
		"a new field":     {`{"choices":[{"message":{"content":"a","summary":{"id":"x","note":"b"}}}]}`, []string{"a", "b"}, llm.Usage{}, 0},
		"no choices":      {`{"choices":[],"usage":{"prompt_tokens":-4,"completion_tokens":"x"}}`, nil, llm.Usage{Reported: true}, 0},
		"odd types":       {`{"choices":{"a":1},"usage":7}`, nil, llm.Usage{}, 0},
		"odder types":     {`{"choices":[1,{"message":"x"},{"message":{"content":5,"tool_calls":"y","function_call":[]}}]}`, []string{"x", "y"}, llm.Usage{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			x := &core.Exchange{}
			x.Response.Raw = []byte(tc.body)
			require.NoError(t, Chat{}.ScanResponse(x))
			var texts []string
			for i := range x.Response.Segments {
				assert.Equal(t, core.RoleAssistant, x.Response.Segments[i].Role)
				texts = append(texts, x.Response.ReadText(i))
			}
			assert.Equal(t, tc.texts, texts)
			assert.Equal(t, tc.usage, x.Usage)
			assert.Len(t, x.Response.Tied, tc.tied)
		})
	}
}

func TestAnAnswerThatIsNoneIsAnError(t *testing.T) {
	for _, body := range []string{"", "null", "[]", `"x"`, "<html>", `{"choices":[}`, `{"a":1,"a":2}`, `{}{}`, "{\"x\":\"\xff\"}"} {
		x := &core.Exchange{}
		x.Response.Raw = []byte(body)
		assert.Error(t, Chat{}.ScanResponse(x), body)
	}
}
