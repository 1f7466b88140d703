package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
)

const like = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini", "system_fingerprint": "fp_1","choices":[{"index":0,"delta":{"content":"x"}}],"usage":null}` + "\n\n"

// eventData checks that b is one event of one line of JSON, and gives it decoded.
func eventData(t *testing.T, b []byte) map[string]any {
	lo, hi, n := sse.FindData(b)
	require.Equal(t, 1, n)
	require.True(t, bytes.HasSuffix(b, []byte("\n\n")))
	var v map[string]any
	require.NoError(t, json.Unmarshal(b[lo:hi], &v), "%s", b)
	return v
}

func TestAnEventOfOursLooksLikeTheProvidersAndReadsBack(t *testing.T) {
	const text = "a \"q\" \\ \n é 😀 \u2028"
	for name, p := range map[string]core.Part{
		"content":             {Kind: core.KindText, Choice: 3},
		"a refusal":           {Kind: core.KindRefusal},
		"reasoning_content":   {Kind: core.KindReasoning},
		"reasoning":           {Kind: core.KindReasoning, Form: formReasoning},
		"arguments":           {Kind: core.KindToolArgs, Index: 2},
		"a custom tool input": {Kind: core.KindToolArgs, Index: 2, Form: formCustom},
		"a function call":     {Kind: core.KindToolArgs, Index: legacyCall},
	} {
		for _, like := range []string{like, "", ": comment\n\n", "data: [DONE]\n\n"} {
			t.Run(name, func(t *testing.T) {
				out := Chat{}.AppendDelta([]byte("before"), []byte(like), p, text)
				out = bytes.TrimPrefix(out, []byte("before"))
				v := eventData(t, out)
				if len(like) > 50 {
					assert.Equal(t, "chatcmpl-1", v["id"])
					assert.Equal(t, "fp_1", v["system_fingerprint"])
					assert.NotContains(t, v, "usage")
				}
				var ev core.Event
				ev.Reset(out)
				require.NoError(t, Chat{}.ScanEvent(&core.Exchange{}, &ev))
				require.Len(t, ev.Deltas, 1)
				assert.Equal(t, p, ev.Deltas[0].Part)
				assert.True(t, ev.HasOnlyDeltas)
				var got string
				at := ev.Deltas[0].Span
				require.NoError(t, json.Unmarshal([]byte(`"`+string(out[at.Start:at.End])+`"`), &got))
				assert.Equal(t, text, got)
			})
		}
	}
}

func TestADenialEndsAStreamAsClientsKnowItAndAFailureWithAnErrorEvent(t *testing.T) {
	denied := Chat{}.AppendEnd(nil, []byte(like), nil, &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "no"})
	head, done := denied[:bytes.Index(denied, []byte("\n\n"))+2], denied[bytes.Index(denied, []byte("\n\n"))+2:]
	assert.Equal(t, "data: [DONE]\n\n", string(done))
	choice, ok := eventData(t, head)["choices"].([]any)[0].(map[string]any)
	require.True(t, ok)
	assert.Equal(t, "content_filter", choice["finish_reason"])

	failed := Chat{}.AppendEnd(nil, nil, nil, &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Public: "it \"broke\"\n"})
	assert.NotContains(t, string(failed), "[DONE]")
	assert.Equal(
		t,
		map[string]any{"message": "it \"broke\"\n", "type": "server_error", "param": nil, "code": core.CodeUpstream},
		eventData(t, failed)["error"],
	)
}

func TestAnErrorBodyIsJSONAndHoldsNoCause(t *testing.T) {
	b := Chat{}.AppendError(
		nil,
		&core.Error{Kind: core.InvalidRequest, Code: "a\"b", Param: "messages[0].\"x\"", Public: "p\x00\"", Err: errors.New("cause")},
	)
	assert.JSONEq(t, `{"error":{"message":"p\u0000\"","type":"invalid_request_error","param":"messages[0].\"x\"","code":"a\"b"}}`, string(b))
}

func TestAProvidersErrorIsFoundWhereverItPutsIt(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}`: {"context_length_exceeded", "m"},
		`{"error":{"message":"m","type":"server_error","code":null}}`:                                            {"server_error", "m"},
		`{"error":{"message":"m","type":"rate","code":429}}`:                                                     {"rate", "m"},
		`{"error":{"message":5,"type":[],"code":"c"}}`:                                                           {"c", ""},
		`{"error":"model not loaded"}`:                                                                           {"", "model not loaded"},
		`{"object":"error","message":"m","type":"BadRequestError","param":null,"code":400}`:                      {"BadRequestError", "m"},
		`{"error":null,"message":"m"}`:                                                                           {"", "m"},
		`{"error":7}`:                                                                                            {"", ""},
		`{}`:                                                                                                     {"", ""},
		`<html>`:                                                                                                 {"", ""},
		``:                                                                                                       {"", ""},
		`[]`:                                                                                                     {"", ""},
	} {
		code, message := Chat{}.ReadError([]byte(body))
		assert.Equal(t, want, [2]string{code, message}, body)
	}
}
