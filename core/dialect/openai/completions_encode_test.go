package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/llm"
)

const chatTokens = `{"content":[{"token":"é","logprob":-0.50,"bytes":[195,169],"top_logprobs":[{"token":"é","logprob":-0.50},{"token":"e","logprob":-1},{"token":"e","logprob":-2}]},{"token":"b","logprob":-1e-3,"top_logprobs":[]}]}`

func TestAnAnswerIsWrittenAsALegacyCompletion(t *testing.T) {
	r := &llm.Request{Model: "asked"}
	a := &llm.Response{ID: "cmpl-1", Model: "m", Created: 7, Usage: llm.Usage{Reported: true, Input: 1, Output: 2}, Choices: []llm.Answer{
		{
			Parts:    []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Text: "hm"}}, llm.NewText("é"), llm.NewText("b")},
			Finish:   llm.FinishStop,
			Logprobs: json.RawMessage(chatTokens),
		},
		{Parts: []llm.Part{{Kind: llm.RefusalPart, Text: "no"}}, Finish: llm.FinishLength, StopSequence: "x"},
	}}
	out := Completions{}.Encode(nil, r, a)
	assert.Equal(t, `{"id":"cmpl-1","object":"text_completion","created":7,"model":"m","choices":[`+
		`{"text":"éb","index":0,"logprobs":{"tokens":["é","b"],"token_logprobs":[-0.50,-1e-3],"top_logprobs":[{"é":-0.50,"e":-1},{}],"text_offset":[0,1]},"finish_reason":"stop"},`+
		`{"text":"no","index":1,"logprobs":null,"finish_reason":"length"}],`+
		`"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`, string(out))
	assert.Equal(t, []string{"reasoning", "stop_sequence"}, r.Dropped)

	x := &core.Exchange{}
	x.Response.Raw = out
	require.NoError(t, Completions{}.ScanResponse(x))
	require.Len(t, x.Response.Segments, 2)
	assert.Equal(t, "éb", x.Response.ReadText(0))
	assert.Equal(t, "no", x.Response.ReadText(1))
	assert.Len(t, x.Response.Tied, 1)
	assert.Equal(t, a.Usage, x.Usage)
	for _, bad := range []string{``, `[]`, `{"a":1,"a":2}`, `{}x`} {
		x := &core.Exchange{}
		x.Response.Raw = []byte(bad)
		require.Error(t, Completions{}.ScanResponse(x), bad)
	}
}

func TestStreamedAnswersToSeveralPromptsAreOneStream(t *testing.T) {
	r := &llm.Request{Model: "asked", Count: 2}
	enc := Completions{}.EncodeStreams(r, 2)
	var out []byte
	for range 2 {
		for _, ev := range []llm.Event{
			{Kind: llm.Started, ID: "i", Model: "m", Created: 7},
			{Kind: llm.Opened, Part: llm.Part{Kind: llm.ReasoningPart}},
			{Kind: llm.Delta, Text: "hm"},
			{Kind: llm.Opened, Part: llm.Part{Kind: llm.TextPart}},
			{Kind: llm.Delta, Text: "a\""},
			{Kind: llm.Opened, Choice: 1, Part: llm.Part{Kind: llm.TextPart}},
			{Kind: llm.Delta, Choice: 1, Text: "b"},
			{Kind: llm.Finished, Choice: 1, Finish: llm.FinishLength},
			{Kind: llm.Finished, Finish: llm.FinishStop},
			{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 1, Output: 2}},
			{Kind: llm.Ended},
		} {
			out = enc.Append(out, &ev)
		}
	}
	const head = `data: {"id":"i","object":"text_completion","created":7,"model":"m","choices":[`
	chunk := func(text, index, finish string) string {
		return head + `{"text":"` + text + `","index":` + index + `,"logprobs":null,"finish_reason":` + finish + "}]}\n\n"
	}
	assert.Equal(t, chunk(`a\"`, "0", "null")+chunk("b", "1", "null")+chunk("", "1", `"length"`)+chunk("", "0", `"stop"`)+
		chunk(`a\"`, "2", "null")+chunk("b", "3", "null")+chunk("", "3", `"length"`)+chunk("", "2", `"stop"`)+
		head+`],"usage":{"prompt_tokens":2,"completion_tokens":4,"total_tokens":6,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`+"\n\ndata: [DONE]\n\n", string(out))
	assert.Equal(t, []string{"reasoning"}, r.Dropped)
}

func TestLegacyLogProbabilitiesGoOutWithTheirText(t *testing.T) {
	out := encodeStream(
		t,
		Completions{},
		&llm.Request{Model: "m", Logprobs: true},
		llm.Event{Kind: llm.Opened, Part: llm.Part{Kind: llm.TextPart}},
		llm.Event{
			Kind: llm.Delta,
			Text: "éb",
		},
		llm.Event{Kind: llm.Logprobs, Raw: json.RawMessage(chatTokens)},
		llm.Event{Kind: llm.Delta, Text: "c"},
		llm.Event{
			Kind: llm.Logprobs,
			Raw:  json.RawMessage(`{"content":[{"token":"c"}]}`),
		},
		llm.Event{Kind: llm.Delta, Text: "d"},
		llm.Event{Kind: llm.Failed, Error: &llm.Failure{Message: "m"}},
	)
	require.Len(t, out, 4)
	assert.Contains(t, out[0], `"text":"éb","index":0,"logprobs":{"tokens":["é","b"],"token_logprobs":[-0.50,-1e-3]`)
	assert.Contains(
		t,
		out[1],
		`"text":"c","index":0,"logprobs":{"tokens":["c"],"token_logprobs":[null],"top_logprobs":[{}],"text_offset":[2]}`,
	)
	assert.Contains(t, out[2], `"text":"d","index":0,"logprobs":null`)
	assert.Contains(t, out[3], `{"error":`)
}

func TestALegacyChunkIsScannedAndWritten(t *testing.T) {
	raw := []byte(
		`data: {"id":"cmpl-1","object":"text_completion","created":1690759702,"choices":[{"text":"This","index":2,"logprobs":{"tokens":["This"]},"finish_reason":null}],"model":"gpt-3.5-turbo-instruct"}` + "\n\n",
	)
	x, e := scanWith(Completions{}, `{"model":"m","prompt":"a","stream":true}`)
	require.Nil(t, e)
	var ev core.Event
	ev.Reset(raw)
	require.NoError(t, Completions{}.ScanEvent(x, &ev))
	require.Len(t, ev.Deltas, 1)
	assert.Equal(t, core.Part{Kind: core.KindText, Choice: 2}, ev.Deltas[0].Part)
	assert.Equal(t, "This", string(raw[ev.Deltas[0].Span.Start:ev.Deltas[0].Span.End]))
	assert.Len(t, ev.Tied, 1)
	assert.True(t, ev.IsTemplate)

	out := Completions{}.AppendDelta(nil, raw, core.Part{Choice: 2}, "x\"")
	v := eventData(t, out)
	assert.Equal(t, "cmpl-1", v["id"])
	ev.Reset(out)
	require.NoError(t, Completions{}.ScanEvent(x, &ev))
	require.Len(t, ev.Deltas, 1)
	assert.True(t, ev.HasOnlyDeltas)
	assert.Contains(t, string(Completions{}.AppendDelta(nil, nil, core.Part{}, "x")), completionsObject)

	ev.Reset([]byte(`data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n"))
	require.NoError(t, Completions{}.ScanEvent(x, &ev))
	assert.True(t, ev.Withhold, "the client did not ask for it")
	assert.True(t, x.Usage.Reported)

	denied := Completions{}.AppendEnd(nil, raw, nil, &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "no"})
	assert.True(t, strings.HasSuffix(string(denied), "\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n"))
	failed := Completions{}.AppendEnd(nil, raw, nil, &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Public: "it broke"})
	assert.NotContains(t, string(failed), "[DONE]")
	_, _, n := sse.FindData(failed)
	assert.Equal(t, 1, n)
	code, message := Completions{}.ReadError([]byte(`{"error":{"message":"m","code":"c"}}`))
	assert.Equal(t, [2]string{"c", "m"}, [2]string{code, message})
}
