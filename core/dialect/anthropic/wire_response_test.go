package anthropic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func TestAWholeAnswerIsDecoded(t *testing.T) {
	a, err := MessagesWire{}.DecodeResponse([]byte(`{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[
{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"red"},{"type":"text","text":"a \u00e9","citations":[{"type":"char_location","cited_text":"c"}]},
{"type":"tool_use","id":"t1","name":"f","input":{"a": 1.0}},{"type":"tool_use","id":"t2","name":"g","input":{}},{"type":"hologram"}],
"stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":10,"cache_read_input_tokens":3,"cache_creation_input_tokens":2,"output_tokens":7,"output_tokens_details":{"thinking_tokens":4}}}`))
	require.NoError(t, err)
	assert.Equal(t, &llm.Response{
		ID: "msg_1", Model: "claude", Usage: llm.Usage{Reported: true, Input: 15, Output: 7, Cached: 3, Written: 2, Reasoning: 4},
		Choices: []llm.Answer{{Finish: llm.FinishTools, Parts: []llm.Part{
			{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "hm", Signature: "sig"}},
			{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Encrypted: "red"}},
			llm.NewText("a é"),
			{Kind: llm.CallPart, Call: &llm.Call{ID: "t1", Name: "f", Input: `{"a": 1.0}`}},
			{Kind: llm.CallPart, Call: &llm.Call{ID: "t2", Name: "g", Input: `{}`}},
		}}},
	}, a)
}

func TestWhyAnAnswerEndedIsDecoded(t *testing.T) {
	for reason, want := range map[string]llm.Finish{
		`"end_turn"`: llm.FinishStop, `"stop_sequence"`: llm.FinishStop, `"pause_turn"`: llm.FinishStop, `"max_tokens"`: llm.FinishLength,
		`"model_context_window_exceeded"`: llm.FinishLength, `"refusal"`: llm.FinishRefusal, `null`: llm.FinishUnsaid, `"bored"`: llm.FinishUnsaid,
	} {
		a, err := MessagesWire{}.DecodeResponse(
			[]byte(`{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":` + reason + `,"stop_sequence":"s"}`),
		)
		require.NoError(t, err)
		assert.Equal(t, want, a.Choices[0].Finish, reason)
		assert.Equal(t, "s", a.Choices[0].StopSequence)
		assert.Zero(t, a.Usage)
	}
	a, err := MessagesWire{}.DecodeResponse(
		[]byte(`{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":null,"explanation":"no"}}`),
	)
	require.NoError(t, err)
	assert.Equal(t, []llm.Part{{Kind: llm.RefusalPart, Text: "no"}}, a.Choices[0].Parts)
	for _, body := range []string{``, `{}`, `{"type":"error"}`, `[]`} {
		_, err := MessagesWire{}.DecodeResponse([]byte(body))
		require.Error(t, err, body)
	}
}
