package gemini

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func scanAnswer(body string) (*core.Exchange, error) {
	x := &core.Exchange{}
	x.Response.Raw = []byte(body)
	return x, Generate{}.ScanResponse(x)
}

func TestTheTextsOfAWholeAnswerAreFound(t *testing.T) {
	x, err := scanAnswer(
		`{"candidates":[{"content":{"parts":[{"text":"T1","thought":true},{"text":"Q","thought":true,"thoughtSignature":"Q"},{"text":"T2","thoughtSignature":"Q"},{"text":"T3"},
{"functionCall":{"id":"Q","name":"Q","args":{"a":"T4","n":1234567}}},{"executableCode":{"language":"Q","code":"T5"}},{"codeExecutionResult":{"outcome":"Q","output":"T6"}},{"inlineData":{"mimeType":"Q","data":"Q"}}],"role":"Q"},
"finishReason":"Q","logprobsResult":{"chosenCandidates":[{"token":"Q"}]},"groundingMetadata":{"groundingSupports":[{"segment":{"text":"T7"}}]},"citationMetadata":{"citationSources":[{"uri":"Q"}]}}],
"usageMetadata":{"promptTokenCount":10,"toolUsePromptTokenCount":2,"candidatesTokenCount":5,"thoughtsTokenCount":"7","cachedContentTokenCount":4,"totalTokenCount":24},"modelVersion":"Q"}`,
	)
	require.NoError(t, err)
	var got []string
	for i := range x.Response.Segments {
		got = append(got, x.Response.ReadText(i))
	}
	assert.Equal(t, []string{"T1", "T2", "T3", "a", "T4", "n", "1234567", "T5", "T6", "T7"}, got)
	assert.Equal(t, core.KindReasoning, x.Response.Segments[0].Kind)
	assert.True(t, x.Response.Segments[2].Joined, "a reader puts the two texts together")
	assert.Len(t, x.Response.Tied, 1)
	u := x.Usage
	assert.Equal(t, []int64{12, 12, 4, 7}, []int64{u.Input, u.Output, u.Cached, u.Reasoning})
}

func TestAnAnswerThatIsNoneIsAnError(t *testing.T) {
	for _, body := range []string{``, `x`, `[]`, `{"candidates":[}`, `{"a":1,"a":2}`, `{}{}`} {
		_, err := scanAnswer(body)
		assert.Error(t, err, body)
		var ev core.Event
		ev.Reset([]byte("data: " + body + "\n\n"))
		if body != "" {
			assert.Error(t, Generate{}.ScanEvent(&core.Exchange{}, &ev), body)
		}
	}
	for _, body := range []string{`{}`, `{"candidates":{}}`, `{"candidates":[1,{"content":[],"index":"x"},{"content":{"parts":[2,{"text":1,"functionCall":[]}]}}],"usageMetadata":[]}`, `{"error":null}`} {
		_, err := scanAnswer(body)
		assert.NoError(t, err, body)
		var ev core.Event
		ev.Reset([]byte("data: " + body + "\n\n"))
		assert.NoError(t, Generate{}.ScanEvent(&core.Exchange{}, &ev), body)
		assert.False(t, ev.Failed)
	}
}

const like = `data: {"candidates": [{"content": {"parts": [{"text": "x"}],"role": "model"},"index": 0}],"modelVersion": "gemini-3.7-flash","responseId": "r1"}` + "\r\n\r\n"

func TestAnEventOfOursLooksLikeTheProvidersAndReadsBack(t *testing.T) {
	const text = "a \"q\" \\ \n é 😀 \u2028"
	for _, p := range []core.Part{{Kind: core.KindText, Choice: 3}, {Kind: core.KindReasoning}} {
		for _, like := range []string{like, "", ": comment\n\n"} {
			out := Generate{}.AppendDelta(nil, []byte(like), p, text)
			var ev core.Event
			ev.Reset(out)
			require.NoError(t, Generate{}.ScanEvent(&core.Exchange{}, &ev))
			require.Len(t, ev.Deltas, 1)
			assert.Equal(t, p, ev.Deltas[0].Part)
			assert.True(t, ev.HasOnlyDeltas)
			at := ev.Deltas[0].Span
			var got string
			require.NoError(t, json.Unmarshal([]byte(`"`+string(out[at.Start:at.End])+`"`), &got))
			assert.Equal(t, text, got)
			assert.Equal(t, len(like) > 50, strings.Contains(string(out), `"responseId":"r1"`))
		}
	}
	assert.Empty(t, Generate{}.AppendDelta(nil, []byte(like), core.Part{Kind: core.KindToolArgs}, "x"))
}

func TestAnErrorHasGooglesShapeAndHoldsNoCause(t *testing.T) {
	b := Generate{}.AppendError(
		nil,
		&core.Error{Kind: core.InvalidRequest, Code: "a\"b", Param: "contents[0].\"x\"", Public: "p\x00\"", Err: errors.New("cause")},
	)
	assert.JSONEq(t, `{"error":{"code":400,"message":"p\u0000\"","status":"INVALID_ARGUMENT","details":[
{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"a\"b","domain":"headgate","metadata":{"type":"invalid_request_error","field":"contents[0].\"x\""}}]}}`, string(b))
	b = Generate{}.AppendError(
		nil,
		&core.Error{Kind: core.RateLimited, Code: "rate_limit_exceeded", Public: "slow", RetryAfter: 1500 * time.Millisecond},
	)
	assert.Contains(t, string(b), `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}`)
	assert.True(t, json.Valid(b))
	for status, name := range map[int]string{
		400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 405: "UNIMPLEMENTED", 409: "ABORTED", 413: "INVALID_ARGUMENT",
		429: "RESOURCE_EXHAUSTED", 499: "CANCELLED", 500: "INTERNAL", 502: "UNAVAILABLE", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
	} {
		assert.Equal(t, name, nameStatus(status), "%+v", status)
	}
}

func TestALateEndIsAnErrorEvent(t *testing.T) {
	for _, kind := range []core.Kind{core.ContentFiltered, core.BadGateway} {
		out := Generate{}.AppendEnd(nil, []byte(like), nil, &core.Error{Kind: kind, Code: "c", Public: "no"})
		var ev core.Event
		ev.Reset(out)
		require.NoError(t, Generate{}.ScanEvent(&core.Exchange{}, &ev))
		assert.True(t, ev.Failed)
	}
}

func TestAProvidersErrorIsRead(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[]}}`: {"RESOURCE_EXHAUSTED", "You exceeded your current quota."},
		`[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`:                                           {"INVALID_ARGUMENT", "bad"},
		`{"error":{"code":"x","message":5,"status":null}}`:                                                               {"", ""},
		`{"error":"text"}`: {"", ""},
		`<html>`:           {"", ""},
		`[]`:               {"", ""},
	} {
		code, message := GenerateWire{}.ReadError([]byte(body))
		assert.Equal(t, want, [2]string{code, message}, body)
	}
}

func TestEventsBecomeTheElementsOfAnArray(t *testing.T) {
	body := ": waiting\n\n" + transcripts(t)["tools"] + "data: {\"a\":\ndata: 1}\n\n" + `data: {"last":true}`
	var w ArrayWriter
	whole, err := w.Append(nil, []byte(body))
	require.NoError(t, err)
	whole = w.Close(whole)
	var elements []map[string]any
	require.NoError(t, json.Unmarshal(whole, &elements))
	assert.Len(t, elements, 6)
	assert.Equal(t, map[string]any{"a": 1.0}, elements[4])
	for i := range len(body) {
		var w ArrayWriter
		out, err := w.Append(nil, []byte(body[:i]))
		require.NoError(t, err)
		out, err = w.Append(out, []byte(body[i:]))
		require.NoError(t, err)
		require.Equal(t, string(whole), string(w.Close(out)), "cut at %d", i)
	}
	assert.Equal(t, "[]", string(new(ArrayWriter).Close(nil)))
	assert.Contains(t, w.ContentType(), "application/json")
}
