package openai

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

var seeds = []string{
	bodyOfEverything, withField(`"max_tokens":5,"max_completion_tokens":5.0`), withField(`"stream":true,"stream_options":{}`),
	withField(`"parallel_tool_calls":null,"reasoning_effort":"low","max_tokens":3,"max_completion_tokens":3`),
	withField(`"max_tokens":null,"max_completion_tokens":1e1,"stream":true,"stream_options":{"include_usage":false}`),
	withMessage(`{"role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\":1234567,\"b\":\"\\u00e9\"}"}}]}`),
	`{"messages":[{"role":"user","content":"x"}], "\u006dodel" :"m", "x":12345678901234567890}`, `{}`, `[`, `{"a":1,"a":2}`,
}

// FuzzScanAgreesWithTheOracle asks an implementation that is not ours what is
// valid JSON: UTF-8, without duplicate keys.
func FuzzScanAgreesWithTheOracle(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		x, e := scanRequest(string(body))
		valid := jsontext.Value(body).IsValid()
		if e == nil {
			require.True(t, valid, "accepted, and no JSON")
			for i := range x.Request.Segments {
				_ = x.Request.ReadText(i)
				_ = x.Request.Segments[i].Path()
			}
			return
		}
		assert.Equal(t, 400, e.HTTPStatus())
		if e.Code != core.CodeInvalidJSON && e.Code != core.CodeDuplicateKey && json.Valid(body) {
			return // refused for what it says, and read to its end or to the fault
		}
		if valid {
			assert.NotEqual(t, core.CodeDuplicateKey, e.Code)
			assert.Greater(
				t,
				bytes.Count(body, []byte("["))+bytes.Count(body, []byte("{")),
				100,
				"only depth may refuse what the oracle takes: %s",
				e.Public,
			)
		}
	})
}

// FuzzForwardChangesNothingButItsFields decodes what goes in and what comes out.
func FuzzForwardChangesNothingButItsFields(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), uint8(i), int64(0), int64(100))
		f.Add([]byte(s), uint8(i+3), int64(7), int64(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, form uint8, limit, standard int64) {
		x, e := scanRequest(string(body))
		if e != nil {
			return
		}
		traits := core.Traits{
			Model: []string{x.Head.Model, "other \"model\""}[form&1], LimitField: []string{"", maxTokens, maxCompletionTokens}[form>>1%3],
			Cap: max(limit, 0), DefaultCap: max(standard, 0), StreamUsage: form&8 != 0,
			Effort: form&16 != 0, Parallel: form&32 != 0, Strict: true, Count: true,
		}
		out := forward(t, body, traits)
		require.True(t, jsontext.Value(out).IsValid(), "%s", out)
		was, is := decode(t, body), decode(t, out)
		assert.Equal(t, traits.Model, is["model"])
		if x.Head.Stream && traits.StreamUsage {
			options, ok := is["stream_options"].(map[string]any)
			require.True(t, ok)
			assert.Equal(t, true, options["include_usage"])
		}
		_, one := is[maxTokens]
		_, two := is[maxCompletionTokens]
		assert.False(t, one && two, "one limit is sent, never two")
		if traits.LimitField != "" && (one || two) {
			assert.Contains(t, is, traits.LimitField)
		}
		if options, ok := is["stream_options"].(map[string]any); ok {
			delete(options, "include_usage")
		}
		if options, ok := was["stream_options"].(map[string]any); ok {
			delete(options, "include_usage")
			assert.Equal(t, was["stream_options"], is["stream_options"], "other options stay")
		}
		left := []string{"model", maxTokens, maxCompletionTokens, "stream_options"}
		if !traits.Effort {
			assert.NotContains(t, is, "reasoning_effort")
			left = append(left, "reasoning_effort")
		}
		if !traits.Parallel {
			assert.NotContains(t, is, "parallel_tool_calls")
			left = append(left, "parallel_tool_calls")
		}
		for _, field := range left {
			delete(was, field)
			delete(is, field)
		}
		assert.Equal(t, was, is)
	})
}

func decode(t testing.TB, doc []byte) (v map[string]any) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	require.NoError(t, d.Decode(&v))
	return v
}

func FuzzAnswersAndEventsNeverPanic(f *testing.F) {
	for _, s := range append(seeds, `{"choices":[{"index":0,"delta":{"content":"x","tool_calls":[{"index":1,"function":{"arguments":"{"}}]},"logprobs":{}}]}`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		x := &core.Exchange{}
		x.Response.Raw = doc
		if err := (Chat{}).ScanResponse(x); err == nil {
			require.True(t, jsontext.Value(doc).IsValid())
			for i := range x.Response.Segments {
				_ = x.Response.ReadText(i)
			}
		}
		var ev core.Event
		ev.Reset([]byte("data: " + string(doc) + "\n\n"))
		if err := (Chat{}).ScanEvent(x, &ev); err == nil {
			body := ev.Raw
			if ev.Joined != nil {
				body = ev.Joined
			}
			for _, d := range ev.Deltas {
				require.LessOrEqual(t, d.Span.End, len(body))
				require.LessOrEqual(t, d.Span.Start, d.Span.End)
			}
		}
		_, _ = Chat{}.ReadError(doc)
		_ = Chat{}.AppendDelta(nil, ev.Raw, core.Part{}, "x")
	})
}
