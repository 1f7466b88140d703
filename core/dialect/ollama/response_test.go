package ollama

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func TestAnAnswerIsRead(t *testing.T) {
	a, err := ChatWire{}.DecodeResponse(file(t, "text.json"))
	require.NoError(t, err)
	require.Len(t, a.Choices, 1)
	assert.Contains(t, string(a.Choices[0].Logprobs), `"logprob":-0.0100,`, "numbers keep their spelling")
	assert.JSONEq(t, `{"content":[
		{"token":"Hello","logprob":-0.01,"bytes":[72,101,108,108,111],"top_logprobs":[{"token":"Hi","logprob":-4.5,"bytes":[72,105]}]},
		{"token":"!","logprob":-0.001,"bytes":null,"top_logprobs":[]}
	]}`, string(a.Choices[0].Logprobs))
	a.Choices[0].Logprobs = nil
	assert.Equal(t, &llm.Response{
		Model: "llama3.2", Created: 1702390423,
		Choices: []llm.Answer{{Parts: []llm.Part{newThoughtPart("A greeting."), llm.NewText("Hello! How are you today?")}, Finish: llm.FinishStop}},
		Usage:   llm.Usage{Reported: true, Input: 26, Output: 298},
	}, a)
}

func TestCallsAreRead(t *testing.T) {
	a, err := ChatWire{}.DecodeResponse(file(t, "tools.json"))
	require.NoError(t, err)
	assert.Equal(t, []llm.Answer{{Finish: llm.FinishTools, Parts: []llm.Part{
		calls(llm.Call{ID: "call_8k2m", Name: "get_weather", Input: `{"city":"Tokyo","n":1.50}`}),
		calls(llm.Call{ID: "call_wth5b6fwhe0k_1", Name: "now", Input: `{}`}),
	}}}, a.Choices)
	assert.Equal(t, llm.Usage{Reported: true, Output: 33}, a.Usage, "a kept prompt is not counted")
}

func TestCallsWithoutAnIDAreGivenOne(t *testing.T) {
	seen := map[string]bool{}
	for _, created := range []string{"2024-07-22T20:33:28.1Z", "2024-07-22T20:33:28.2Z"} {
		for _, name := range []string{"f", "g"} {
			body := []byte(
				`{"created_at":"` + created + `","message":{"tool_calls":[{"function":{"name":"` + name + `"}},{"function":{"name":"` + name + `"}}]},"done":true}`,
			)
			a, err := ChatWire{}.DecodeResponse(body)
			require.NoError(t, err)
			for _, p := range a.Choices[0].Parts {
				assert.Regexp(t, "^call_[a-z0-9_]+$", p.Call.ID)
				assert.False(t, seen[p.Call.ID])
				seen[p.Call.ID] = true
			}
		}
	}
	assert.Len(t, seen, 8)
}

func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	a, err := ChatWire{}.DecodeResponse(file(t, "tools.json"))
	require.NoError(t, err)
	r := &llm.Request{Model: "m", Messages: []llm.Message{model(a.Choices[0].Parts...)}}
	assert.JSONEq(t, `{"model":"m","stream":false,"messages":[{"role":"assistant","content":"","tool_calls":[
		{"id":"call_8k2m","function":{"name":"get_weather","arguments":{"city":"Tokyo","n":1.50}}},
		{"id":"call_wth5b6fwhe0k_1","function":{"name":"now","arguments":{}}}
	]}]}`, encodeRequest(t, r, llama()))
	assert.Empty(t, r.Dropped)
}

func TestTheEndOfAnAnswerIsTranslated(t *testing.T) {
	for reason, want := range map[string]llm.Finish{"stop": llm.FinishStop, "length": llm.FinishLength, "load": llm.FinishStop, "": llm.FinishStop} {
		a, err := ChatWire{}.DecodeResponse([]byte(`{"message":{"content":""},"done":true,"done_reason":"` + reason + `","created_at":"x"}`))
		require.NoError(t, err)
		assert.Equal(t, want, a.Choices[0].Finish, reason)
		assert.Equal(t, []llm.Part{llm.NewText("")}, a.Choices[0].Parts)
		assert.False(t, a.Usage.Reported)
		assert.Zero(t, a.Created)
	}
}

func TestNonsenseIsTheProvidersFault(t *testing.T) {
	for _, body := range []string{``, `[]`, `{}`, `{"error":"x"}`, `{"message":{},"done":false}`, `{"message":{"tool_calls":{}},"done":true}`} {
		_, err := ChatWire{}.DecodeResponse([]byte(body))
		assert.Error(t, err, body)
	}
}

func TestErrorsAreRead(t *testing.T) {
	code, message := ChatWire{}.ReadError([]byte(`{"error":"model 'x' not found"}`))
	assert.Empty(t, code)
	assert.Equal(t, "model 'x' not found", message)
	_, message = ChatWire{}.ReadError([]byte(`<html>`))
	assert.Empty(t, message)
}
