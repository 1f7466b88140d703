package cohere

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

var streams = map[string][]llm.Event{
	"text.sse": {
		{Kind: llm.Started, ID: "a8fc192e-4bb8-4e15-ae1f-a174e8b02ae8"},
		newOpened(newThoughtPart("", "")), delta("Hm."),
		newOpened(llm.Part{Kind: llm.TextPart}), delta("Coca"),
		{Kind: llm.Logprobs, Raw: json.RawMessage(`{"content":[{"token":"Coca","logprob":-0.5,"bytes":[67,111,99,97],"top_logprobs":[]}]}`)},
		delta("-Cola ☃"),
		{Kind: llm.Finished, Finish: llm.FinishStop},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 186, Output: 105}},
		{Kind: llm.Ended},
	},
	"tools.sse": {
		{Kind: llm.Started, ID: "fba98ad3-e5a1-413c-a8de-84fbf9baabf7"},
		newOpened(newThoughtPart(plan, "")), delta("I"), delta(" will search."),
		newOpened(calls(llm.Call{ID: "get_weather_p1t92w7gfgq7", Name: "get_weather"})), delta("{\n    \""), delta(`location": "Madrid"}`),
		newOpened(calls(llm.Call{ID: "now_1", Name: "now"})), delta(`{}`),
		{Kind: llm.Finished, Finish: llm.FinishTools},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 913, Output: 83, Cached: 900}},
		{Kind: llm.Ended},
	},
	"failed.sse": {
		{Kind: llm.Started, ID: "1"},
		newOpened(llm.Part{Kind: llm.TextPart}), delta("Half"),
		{Kind: llm.Failed, Error: &llm.Failure{Status: 500, Code: "ERROR", Message: "the model is gone"}},
	},
}

func TestAStreamIsReadHoweverItIsCut(t *testing.T) {
	for name, want := range streams {
		lf := file(t, name)
		for form, stream := range map[string][]byte{
			"as it is":            lf,
			"with CR LF":          bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n")),
			"without a last line": bytes.TrimRight(lf, "\n"),
			"in two data lines":   bytes.ReplaceAll(lf, []byte(`"delta":{`), []byte("\ndata: \"delta\":{")),
		} {
			if form == "in two data lines" {
				stream = bytes.ReplaceAll(stream, []byte(",\ndata:"), []byte("\ndata: ,"))
			}
			for _, n := range []int{0, 1, 2, 3, 7, 64, 1000} {
				got, err := collect(stream, n)
				require.NoError(t, err, name)
				assert.Equal(t, want, got, "%s %s in pieces of %d", name, form, n)
			}
		}
	}
}

func TestAStreamThatIsCutOffDoesNotEnd(t *testing.T) {
	stream := file(t, "tools.sse")
	whole := bytes.LastIndexByte(stream, '}') + 1
	for n := range whole {
		got, err := collect(stream[:n], 0)
		require.NoError(t, err)
		for _, ev := range got {
			assert.NotEqual(t, llm.Ended, ev.Kind)
		}
	}
}

func TestAStreamMayBeginInTheMiddle(t *testing.T) {
	got, err := collect([]byte("data: {\"type\":\"content-delta\",\"index\":3,\"delta\":{\"message\":{\"content\":{\"text\":\"x\"}}}}\n\n"), 0)
	require.NoError(t, err)
	assert.Equal(t, []llm.Event{{Kind: llm.Started}, newOpened(llm.Part{Kind: llm.TextPart}), delta("x")}, got)
}

func TestErrorsInAStreamFailIt(t *testing.T) {
	for body, want := range map[string]llm.Failure{
		`{"message":"overloaded"}`:                                   {Message: "overloaded"},
		`{"type":"message-end","delta":{"finish_reason":"TIMEOUT"}}`: {Status: 504, Code: "TIMEOUT"},
	} {
		got, err := collect([]byte("data: "+body+"\n\ndata: {\"type\":\"content-delta\"}\n\n"), 0)
		require.NoError(t, err)
		last := got[len(got)-1]
		assert.Equal(t, llm.Failed, last.Kind)
		assert.Equal(t, &want, last.Error)
	}
}

func TestNonsenseInAStreamIsTheProvidersFault(t *testing.T) {
	for _, body := range []string{`{`, `{"type":"content-delta","delta":[]}`, `{"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments":"{"}}}}}`} {
		_, err := collect([]byte("data: "+body+"\n\n"), 0)
		assert.Error(t, err, body)
	}
}

func TestAnErrorOfTheReaderEndsTheDecoding(t *testing.T) {
	for name, want := range streams {
		for n := range want {
			d, seen := ChatWire{}.DecodeStream(), 0
			err := d.Decode(file(t, name), func(*llm.Event) error {
				if seen++; seen > n {
					return assert.AnError
				}
				return nil
			})
			require.ErrorIs(t, err, assert.AnError)
		}
	}
}
