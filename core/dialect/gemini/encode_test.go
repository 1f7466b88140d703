package gemini

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestReasonsToFinishAreTranslatedBothWays(t *testing.T) {
	for reason, want := range map[string]struct {
		finish llm.Finish
		back   string
	}{
		"STOP": {llm.FinishStop, "STOP"}, "MAX_TOKENS": {llm.FinishLength, "MAX_TOKENS"}, "SAFETY": {llm.FinishFiltered, "SAFETY"},
		"RECITATION": {llm.FinishFiltered, "SAFETY"}, "PROHIBITED_CONTENT": {llm.FinishFiltered, "SAFETY"}, "SPII": {llm.FinishFiltered, "SAFETY"},
		"BLOCKLIST": {llm.FinishFiltered, "SAFETY"}, "MALFORMED_FUNCTION_CALL": {llm.FinishStop, "STOP"}, "OTHER": {llm.FinishStop, "STOP"}, "": {llm.FinishUnsaid, "OTHER"},
	} {
		assert.Equal(t, want.finish, parseFinish(reason), reason)
		assert.Equal(t, want.back, mapFinish(want.finish), reason)
	}
	assert.Equal(t, "SAFETY", mapFinish(llm.FinishRefusal))
	assert.Equal(t, "STOP", mapFinish(llm.FinishTools))
}

func TestAnAnswerWithoutCandidatesIsAnError(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, `x`, ``, `{"candidates":[]}`, `{"error":{"code":500}}`} {
		_, err := GenerateWire{}.DecodeResponse([]byte(body))
		assert.Error(t, err, body)
	}
}

func TestAnswersOfOtherVendorsHaveTheirPlace(t *testing.T) {
	a := &llm.Response{
		Choices: []llm.Answer{{
			Finish: llm.FinishLength, StopSequence: "END",
			Logprobs: json.RawMessage(`{"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[]}],"refusal":null}`),
			Parts: []llm.Part{
				{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "why", Signature: "s"}},
				{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "openai", Encrypted: "zzz"}},
				llm.NewText("a\n"),
				{Kind: llm.RefusalPart, Text: "no"},
				{Kind: llm.CallPart, Call: &llm.Call{Name: "f", Input: "broken {"}},
				{Kind: llm.CallPart, Call: &llm.Call{ID: "i", Name: "g", Input: "{\r\n\"x\": \"\\n\"}"}},
				{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://e.com/a.png"}},
			},
		}},
		Usage: llm.Usage{Reported: true, Input: 10, Output: 8, Cached: 3, Written: 2, Reasoning: 5},
	}
	out := Generate{}.Encode(nil, &llm.Request{Thoughts: true}, a)
	assert.JSONEq(
		t,
		`{"candidates":[{"content":{"parts":[{"text":"why","thought":true},{"text":"a\n"},{"text":"no"},{"functionCall":{"name":"f","args":{"input":"broken {"}}},
{"functionCall":{"id":"i","name":"g","args":{"x":"\n"}}},{"fileData":{"mimeType":"image/png","fileUri":"https://e.com/a.png"}}],"role":"model"},"finishReason":"MAX_TOKENS","index":0,
"logprobsResult":{"topCandidates":[{"candidates":[]}],"chosenCandidates":[{"token":"a","logProbability":-0.5}]}}],
"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":3,"totalTokenCount":18,"cachedContentTokenCount":3,"thoughtsTokenCount":5}}`,
		string(out),
	)
	assert.NotContains(t, string(out), "\n", "arguments in a server-sent event stand on one line")
}

func TestACallStreamedInPiecesIsOneEvent(t *testing.T) {
	e := Generate{}.EncodeStream(&llm.Request{})
	var out []byte
	for _, ev := range []llm.Event{
		{Kind: llm.Started, ID: "r", Model: "m"},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 3}},
		{Kind: llm.Opened, Part: llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "c", Name: "f"}}},
		{Kind: llm.Delta, Text: `{"a":`},
		{Kind: llm.Delta, Text: `1}`},
		{Kind: llm.Opened, Part: llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "d", Name: "g"}}},
		{Kind: llm.Finished, Finish: llm.FinishTools},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 3, Output: 4}},
		{Kind: llm.Ended},
	} {
		out = e.Append(out, &ev)
	}
	events := cut(t, string(out))
	require.Len(t, events, 3)
	assert.Contains(t, string(events[0]), `{"functionCall":{"id":"c","name":"f","args":{"a":1}}}`)
	assert.Contains(t, string(events[1]), `{"functionCall":{"id":"d","name":"g","args":{}}}`)
	assert.Contains(
		t,
		string(events[2]),
		`"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7},"modelVersion":"m","responseId":"r"}`,
	)
}

func TestAnErrorOfTheReaderEndsTheDecoding(t *testing.T) {
	stop := errors.New("stop")
	for n := range 9 {
		d := GenerateWire{}.DecodeStream()
		left := n
		emit := func(*llm.Event) error {
			if left--; left < 0 {
				return stop
			}
			return nil
		}
		require.ErrorIs(t, d.Decode([]byte(transcripts(t)["tools"]), emit), stop)
	}
}

func TestCallsWithoutAnIDGetOneThatNoOtherTurnHas(t *testing.T) {
	var c chunkReader
	a, b := &call{name: "f", args: []byte(`{"x":1}`)}, &call{name: "f", args: []byte(`{"x":2}`)}
	assert.NotEqual(t, c.makeCallID(a, 0), c.makeCallID(b, 0))
	assert.NotEqual(t, c.makeCallID(a, 0), c.makeCallID(a, 1))
	c.id = "r1"
	assert.Equal(t, "call_r1_0", c.makeCallID(a, 0))
	assert.Equal(t, "given", c.makeCallID(&call{id: "given"}, 3))
}

func TestThoughtsAreToldToWhoAskedForThem(t *testing.T) {
	thought := llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "hm"}}
	a := &llm.Response{
		Choices: []llm.Answer{{Finish: llm.FinishStop, Parts: []llm.Part{thought, llm.NewText("ok")}}},
		Usage:   llm.Usage{Reported: true, Output: 9, Reasoning: 5},
	}
	for config, want := range map[string]bool{
		`{"thinkingConfig":{"includeThoughts":true}}`:                      true,
		`{"thinking_config":{"include_thoughts":true,"thinkingBudget":9}}`: true,
		`{"thinkingConfig":{"includeThoughts":false}}`:                     false,
		`{"thinkingConfig":{"thinkingBudget":2048}}`:                       false,
		`{}`: false,
	} {
		x := &core.Exchange{}
		x.Request.Raw = []byte(`{"contents":[{"parts":[{"text":"x"}]}],"generationConfig":` + config + `}`)
		require.Nil(t, Generate{}.Scan(x))
		r, e := Generate{}.Decode(x)
		require.Nil(t, e)
		assert.Equal(t, want, r.Thoughts, config)

		out := string(Generate{}.Encode(nil, r, a))
		assert.Equal(t, want, strings.Contains(out, `{"text":"hm","thought":true}`), out)
		assert.Contains(t, out, `"thoughtsTokenCount":5`, "what was thought is paid for all the same")

		enc, streamed := Generate{}.EncodeStream(r), []byte(nil)
		for _, ev := range []llm.Event{
			{Kind: llm.Opened, Part: thought},
			{Kind: llm.Delta, Text: "hm"},
			{Kind: llm.Opened, Part: llm.Part{Kind: llm.TextPart}},
			{Kind: llm.Delta, Text: "ok"},
		} {
			streamed = enc.Append(streamed, &ev)
		}
		assert.Equal(t, want, strings.Contains(string(streamed), "hm"), string(streamed))
		assert.Contains(t, string(streamed), `{"text":"ok"}`)
	}
}
