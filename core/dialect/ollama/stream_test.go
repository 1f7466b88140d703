package ollama

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

var streams = map[string][]llm.Event{
	"text.ndjson": {
		{Kind: llm.Started, Model: "qwen3", Created: 1751919739},
		newOpened(newThoughtPart("")), delta("Let me "), delta("see."),
		newOpened(llm.Part{Kind: llm.TextPart}), delta("The ☀"),
		{Kind: llm.Logprobs, Raw: json.RawMessage(`{"content":[{"token":"The","logprob":-0.5,"bytes":[84,104,101],"top_logprobs":[]}]}`)},
		delta(` "shines".`),
		{Kind: llm.Finished, Finish: llm.FinishLength},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 26, Output: 282}},
		{Kind: llm.Ended},
	},
	"tools.ndjson": {
		{Kind: llm.Started, Model: "llama3.2", Created: 1751919739},
		newOpened(llm.Part{Kind: llm.TextPart}), delta("Looking."),
		newOpened(calls(llm.Call{ID: "call_1", Name: "get_weather"})), delta(`{"city":"Tokyo"}`),
		newOpened(calls(llm.Call{ID: "call_3kut9caeopry6_1", Name: "now"})), delta(`{}`),
		{Kind: llm.Finished, Finish: llm.FinishTools},
		{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true, Input: 169, Output: 15}},
		{Kind: llm.Ended},
	},
	"failed.ndjson": {
		{Kind: llm.Started, Model: "llama3.2", Created: 1751919739},
		newOpened(llm.Part{Kind: llm.TextPart}), delta("Half"),
		{Kind: llm.Failed, Error: &llm.Failure{Status: 500, Message: "an error was encountered while running the model: CUDA error"}},
	},
}

func TestAStreamIsReadHoweverItIsCut(t *testing.T) {
	for name, want := range streams {
		lf := file(t, name)
		for form, stream := range map[string][]byte{
			"as it is":              lf,
			"with CR LF":            bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n")),
			"without a last line":   bytes.TrimRight(lf, "\n"),
			"with lines in between": bytes.ReplaceAll(lf, []byte("\n"), []byte("\n \n\n")),
		} {
			for _, n := range []int{0, 1, 2, 3, 7, 64, 1000} {
				got, err := collect(stream, n)
				require.NoError(t, err, name)
				assert.Equal(t, want, got, "%s %s in pieces of %d", name, form, n)
			}
		}
	}
}

func TestAStreamThatIsCutOffDoesNotEnd(t *testing.T) {
	stream := bytes.TrimSpace(file(t, "tools.ndjson"))
	for n := range stream {
		got, err := collect(stream[:n], 0)
		require.NoError(t, err)
		for _, ev := range got {
			assert.NotEqual(t, llm.Ended, ev.Kind)
		}
	}
}

func TestAnErrorLineTellsItsStatus(t *testing.T) {
	got, err := collect([]byte(`{"error":"too busy","status":429}`+"\n"+`{"message":{"content":"x"}}`+"\n"), 0)
	require.NoError(t, err)
	assert.Equal(t, []llm.Event{{Kind: llm.Failed, Error: &llm.Failure{Status: 429, Message: "too busy"}}}, got)
}

func TestALineDoesNotSeeWhatAnotherHeld(t *testing.T) {
	got, err := collect([]byte(`{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":{"a":1}}}]}}`+"\n"+
		`{"message":{"tool_calls":[{"function":{}}]}}`+"\n"), 0)
	require.NoError(t, err)
	require.Len(t, got, 5)
	assert.Empty(t, got[3].Part.Call.Name)
	assert.Equal(t, delta("{}"), got[4])
}

func TestNonsenseInAStreamIsTheProvidersFault(t *testing.T) {
	for _, line := range []string{`{`, `[]`, `{"message":[]}`, "data: {}", strings.Repeat(" ", maxLine+1)} {
		_, err := collect([]byte(line), 0)
		if len(line) < 100 {
			_, err = collect([]byte(line+"\n"), 0)
		}
		require.Error(t, err)
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
