package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestAnAnswerIsWrittenAsAChatCompletion(t *testing.T) {
	for name, tc := range map[string]struct {
		answer  llm.Answer
		want    string // the choice
		dropped []string
	}{
		"text":            {llm.Answer{Parts: []llm.Part{llm.NewText("a"), llm.NewText("\"b\"")}, Finish: llm.FinishStop}, `{"index":0,"message":{"role":"assistant","content":"a\"b\"","refusal":null},"logprobs":null,"finish_reason":"stop"}`, nil},
		"nothing":         {llm.Answer{Finish: llm.FinishLength}, `{"index":0,"message":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":"length"}`, nil},
		"a refusal":       {llm.Answer{Parts: []llm.Part{{Kind: llm.RefusalPart, Text: "no"}}, Finish: llm.FinishRefusal}, `{"index":0,"message":{"role":"assistant","content":null,"refusal":"no"},"logprobs":null,"finish_reason":"stop"}`, nil},
		"a silent one":    {llm.Answer{Finish: llm.FinishRefusal}, `{"index":0,"message":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":"content_filter"}`, nil},
		"filtered":        {llm.Answer{Parts: []llm.Part{llm.NewText("a")}, Finish: llm.FinishFiltered}, `{"index":0,"message":{"role":"assistant","content":"a","refusal":null},"logprobs":null,"finish_reason":"content_filter"}`, nil},
		"a stop sequence": {llm.Answer{Parts: []llm.Part{llm.NewText("a")}, Finish: llm.FinishStop, StopSequence: "x"}, `{"index":0,"message":{"role":"assistant","content":"a","refusal":null},"logprobs":null,"finish_reason":"stop"}`, []string{"stop_sequence"}},
		"log probabilities": {
			llm.Answer{Parts: []llm.Part{llm.NewText("a")}, Finish: llm.FinishStop, Logprobs: json.RawMessage(`{"content":[]}`)},
			`{"index":0,"message":{"role":"assistant","content":"a","refusal":null},"logprobs":{"content":[]},"finish_reason":"stop"}`, nil,
		},
		"reasoning": {
			llm.Answer{Parts: []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Text: "hm", Signature: "s"}}, {Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Encrypted: "e"}}, {Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Text: "ah"}}, llm.NewText("a")}, Finish: llm.FinishStop},
			`{"index":0,"message":{"role":"assistant","content":"a","refusal":null,"reasoning_content":"hm\n\nah"},"logprobs":null,"finish_reason":"stop"}`,
			[]string{"reasoning.signature"},
		},
		"calls": {
			llm.Answer{Parts: []llm.Part{
				{Kind: llm.CallPart, Call: &llm.Call{ID: "1", Name: "f", Input: `{"a":1.0}`, Signature: "sig="}},
				{Kind: llm.CallPart, Call: &llm.Call{ID: "2", Name: "c", Kind: llm.CustomTool, Input: "x\ny"}},
			}, Finish: llm.FinishTools},
			`{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1.0}"},"extra_content":{"google":{"thought_signature":"sig="}}},{"id":"2","type":"custom","custom":{"name":"c","input":"x\ny"}}]},"logprobs":null,"finish_reason":"tool_calls"}`, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &llm.Request{Model: "asked"}
			a := &llm.Response{
				ID:      "i",
				Model:   "m",
				Created: 7,
				Choices: []llm.Answer{tc.answer},
				Usage:   llm.Usage{Reported: true, Input: 9, Output: 5, Cached: 2, Written: 3, Reasoning: 1},
			}
			out := Chat{}.Encode(nil, r, a)
			assert.Equal(t, `{"id":"i","object":"chat.completion","created":7,"model":"m","choices":[`+tc.want+
				`],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":2,"cache_write_tokens":3},"completion_tokens_details":{"reasoning_tokens":1}}}`, string(out))
			assert.Equal(t, tc.dropped, r.Dropped)
			x := &core.Exchange{}
			x.Response.Raw = out
			require.NoError(t, Chat{}.ScanResponse(x))
			assert.Equal(t, a.Usage, x.Usage, "the scan of the answer reads the usage back")
		})
	}
}

func TestAnAnswerThatSaysLittleIsStillAChatCompletion(t *testing.T) {
	var v struct {
		ID, Model string
		Created   int64
		Choices   []struct {
			Message struct {
				ToolCalls []struct{ ID string } `json:"tool_calls"`
			}
		}
		Usage *struct{}
	}
	out := Chat{}.Encode(
		nil,
		&llm.Request{Model: "asked"},
		&llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{Name: "f"}}}}, {}}},
	)
	require.NoError(t, json.Unmarshal(out, &v))
	assert.True(t, strings.HasPrefix(v.ID, "chatcmpl-"))
	assert.Equal(t, "asked", v.Model)
	assert.NotZero(t, v.Created)
	assert.Nil(t, v.Usage)
	require.Len(t, v.Choices, 2)
	assert.True(t, strings.HasPrefix(v.Choices[0].Message.ToolCalls[0].ID, "call_"))
}
