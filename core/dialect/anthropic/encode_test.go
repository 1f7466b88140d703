package anthropic

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestAnAnswerIsWrittenInTheShape(t *testing.T) {
	r := &llm.Request{Model: "routed"}
	a := &llm.Response{
		ID: "chatcmpl-1", Model: "gpt", Usage: llm.Usage{Reported: true, Input: 15, Output: 7, Cached: 3, Written: 2, Reasoning: 4},
		Choices: []llm.Answer{{Finish: llm.FinishStop, Parts: []llm.Part{
			{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "hm", Signature: "sig"}},
			{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Encrypted: "red"}},
			{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "unsigned"}},
			{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "deepseek", Text: "hm"}},
			{Kind: llm.ImagePart, Image: &llm.Image{Data: "x"}},
			llm.NewText("a \"b\""),
			{Kind: llm.RefusalPart, Text: "no"},
			{Kind: llm.CallPart, Call: &llm.Call{ID: "call_1", Name: "f", Input: `{"a": 1.0}`}},
			{Kind: llm.CallPart, Call: &llm.Call{ID: "call_2", Name: "g", Input: "", Signature: "s"}},
			{Kind: llm.CallPart, Call: &llm.Call{ID: "call_3", Name: "h", Input: `{"a"`}},
		}}},
	}
	body := Messages{}.Encode([]byte("x"), r, a)
	require.True(t, json.Valid(body[1:]))
	assert.Equal(
		t,
		`x{"id":"chatcmpl-1","type":"message","role":"assistant","model":"gpt","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"red"},{"type":"text","text":"a \"b\""},{"type":"text","text":"no"},`+
			`{"type":"tool_use","id":"call_1","name":"f","input":{"a": 1.0}},{"type":"tool_use","id":"call_2","name":"g","input":{}},{"type":"tool_use","id":"call_3","name":"h","input":{"input":"{\"a\""}}],"stop_reason":"tool_use","stop_sequence":null,`+
			`"usage":{"input_tokens":10,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":7,"output_tokens_details":{"thinking_tokens":4}}}`,
		string(body),
	)
	assert.Equal(t, []string{"reasoning", "image", "thought_signature"}, r.Dropped)

	x := &core.Exchange{}
	x.Response.Raw = body[1:]
	require.NoError(t, Messages{}.ScanResponse(x))
	assert.Equal(t, a.Usage, x.Usage)
	assert.Len(t, x.Response.Segments, 5)
}

func TestWhatAProviderDoesNotTellIsMadeUp(t *testing.T) {
	a := &llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{Name: "f"}}}}}}
	body := Messages{}.Encode(nil, &llm.Request{Model: "m"}, a)
	assert.Regexp(
		t,
		`^\{"id":"msg_[0-9a-f]{24}","type":"message","role":"assistant","model":"m","content":\[\{"type":"tool_use","id":"toolu_[0-9a-f]{24}","name":"f","input":\{\}\}\]`,
		string(body),
	)
	body = Messages{}.Encode(nil, &llm.Request{Model: "m"}, &llm.Response{ID: "i"})
	want := `{"id":"i","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}`
	assert.Equal(t, want, string(body))
}

func TestWhyAnAnswerEndedIsWritten(t *testing.T) {
	call := []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{ID: "c", Name: "f"}}}
	for name, tc := range map[string]struct {
		answer         llm.Answer
		reason, stopAt string
	}{
		"by itself":                    {llm.Answer{Finish: llm.FinishStop}, "end_turn", "null"},
		"unsaid":                       {llm.Answer{}, "end_turn", "null"},
		"at a stop sequence":           {llm.Answer{Finish: llm.FinishStop, StopSequence: "\n"}, "stop_sequence", `"\n"`},
		"at the limit":                 {llm.Answer{Finish: llm.FinishLength, Parts: call}, "max_tokens", "null"},
		"for tools":                    {llm.Answer{Finish: llm.FinishTools, Parts: call}, "tool_use", "null"},
		"for tools, said or not":       {llm.Answer{Finish: llm.FinishStop, StopSequence: "x", Parts: call}, "tool_use", "null"},
		"by a filter":                  {llm.Answer{Finish: llm.FinishFiltered}, "refusal", "null"},
		"because the model would not":  {llm.Answer{Finish: llm.FinishRefusal}, "refusal", "null"},
		"for tools that no part shows": {llm.Answer{Finish: llm.FinishTools}, "tool_use", "null"},
	} {
		t.Run(name, func(t *testing.T) {
			body := Messages{}.Encode(nil, &llm.Request{}, &llm.Response{ID: "i", Choices: []llm.Answer{tc.answer}})
			assert.Contains(t, string(body), `"stop_reason":"`+tc.reason+`","stop_sequence":`+tc.stopAt+`,"usage"`)
		})
	}
}

// encodeStream writes a stream that was decoded from body.
func encodeStream(t testing.TB, body []byte) []byte {
	s := Messages{}.EncodeStream(&llm.Request{Model: "m"})
	var out []byte
	d := MessagesWire{}.DecodeStream()
	emit := func(ev *llm.Event) error {
		out = s.Append(out, ev)
		return nil
	}
	require.NoError(t, d.Decode(body, emit))
	require.NoError(t, d.Close(emit))
	return out
}

func TestAStreamIsWrittenAsAnthropicWritesIt(t *testing.T) {
	for name, body := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			out := encodeStream(t, body)
			compareGolden(t, filepath.Join("streams", name+".out.sse.txt"), out)
			assert.Equal(t, string(out), string(encodeStream(t, out)), "what is read of it again is the same")
			x, e := scanRequest(withField(`"stream":true`))
			require.Nil(t, e)
			var s sse.Splitter
			require.NoError(t, s.Write(out))
			var ev core.Event
			for raw := s.Next(); raw != nil; raw = s.Next() {
				ev.Reset(raw)
				require.NoError(t, Messages{}.ScanEvent(x, &ev))
			}
			assert.Empty(t, s.Rest())
			assert.True(t, ev.Done || ev.Failed)
		})
	}
}

func TestAStreamOfAnotherShapeIsWrittenWhole(t *testing.T) {
	r := &llm.Request{Model: "m"}
	s := Messages{}.EncodeStream(r)
	var out []byte
	for _, ev := range []llm.Event{
		{Kind: llm.Opened, Part: llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "deepseek"}}},
		{Kind: llm.Delta, Text: "hm"},
		{Kind: llm.Signed, Text: "x"},
		{Kind: llm.Started, ID: "late"},
		{Kind: llm.Opened, Part: llm.Part{Kind: llm.TextPart}},
		{Kind: llm.Delta, Text: "a"},
		{Kind: llm.Logprobs, Raw: json.RawMessage(`{}`)},
		{Kind: llm.Delta, Choice: 1, Text: "another answer"},
		{Kind: llm.Opened, Part: llm.Part{Kind: llm.RefusalPart}},
		{Kind: llm.Delta, Text: "b"},
		{Kind: llm.Opened, Part: llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "c", Name: "f"}}},
		{Kind: llm.Delta, Text: "{}"},
		{Kind: llm.Signed, Text: "thought"},
		{Kind: llm.Finished, Finish: llm.FinishStop},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 5, Output: 3, Cached: 1}},
		{Kind: llm.Ended},
		{Kind: llm.Delta, Text: "too late"},
	} {
		out = s.Append(out, &ev)
	}
	out = regexp.MustCompile(`msg_[0-9a-f]{24}`).ReplaceAll(out, []byte("msg_x"))
	assert.Equal(t, `event: message_start
data: {"type":"message_start","message":{"id":"msg_x","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"b"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":1,"output_tokens":3}}

event: message_stop
data: {"type":"message_stop"}

`, string(out))
	assert.Equal(t, []string{"reasoning", "thought_signature"}, r.Dropped)
}

func TestAProvidersFailureBecomesAnErrorEvent(t *testing.T) {
	for want, f := range map[string]*llm.Failure{
		`{"type":"error","error":{"type":"rate_limit_error","message":"slow down","code":"rate_limit_exceeded"}}`:                       {Status: 429, Code: "rate_limit_exceeded", Message: "slow down"},
		`{"type":"error","error":{"type":"api_error","message":"the provider ended the stream with an error","code":"upstream_error"}}`: {},
	} {
		s := Messages{}.EncodeStream(&llm.Request{})
		assert.Equal(t, "event: error\ndata: "+want+"\n\n", string(s.Append(nil, &llm.Event{Kind: llm.Failed, Error: f})))
		assert.Empty(t, s.Append(nil, &llm.Event{Kind: llm.Ended}))
	}
}
