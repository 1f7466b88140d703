package openai

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// encodeStream writes events and checks that the shape's own scan takes each.
func encodeStream(t testing.TB, d wire.Translator, r *llm.Request, events ...llm.Event) []string {
	enc := d.EncodeStream(r)
	var all []byte
	for i := range events {
		all = enc.Append(all, &events[i])
	}
	var s sse.Splitter
	require.NoError(t, s.Write(all))
	x := &core.Exchange{}
	var out []string
	var ev core.Event
	for raw := s.Next(); raw != nil; raw = s.Next() {
		ev.Reset(raw)
		require.NoError(t, d.ScanEvent(x, &ev), "%s", raw)
		lo, hi, n := sse.FindData(raw)
		require.Equal(t, 1, n)
		out = append(out, string(raw[lo:hi]))
	}
	require.Empty(t, s.Rest())
	return out
}

func TestAStreamIsWrittenAsChunks(t *testing.T) {
	const head = `{"id":"i","object":"chat.completion.chunk","created":7,"model":"m","choices":[`
	chunk := func(delta, end string) string {
		return head + `{"index":0,"delta":{` + delta + `},"logprobs":null,"finish_reason":` + end + `}]}`
	}
	hello := chunk(`"role":"assistant","content":""`, "null")
	started := llm.Event{Kind: llm.Started, ID: "i", Model: "m", Created: 7}
	opened := func(k llm.PartKind) llm.Event { return llm.Event{Kind: llm.Opened, Part: llm.Part{Kind: k}} }
	called := func(c llm.Call) llm.Event {
		return llm.Event{Kind: llm.Opened, Part: llm.Part{Kind: llm.CallPart, Call: &c}}
	}
	delta := func(s string) llm.Event { return llm.Event{Kind: llm.Delta, Text: s} }
	finished := func(f llm.Finish) llm.Event { return llm.Event{Kind: llm.Finished, Finish: f} }
	ended := llm.Event{Kind: llm.Ended}
	for name, tc := range map[string]struct {
		events  []llm.Event
		want    []string
		dropped []string
	}{
		"text and usage": {
			[]llm.Event{started, opened(llm.TextPart), delta("a"), delta(""), delta("\"b\""), finished(llm.FinishStop), {Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 1}}, {Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 2, Output: 3}}, ended},
			[]string{hello, chunk(`"content":"a"`, "null"), chunk(`"content":"\"b\""`, "null"), chunk("", `"stop"`), head + `],"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`, "[DONE]"},
			nil,
		},
		"reasoning, then a refusal": {
			[]llm.Event{started, opened(llm.ReasoningPart), delta("hm"), {Kind: llm.Signed, Text: "s"}, opened(llm.RefusalPart), delta("no"), {Kind: llm.Finished, Finish: llm.FinishRefusal, StopSequence: "x"}, ended},
			[]string{hello, chunk(`"reasoning_content":"hm"`, "null"), chunk(`"refusal":"no"`, "null"), chunk("", `"stop"`), "[DONE]"},
			[]string{"reasoning.signature", "stop_sequence"},
		},
		"thoughts stand apart": {
			[]llm.Event{started, opened(llm.ReasoningPart), delta("a"), opened(llm.ReasoningPart), delta("b"), delta("c"), ended},
			[]string{hello, chunk(`"reasoning_content":"a"`, "null"), chunk(`"reasoning_content":"\n\nb"`, "null"), chunk(`"reasoning_content":"c"`, "null"), "[DONE]"},
			nil,
		},
		"a custom call in one fragment": {
			[]llm.Event{started, called(llm.Call{ID: "1", Name: "f"}), delta(`{"a"`), delta(`:1}`), called(llm.Call{ID: "2", Name: "c", Kind: llm.CustomTool}), delta("x\n"), delta("y"), finished(llm.FinishTools), ended},
			[]string{
				hello, chunk(`"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":""}}]`, "null"),
				chunk(`"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]`, "null"), chunk(`"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]`, "null"),
				chunk(`"tool_calls":[{"index":1,"id":"2","type":"custom","custom":{"name":"c","input":"x\ny"}}]`, "null"), chunk("", `"tool_calls"`), "[DONE]",
			},
			nil,
		},
		"a signed call without arguments": {
			[]llm.Event{started, called(llm.Call{ID: "1", Name: "f"}), {Kind: llm.Signed, Text: "s="}, finished(llm.FinishTools), ended},
			[]string{
				hello, chunk(`"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":""}}]`, "null"),
				chunk(`"tool_calls":[{"index":0,"function":{"arguments":""},"extra_content":{"google":{"thought_signature":"s="}}}]`, "null"),
				chunk(`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`, "null"), chunk("", `"tool_calls"`), "[DONE]",
			},
			nil,
		},
		"a failure": {
			[]llm.Event{started, opened(llm.TextPart), delta("a"), {Kind: llm.Failed, Error: &llm.Failure{Status: 429, Code: "slow_down", Message: "too \"fast\""}}},
			[]string{hello, chunk(`"content":"a"`, "null"), `{"error":{"message":"too \"fast\"","type":"rate_limit_error","param":null,"code":"slow_down"}}`},
			nil,
		},
		"a failure at once": {
			[]llm.Event{{Kind: llm.Failed, Error: &llm.Failure{Message: "m"}}},
			[]string{`{"error":{"message":"m","type":"server_error","param":null,"code":"upstream_error"}}`},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &llm.Request{Model: "asked"}
			assert.Equal(t, tc.want, encodeStream(t, Chat{}, r, tc.events...))
			assert.Equal(t, tc.dropped, r.Dropped)
		})
	}
}

// Where text is held back, what repeats it must be found in the same event.
func TestLogProbabilitiesGoOutWithTheirText(t *testing.T) {
	out := encodeStream(
		t,
		Chat{},
		&llm.Request{Model: "m", Logprobs: true},
		llm.Event{Kind: llm.Started, ID: "i", Created: 7},
		llm.Event{Kind: llm.Opened, Part: llm.Part{Kind: llm.TextPart}},
		llm.Event{Kind: llm.Delta, Text: "a"},
		llm.Event{Kind: llm.Logprobs, Raw: json.RawMessage(`{"content":[1]}`)},
		llm.Event{
			Kind: llm.Delta,
			Text: "b",
		},
		llm.Event{Kind: llm.Delta, Text: "c"},
		llm.Event{Kind: llm.Finished, Finish: llm.FinishStop},
		llm.Event{Kind: llm.Ended},
	)
	require.Len(t, out, 6)
	assert.Contains(t, out[1], `"delta":{"content":"a"},"logprobs":{"content":[1]},`)
	assert.Contains(t, out[2], `"delta":{"content":"b"},"logprobs":null,`)
	assert.Contains(t, out[3], `"delta":{"content":"c"},"logprobs":null,`)
	assert.Contains(t, out[4], `"finish_reason":"stop"`)
}

// What a provider streams, written for a client and read once more, tells the same,
// but for how it was cut.
func TestAStreamThatIsDecodedAndEncodedTellsTheSame(t *testing.T) {
	for name, body := range wireTranscripts(t) {
		t.Run(name, func(t *testing.T) {
			enc, dec := Chat{}.EncodeStream(&llm.Request{Model: "m", Logprobs: true}), ChatWire{}.DecodeStream()
			var out []byte
			var first []llm.Event
			require.NoError(t, dec.Decode(body, func(ev *llm.Event) error {
				first = append(first, *ev)
				out = enc.Append(out, ev)
				return nil
			}))
			again, err := decodeStream(ChatWire{}.DecodeStream(), out)
			require.NoError(t, err)
			assert.Equal(t, tellPieced(first), again, "%s", out)
		})
	}
}

// tellPieced tells of events with the input of each custom call in one piece, and with
// the rest as it came.
func tellPieced(events []llm.Event) (out []string) {
	var open *llm.Call
	var input string
	for i := range events {
		ev := &events[i]
		custom := open != nil && open.Kind == llm.CustomTool
		if custom && ev.Kind == llm.Delta {
			input += ev.Text
			continue
		}
		if input != "" {
			out = append(out, tellEvent(&llm.Event{Kind: llm.Delta, Text: input}))
			input = ""
		}
		if ev.Kind == llm.Opened {
			open = ev.Part.Call
		}
		out = append(out, tellEvent(ev))
	}
	return out
}
