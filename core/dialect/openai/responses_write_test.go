package openai

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestADeltaIsLikeTheLastOfItsPart(t *testing.T) {
	got := Responses{}.AppendDelta([]byte("before "), []byte(responsesDelta), core.Part{}, "a \"b\"\n")
	assert.Equal(t, "before event: response.output_text.delta\n"+
		`data: {"type":"response.output_text.delta","item_id":"msg_123","output_index":0,"content_index":0,"sequence_number":4,"delta":"a \"b\"\n","logprobs":[]}`+"\n\n", string(got))
	assert.Empty(t, Responses{}.AppendDelta(nil, nil, core.Part{}, "x"), "there is nothing to be like")
}

func TestAStreamThatIsCutEndsAsClientsExpect(t *testing.T) {
	const like = `data: {"type":"response.created","response":{"id":"resp_1","object":"response","created_at":5,"status":"in_progress","model":"m","output":[],"error":null},"sequence_number":0}` + "\n\n"
	denied := &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "no"}
	failed := &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Public: `it "broke"`}
	assert.Equal(t, "event: response.incomplete\n"+
		`data: {"type":"response.incomplete","response":{"id":"resp_1","object":"response","created_at":5,"model":"m","output":[],"status":"incomplete","error":null,"incomplete_details":{"reason":"content_filter"}},"sequence_number":5}`+"\n\n",
		string(Responses{}.AppendEnd(nil, []byte(like), []byte(responsesDelta), denied)))
	assert.Equal(t, "event: response.failed\n"+
		`data: {"type":"response.failed","response":{"id":"resp_1","object":"response","created_at":5,"model":"m","output":[],"status":"failed","error":{"code":"upstream_error","message":"it \"broke\""},"incomplete_details":null},"sequence_number":1}`+"\n\n",
		string(Responses{}.AppendEnd(nil, []byte(like), []byte(like), failed)))
	assert.Equal(
		t,
		"event: error\n"+`data: {"type":"error","code":"upstream_error","message":"it \"broke\"","param":null,"sequence_number":0}`+"\n\n",
		string(Responses{}.AppendEnd(nil, nil, nil, failed)),
		"when nothing has been announced",
	)
	for _, end := range [][]byte{Responses{}.AppendEnd(nil, []byte(like), nil, failed), Responses{}.AppendEnd(nil, nil, nil, failed)} {
		var ev core.Event
		ev.Reset(end)
		require.NoError(t, Responses{}.ScanEvent(&core.Exchange{}, &ev))
		assert.True(t, ev.Failed)
	}
	assert.JSONEq(
		t,
		`{"error":{"message":"no","type":"invalid_request_error","param":null,"code":"content_filter"}}`,
		string(Responses{}.AppendError(nil, denied)),
	)
}

// encodeAndDecode encodes events and decodes what a client would.
func encodeAndDecode(t testing.TB, r *llm.Request, events ...llm.Event) (string, []llm.Event) {
	e := Responses{}.EncodeStream(r)
	var out []byte
	for i := range events {
		out = e.Append(out, &events[i])
	}
	_, got := decodeResponsesStream(t, out)
	return string(out), got
}

func newOpened(p llm.Part) llm.Event  { return llm.Event{Kind: llm.Opened, Part: p} }
func delta(text string) llm.Event     { return llm.Event{Kind: llm.Delta, Text: text} }
func openedCall(c llm.Call) llm.Event { return newOpened(llm.Part{Kind: llm.CallPart, Call: &c}) }

func TestAnAnswerOfAnotherShapeIsStreamedInThisOne(t *testing.T) {
	out, got := encodeAndDecode(
		t,
		&llm.Request{Model: "m"},
		llm.Event{Kind: llm.Started, ID: "chatcmpl-1", Model: "claude", Created: 7},
		newOpened(
			llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic"}},
		),
		delta("hmm"),
		llm.Event{Kind: llm.Signed, Text: "sealed"},
		newOpened(llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Encrypted: "sealed"}}),
		newOpened(
			llm.Part{Kind: llm.TextPart},
		),
		delta("he"),
		llm.Event{Kind: llm.Logprobs, Raw: json.RawMessage(`{"content":[{"token":"he"}],"refusal":null}`)},
		delta("y"),
		newOpened(llm.Part{Kind: llm.TextPart}),
		delta("more"),
		newOpened(llm.Part{Kind: llm.TextPart}),
		openedCall(llm.Call{ID: "c1", Namespace: "crm", Name: "get"}),
		delta(`{"a"`),
		delta(`:1}`),
		llm.Event{Kind: llm.Signed, Text: "sealed"},
		openedCall(llm.Call{Kind: llm.CustomTool, Name: "sql"}),
		delta("SELECT 1"),
		openedCall(llm.Call{ID: "c3", Kind: llm.SearchTool, Name: "tool_search"}),
		delta(`{"goal":`),
		delta(`"x"}`),
		llm.Event{Kind: llm.Delta, Choice: 1, Text: "of another answer"},
		llm.Event{
			Kind:   llm.Finished,
			Finish: llm.FinishTools,
		},
		llm.Event{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 3, Output: 4}},
		llm.Event{Kind: llm.Ended},
		delta("nothing comes after the end"),
	)
	a := llm.Answer{}
	for i := range got {
		switch ev := &got[i]; ev.Kind {
		case llm.Opened:
			a.Parts = append(a.Parts, ev.Part)
		case llm.Delta:
			p := &a.Parts[len(a.Parts)-1]
			switch p.Kind {
			case llm.CallPart:
				p.Call.Input += ev.Text
			case llm.ReasoningPart:
				p.Reasoning.Text += ev.Text
			default:
				p.Text += ev.Text
			}
		case llm.Finished:
			a.Finish = ev.Finish
		}
	}
	require.Len(t, a.Parts, 6)
	assert.Equal(t, "hmm", a.Parts[0].Reasoning.Text)
	assert.Equal(t, "hey", a.Parts[1].Text)
	assert.Equal(t, "more", a.Parts[2].Text)
	assert.Equal(t, &llm.Call{ID: "c1", Namespace: "crm", Name: "get", Input: `{"a":1}`}, a.Parts[3].Call)
	assert.Equal(t, "SELECT 1", a.Parts[4].Call.Input)
	assert.NotEmpty(t, a.Parts[4].Call.ID, "a call without an id gets one")
	assert.Equal(t, &llm.Call{ID: "c3", Kind: llm.SearchTool, Name: "tool_search", Input: `{"goal":"x"}`}, a.Parts[5].Call)
	assert.Equal(t, llm.FinishTools, a.Finish)
	assert.NotContains(t, out, "sealed")
	assert.NotContains(t, out, "nothing comes")
	assert.NotContains(t, out, "of another")
	assert.Contains(t, out, `"id":"resp_chatcmpl-1"`)
	assert.Contains(t, out, `"text":"hey","logprobs":[{"token":"he"}]`)
	assert.Contains(t, out, `"execution":"client","arguments":{"goal":"x"}`)
}

func TestAnEncodedStreamEndsForItsReason(t *testing.T) {
	text := []llm.Event{{Kind: llm.Started, ID: "x"}, newOpened(llm.Part{Kind: llm.TextPart}), delta("x")}
	for want, finish := range map[string]llm.Finish{
		`"response":{"id":"resp_x","object":"response","created_at"`: llm.FinishStop,
		`"incomplete_details":{"reason":"max_output_tokens"}`:        llm.FinishLength,
		`"incomplete_details":{"reason":"content_filter"}`:           llm.FinishFiltered,
	} {
		out, got := encodeAndDecode(t, &llm.Request{}, append(text[:3:3], llm.Event{Kind: llm.Finished, Finish: finish}, llm.Event{Kind: llm.Ended})...)
		assert.Contains(t, out, want)
		assert.Equal(t, finish, got[len(got)-2].Finish)
	}
	out, got := encodeAndDecode(
		t,
		&llm.Request{},
		append(text[:3:3], llm.Event{Kind: llm.Failed, Error: &llm.Failure{Status: 529, Message: "busy"}})...)
	assert.Contains(t, out, "event: response.failed\n")
	assert.Equal(t, "server_error", got[len(got)-1].Error.Code, "a failure without a code gets the general one")
	for _, status := range []int{400, 401, 403, 404, 429, 500, 503, 504} {
		_, got = encodeAndDecode(t, &llm.Request{}, append(text[:3:3], llm.Event{Kind: llm.Failed, Error: &llm.Failure{Status: status}})...)
		assert.Equal(t, status, got[len(got)-1].Error.Status, "the status survives")
	}
	out, _ = encodeAndDecode(t, &llm.Request{}, text...)
	assert.NotContains(t, out, "response.completed", "what was cut off has no end")
}

func TestACallsInputThatIsNoJSONStaysText(t *testing.T) {
	out := Responses{}.Encode(nil, &llm.Request{}, &llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{
		{
			Kind: llm.CallPart,
			Call: &llm.Call{ID: "c", Kind: llm.SearchTool, Input: `{"goal`},
		},
		{Kind: llm.CallPart, Call: &llm.Call{ID: "d", Kind: llm.SearchTool}},
	}}}})
	require.True(t, json.Valid(out), "%s", out)
	assert.Contains(t, string(out), `"arguments":"{\"goal"`)
	assert.Contains(t, string(out), `"arguments":{}`)
}
