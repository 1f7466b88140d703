package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/sse"
)

func TestAnAnswerIsWrittenAsAChatCompletion(t *testing.T) {
	for name, tc := range map[string]struct {
		answer  llm.Answer
		want    string // the choice
		dropped []string
	}{
		"text":            {llm.Answer{Parts: []llm.Part{llm.Text("a"), llm.Text("\"b\"")}, Finish: llm.FinishStop}, `{"index":0,"message":{"role":"assistant","content":"a\"b\"","refusal":null},"logprobs":null,"finish_reason":"stop"}`, nil},
		"nothing":         {llm.Answer{Finish: llm.FinishLength}, `{"index":0,"message":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":"length"}`, nil},
		"a refusal":       {llm.Answer{Parts: []llm.Part{{Kind: llm.RefusalPart, Text: "no"}}, Finish: llm.FinishRefusal}, `{"index":0,"message":{"role":"assistant","content":null,"refusal":"no"},"logprobs":null,"finish_reason":"stop"}`, nil},
		"a silent one":    {llm.Answer{Finish: llm.FinishRefusal}, `{"index":0,"message":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":"content_filter"}`, nil},
		"filtered":        {llm.Answer{Parts: []llm.Part{llm.Text("a")}, Finish: llm.FinishFiltered}, `{"index":0,"message":{"role":"assistant","content":"a","refusal":null},"logprobs":null,"finish_reason":"content_filter"}`, nil},
		"a stop sequence": {llm.Answer{Parts: []llm.Part{llm.Text("a")}, Finish: llm.FinishStop, StopSequence: "x"}, `{"index":0,"message":{"role":"assistant","content":"a","refusal":null},"logprobs":null,"finish_reason":"stop"}`, []string{"stop_sequence"}},
		"log probabilities": {
			llm.Answer{Parts: []llm.Part{llm.Text("a")}, Finish: llm.FinishStop, Logprobs: json.RawMessage(`{"content":[]}`)},
			`{"index":0,"message":{"role":"assistant","content":"a","refusal":null},"logprobs":{"content":[]},"finish_reason":"stop"}`, nil,
		},
		"reasoning": {
			llm.Answer{Parts: []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Text: "hm", Signature: "s"}}, {Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Encrypted: "e"}}, {Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Text: "ah"}}, llm.Text("a")}, Finish: llm.FinishStop},
			`{"index":0,"message":{"role":"assistant","content":"a","refusal":null,"reasoning_content":"hm\n\nah"},"logprobs":null,"finish_reason":"stop"}`, []string{"reasoning.signature"},
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
			a := &llm.Response{ID: "i", Model: "m", Created: 7, Choices: []llm.Answer{tc.answer}, Usage: llm.Usage{Reported: true, Input: 9, Output: 5, Cached: 2, Written: 3, Reasoning: 1}}
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
	out := Chat{}.Encode(nil, &llm.Request{Model: "asked"}, &llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{Name: "f"}}}}, {}}})
	require.NoError(t, json.Unmarshal(out, &v))
	assert.True(t, strings.HasPrefix(v.ID, "chatcmpl-"))
	assert.Equal(t, "asked", v.Model)
	assert.NotZero(t, v.Created)
	assert.Nil(t, v.Usage)
	require.Len(t, v.Choices, 2)
	assert.True(t, strings.HasPrefix(v.Choices[0].Message.ToolCalls[0].ID, "call_"))
}

// encodeStream writes events and checks that the shape's own scan takes each.
func encodeStream(t testing.TB, d core.Translator, r *llm.Request, events ...llm.Event) []string {
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
		lo, hi, n := sse.Data(raw)
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
			[]string{hello, chunk(`"content":"a"`, "null"), chunk(`"content":"\"b\""`, "null"), chunk("", `"stop"`), head + `],"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`, "[DONE]"}, nil,
		},
		"reasoning, then a refusal": {
			[]llm.Event{started, opened(llm.ReasoningPart), delta("hm"), {Kind: llm.Signed, Text: "s"}, opened(llm.RefusalPart), delta("no"), {Kind: llm.Finished, Finish: llm.FinishRefusal, StopSequence: "x"}, ended},
			[]string{hello, chunk(`"reasoning_content":"hm"`, "null"), chunk(`"refusal":"no"`, "null"), chunk("", `"stop"`), "[DONE]"}, []string{"reasoning.signature", "stop_sequence"},
		},
		"a custom call in one fragment": {
			[]llm.Event{started, called(llm.Call{ID: "1", Name: "f"}), delta(`{"a"`), delta(`:1}`), called(llm.Call{ID: "2", Name: "c", Kind: llm.CustomTool}), delta("x\n"), delta("y"), finished(llm.FinishTools), ended},
			[]string{
				hello, chunk(`"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":""}}]`, "null"),
				chunk(`"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]`, "null"), chunk(`"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]`, "null"),
				chunk(`"tool_calls":[{"index":1,"id":"2","type":"custom","custom":{"name":"c","input":"x\ny"}}]`, "null"), chunk("", `"tool_calls"`), "[DONE]",
			}, nil,
		},
		"a signed call without arguments": {
			[]llm.Event{started, called(llm.Call{ID: "1", Name: "f"}), {Kind: llm.Signed, Text: "s="}, finished(llm.FinishTools), ended},
			[]string{
				hello, chunk(`"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":""}}]`, "null"),
				chunk(`"tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":"s="}}}]`, "null"),
				chunk(`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`, "null"), chunk("", `"tool_calls"`), "[DONE]",
			}, nil,
		},
		"a failure": {
			[]llm.Event{started, opened(llm.TextPart), delta("a"), {Kind: llm.Failed, Error: &llm.Failure{Status: 429, Code: "slow_down", Message: "too \"fast\""}}},
			[]string{hello, chunk(`"content":"a"`, "null"), `{"error":{"message":"too \"fast\"","type":"rate_limit_error","param":null,"code":"slow_down"}}`}, nil,
		},
		"a failure at once": {
			[]llm.Event{{Kind: llm.Failed, Error: &llm.Failure{Message: "m"}}},
			[]string{`{"error":{"message":"m","type":"server_error","param":null,"code":"upstream_error"}}`}, nil,
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
	out := encodeStream(t, Chat{}, &llm.Request{Model: "m", Logprobs: true},
		llm.Event{Kind: llm.Started, ID: "i", Created: 7}, llm.Event{Kind: llm.Opened, Part: llm.Part{Kind: llm.TextPart}},
		llm.Event{Kind: llm.Delta, Text: "a"}, llm.Event{Kind: llm.Logprobs, Raw: json.RawMessage(`{"content":[1]}`)},
		llm.Event{Kind: llm.Delta, Text: "b"}, llm.Event{Kind: llm.Delta, Text: "c"}, llm.Event{Kind: llm.Finished, Finish: llm.FinishStop}, llm.Event{Kind: llm.Ended})
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
			assert.Equal(t, pieced(first), again, "%s", out)
		})
	}
}

// pieced tells of events with the input of each custom call in one piece, and with
// the rest as it came.
func pieced(events []llm.Event) (out []string) {
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
			out = append(out, spoken(&llm.Event{Kind: llm.Delta, Text: input}))
			input = ""
		}
		if ev.Kind == llm.Opened {
			open = ev.Part.Call
		}
		out = append(out, spoken(ev))
	}
	return out
}

func TestAWholeAnswerOfEachProviderIsDecoded(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want llm.Response
	}{
		"OpenAI": {
			`{"id":"chatcmpl-B9MBs8","object":"chat.completion","created":1741569952,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":{"role":"assistant","content":"Hello!","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":0}},"service_tier":"default"}`,
			llm.Response{ID: "chatcmpl-B9MBs8", Model: "gpt-4.1-2025-04-14", Created: 1741569952, Choices: []llm.Answer{{Parts: []llm.Part{llm.Text("Hello!")}, Finish: llm.FinishStop}}, Usage: llm.Usage{Reported: true, Input: 19, Output: 10, Cached: 4, Reasoning: 3}},
		},
		"OpenAI's refusal and log probabilities": {
			`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I'm sorry"},"logprobs":{"content":null,"refusal":[{"token":"I"}]},"finish_reason":"stop"}]}`,
			llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.RefusalPart, Text: "I'm sorry"}}, Finish: llm.FinishRefusal, Logprobs: json.RawMessage(`{"content":null,"refusal":[{"token":"I"}]}`)}}},
		},
		"DeepSeek": {
			`{"id":"930c60df","object":"chat.completion","created":1705651092,"model":"deepseek-reasoner","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"9.8","reasoning_content":"First"},"logprobs":null}],"usage":{"completion_tokens":10,"prompt_tokens":16,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":8,"total_tokens":26,"completion_tokens_details":{"reasoning_tokens":6}}}`,
			llm.Response{ID: "930c60df", Model: "deepseek-reasoner", Created: 1705651092, Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: ChatVendor, Text: "First"}}, llm.Text("9.8")}, Finish: llm.FinishStop}}, Usage: llm.Usage{Reported: true, Input: 16, Output: 10, Cached: 8, Reasoning: 6}},
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
		"vLLM's stop sequence": {
			`{"choices":[{"message":{"content":"a"},"finish_reason":"stop","stop_reason":"END"}]}`,
			llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{llm.Text("a")}, Finish: llm.FinishStop, StopSequence: "END"}}},
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
		assert.Equal(t, want, chatReason(word), word)
	}
}

func TestAnErrorInAStreamKnowsItsStatus(t *testing.T) {
	for data, want := range map[string]llm.Failure{
		`{"error":{"message":"m","type":"rate_limit_error","code":"rate_limit_exceeded"}}`:       {Status: 429, Code: "rate_limit_exceeded", Message: "m"},
		`{"error":{"message":"m","type":"invalid_request_error","code":"unknown_to_us"}}`:        {Status: 400, Code: "unknown_to_us", Message: "m"},
		`{"error":{"message":"m","code":503}}`:                                                   {Status: 503, Message: "m"},
		`{"error":"boom"}`:                                                                       {Message: "boom"},
		`{"object":"error","message":"m","type":"BadRequestError","code":400}`:                   {Status: 400, Code: "BadRequestError", Message: "m"},
		`{"error":{"message":"m","type":"new"},"choices":[{"index":0,"delta":{"content":"x"}}]}`: {Code: "new", Message: "m"},
	} {
		lines, err := decodeStream(ChatWire{}.DecodeStream(), []byte("data: "+data+"\n\ndata: [DONE]\n\n"))
		require.NoError(t, err, data)
		assert.Equal(t, []string{spoken(&llm.Event{Kind: llm.Failed, Error: &want})}, lines, data)
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

func TestCallsOfAStreamAreToldApart(t *testing.T) {
	stream := func(deltas ...string) []byte {
		out := ""
		for _, d := range deltas {
			out += `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + d + `]}}]}` + "\n\n"
		}
		return []byte(out)
	}
	for name, tc := range map[string]struct {
		deltas []string
		want   []string
	}{
		"by an identifier where all have one index": {
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}`},
			[]string{`opened 0: call "a" of "f" kind 0`, `delta 0: "{}"`, `opened 0: call "b" of "g" kind 0`, `delta 0: "{}"`},
		},
		"by an identifier where there is no index": {
			[]string{`{"id":"a","function":{"name":"f","arguments":"{"}}`, `{"function":{"arguments":"}"}}`, `{"id":"b","function":{"name":"g"}}`},
			[]string{`opened 0: call "a" of "f" kind 0`, `delta 0: "{"`, `delta 0: "}"`, `opened 0: call "b" of "g" kind 0`},
		},
		"an identifier that is repeated is no other call": {
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":0,"id":"a","function":{"arguments":"}"}}`},
			[]string{`opened 0: call "a" of "f" kind 0`, `delta 0: "{"`, `delta 0: "}"`},
		},
		"a name that comes late is waited for": {
			[]string{`{"index":0,"id":"a"}`, `{"index":0,"function":{"arguments":"{"}}`, `{"index":0,"function":{"name":"f","arguments":"}"}}`},
			[]string{`opened 0: call "a" of "f" kind 0`, `delta 0: "{}"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := decodeStream(ChatWire{}.DecodeStream(), stream(tc.deltas...))
			require.NoError(t, err)
			require.NotEmpty(t, lines)
			assert.Equal(t, tc.want, lines[1:])
		})
	}
	_, err := decodeStream(ChatWire{}.DecodeStream(), stream(`{"index":0,"id":"a","function":{"name":"f"}}`, `{"index":1,"id":"b","function":{"name":"g"}}`, `{"index":0,"function":{"arguments":"{}"}}`))
	require.Error(t, err, "a call that has ended does not go on")
}

func TestAStreamThatIsCutOffHasNoEnd(t *testing.T) {
	for _, tail := range []string{"", "data: [DO", `data: {"choices":[{"index":0,"delta":{"content":"b"}}`, "da", ": x"} {
		lines, err := decodeStream(ChatWire{}.DecodeStream(), []byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"+tail))
		require.NoError(t, err, tail)
		assert.Equal(t, `delta 0: "a"`, lines[len(lines)-1])
	}
	for _, bad := range []string{"x", "[]", `{"choices":[{"index":5000000}]}`, `{"a":1,"a":2}`} {
		_, err := decodeStream(ChatWire{}.DecodeStream(), []byte("data: "+bad+"\n\n"))
		require.Error(t, err, bad)
	}
}
