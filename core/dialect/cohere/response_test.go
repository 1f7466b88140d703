package cohere

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func TestAnAnswerIsReadAndItsCitationsLeftOut(t *testing.T) {
	a, err := ChatWire{}.DecodeResponse(file(t, "text.json"))
	require.NoError(t, err)
	require.Len(t, a.Choices, 1)
	assert.JSONEq(t, `{"content":[
		{"token":"LLM","logprob":-0.75,"bytes":[76,76,77],"top_logprobs":[]},
		{"token":"é","logprob":0,"bytes":[195,169],"top_logprobs":[]}
	]}`, string(a.Choices[0].Logprobs), "a piece of text stands as one token")
	a.Choices[0].Logprobs = nil
	assert.Equal(t, &llm.Response{
		ID: "c14c80c3-18eb-4519-9460-6c92edd8cfb4",
		Choices: []llm.Answer{
			{Parts: []llm.Part{newThoughtPart("", "A riddle."), llm.NewText("LLMs stand for Large Language Models…")}, Finish: llm.FinishStop},
		},
		Usage: llm.Usage{Reported: true, Input: 71, Output: 418, Cached: 64},
	}, a, "tokens count, not billed units")
}

func TestAToolPlanIsReasoning(t *testing.T) {
	a, err := ChatWire{}.DecodeResponse(file(t, "tools.json"))
	require.NoError(t, err)
	assert.Equal(t, []llm.Answer{{Finish: llm.FinishTools, Parts: []llm.Part{
		newThoughtPart(plan, "I will look up the weather."),
		calls(llm.Call{ID: "get_weather_14brd1n2kfqj", Name: "get_weather", Input: `{"location":"Madrid"}`}),
		calls(llm.Call{ID: "now_1", Name: "now", Input: `{}`}),
	}}}, a.Choices)
	assert.Equal(t, llm.Usage{Reported: true, Input: 37, Output: 28}, a.Usage, "billed units stand in for tokens")
}

func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	a, err := ChatWire{}.DecodeResponse(file(t, "tools.json"))
	require.NoError(t, err)
	r := &llm.Request{Model: "m", Messages: []llm.Message{model(a.Choices[0].Parts...)}}
	assert.JSONEq(t, `{"model":"m","stream":false,"messages":[{"role":"assistant","tool_plan":"I will look up the weather.","tool_calls":[
		{"id":"get_weather_14brd1n2kfqj","type":"function","function":{"name":"get_weather","arguments":"{\"location\":\"Madrid\"}"}},
		{"id":"now_1","type":"function","function":{"name":"now","arguments":"{}"}}
	]}]}`, encodeRequest(t, r, command()))
	assert.Empty(t, r.Dropped)
}

func TestTheEndOfAnAnswerIsTranslated(t *testing.T) {
	for reason, want := range map[string]llm.Finish{
		"COMPLETE": llm.FinishStop, "STOP_SEQUENCE": llm.FinishStop, "MAX_TOKENS": llm.FinishLength, "TOOL_CALL": llm.FinishTools,
		"ERROR_TOXIC": llm.FinishFiltered, "complete": llm.FinishStop, "NEW": llm.FinishUnsaid,
	} {
		a, err := ChatWire{}.DecodeResponse([]byte(`{"message":{},"finish_reason":"` + reason + `"}`))
		require.NoError(t, err)
		assert.Equal(t, want, a.Choices[0].Finish, reason)
		assert.False(t, a.Usage.Reported)
	}
}

func TestAFailedAnswerIsTheProvidersFault(t *testing.T) {
	for _, body := range []string{``, `[]`, `{}`, `{"message":"x"}`, `{"message":{},"finish_reason":"ERROR"}`, `{"message":{},"finish_reason":"TIMEOUT"}`} {
		_, err := ChatWire{}.DecodeResponse([]byte(body))
		assert.Error(t, err, body)
	}
}

func TestErrorsAreRead(t *testing.T) {
	code, message := ChatWire{}.ReadError([]byte(`{"id":"1","message":"invalid request: p must be at most 0.99"}`))
	assert.Empty(t, code)
	assert.Equal(t, "invalid request: p must be at most 0.99", message)
	_, message = ChatWire{}.ReadError([]byte(`<html>`))
	assert.Empty(t, message)
}
