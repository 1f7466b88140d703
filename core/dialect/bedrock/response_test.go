package bedrock

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func TestAnAnswerIsRead(t *testing.T) {
	a, err := ConverseWire{}.DecodeResponse(file(t, "text.json"))
	require.NoError(t, err)
	assert.Equal(t, &llm.Response{
		Choices: []llm.Answer{
			{Parts: []llm.Part{llm.NewText("Here is a list of 3 pop songs by artists from the United Kingdom…")}, Finish: llm.FinishStop},
		},
		Usage: llm.Usage{Reported: true, Input: 125, Output: 60},
	}, a)
}

func TestAnAnswerWithCallsAndReasoningIsRead(t *testing.T) {
	a, err := ConverseWire{}.DecodeResponse(file(t, "tools.json"))
	require.NoError(t, err)
	assert.Equal(t, &llm.Response{
		Choices: []llm.Answer{{Finish: llm.FinishTools, Parts: []llm.Part{
			thought(llm.Reasoning{Vendor: vendor, Text: "The user asks for the top song.", Signature: "EqoBCkgIARABGAIiQL8S"}),
			thought(llm.Reasoning{Vendor: vendor, Encrypted: "VGhpcyBpcyBoaWRkZW4="}),
			llm.NewText("I'll look it up."),
			call(llm.Call{ID: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q", Name: "top_song", Input: `{"sign":"WZPZ","n":1.50,"tags":[]}`}),
			call(llm.Call{ID: "tooluse_2", Name: "now", Input: "{}"}),
		}}},
		Usage: llm.Usage{Reported: true, Input: 135, Output: 30, Cached: 100, Written: 25},
	}, a, "cached tokens are part of the input, and numbers keep their spelling")
}

func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	a, err := ConverseWire{}.DecodeResponse(file(t, "tools.json"))
	require.NoError(t, err)
	r := &llm.Request{Messages: []llm.Message{user(llm.NewText("hi")), model(a.Choices[0].Parts...)}}
	got := encodeRequest(t, r, claude())
	assert.Contains(t, got, `{"role":"assistant","content":[`+
		`{"reasoningContent":{"reasoningText":{"text":"The user asks for the top song.","signature":"EqoBCkgIARABGAIiQL8S"}}},`+
		`{"reasoningContent":{"redactedContent":"VGhpcyBpcyBoaWRkZW4="}},{"text":"I'll look it up."},`+
		`{"toolUse":{"toolUseId":"tooluse_kZJMlvQmRJ6eAyJE5GIl7Q","name":"top_song","input":{"sign":"WZPZ","n":1.50,"tags":[]}}},`+
		`{"toolUse":{"toolUseId":"tooluse_2","name":"now","input":{}}}]}`)
	assert.Empty(t, r.Dropped)
}

func TestTheEndOfAnAnswerIsTranslated(t *testing.T) {
	const some = `{"toolUse":{"toolUseId":"1","name":"f"}}`
	for _, c := range []struct {
		reason, content string
		want            llm.Finish
	}{
		{"end_turn", "", llm.FinishStop},
		{"stop_sequence", "", llm.FinishStop},
		{"tool_use", some, llm.FinishTools},
		{"tool_use", `{"toolUse":{"toolUseId":"1","name":"headgate_json_answer","input":{"a":1}}}`, llm.FinishStop},
		{"max_tokens", "", llm.FinishLength},
		{"model_context_window_exceeded", "", llm.FinishLength},
		{"guardrail_intervened", "", llm.FinishFiltered},
		{"content_filtered", "", llm.FinishFiltered},
		{"refusal", "", llm.FinishRefusal},
		{"malformed_model_output", "", llm.FinishUnsaid},
	} {
		a, err := ConverseWire{}.DecodeResponse([]byte(`{"output":{"message":{"content":[` + c.content + `]}},"stopReason":"` + c.reason + `"}`))
		require.NoError(t, err)
		assert.Equal(t, c.want, a.Choices[0].Finish, c.reason)
		assert.False(t, a.Usage.Reported)
	}
}

func TestAJSONAnswerByAToolIsText(t *testing.T) {
	a, err := ConverseWire{}.DecodeResponse(
		[]byte(
			`{"output":{"message":{"content":[{"toolUse":{"toolUseId":"1","name":"headgate_json_answer","input":{"a": 1.0}}}]}},"stopReason":"tool_use","additionalModelResponseFields":{"stop_sequence":null}}`,
		),
	)
	require.NoError(t, err)
	assert.Equal(t, []llm.Part{llm.NewText(`{"a":1.0}`)}, a.Choices[0].Parts)
}

func TestWordsBesideAnAnswerInJSONAreDropped(t *testing.T) {
	a, err := ConverseWire{}.DecodeResponse([]byte(`{"output":{"message":{"content":[{"text":"Here it is:"},` +
		`{"toolUse":{"toolUseId":"1","name":"headgate_json_answer","input":{"a":1}}},{"text":"Done."}]}},"stopReason":"tool_use"}`))
	require.NoError(t, err)
	assert.Equal(t, []llm.Part{llm.NewText(`{"a":1}`)}, a.Choices[0].Parts)
}

func TestCitedTextIsTextAndTheCitationsAreLeftOut(t *testing.T) {
	a, err := ConverseWire{}.DecodeResponse(
		[]byte(
			`{"output":{"message":{"content":[{"citationsContent":{"content":[{"text":"a"},{"text":"b"}],"citations":[{"title":"t"}]}},{"image":{}}]}}}`,
		),
	)
	require.NoError(t, err)
	assert.Equal(t, []llm.Part{llm.NewText("ab")}, a.Choices[0].Parts)
}

func TestNonsenseIsTheProvidersFault(t *testing.T) {
	for _, body := range []string{``, `[]`, `{}`, `{"output":{}}`, `{"message":"x"}`} {
		_, err := ConverseWire{}.DecodeResponse([]byte(body))
		assert.Error(t, err, body)
	}
}

func TestErrorsAreRead(t *testing.T) {
	for _, c := range []struct{ body, code, message string }{
		{`{"message":"The provided model identifier is invalid."}`, "", "The provided model identifier is invalid."},
		{`{"__type":"com.amazon.coral.service#ThrottlingException","Message":"Too many tokens"}`, "ThrottlingException", "Too many tokens"},
		{`{"__type":"ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/","message":"m"}`, "ValidationException", "m"},
		{`{"code":"AccessDeniedException","message":"m"}`, "AccessDeniedException", "m"},
		{`<html>`, "", ""},
	} {
		code, message := ConverseWire{}.ReadError([]byte(c.body))
		assert.Equal(t, c.code, code)
		assert.Equal(t, c.message, message)
	}
}
