package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

// openMembers are the members that ResponseResource of the Open Responses specification requires (its OpenAPI document at
// openresponses.org, read in November 2026), with the kinds of JSON that each may have.
var openMembers = map[string]string{
	"id": "string", "object": "string", "created_at": "number", "completed_at": "number null", "status": "string",
	"incomplete_details": "object null", "model": "string", "previous_response_id": "string null", "instructions": "string null",
	"output": "array", "error": "object null", "tools": "array", "tool_choice": "string object", "truncation": "string",
	"parallel_tool_calls": "bool", "text": "object", "top_p": "number", "presence_penalty": "number", "frequency_penalty": "number",
	"top_logprobs": "number", "temperature": "number", "reasoning": "object null", "usage": "object null", "max_output_tokens": "number null",
	"max_tool_calls": "number null", "store": "bool", "background": "bool", "service_tier": "string", "metadata": "object null",
	"safety_identifier": "string null", "prompt_cache_key": "string null",
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func TestTranslatedAnswersHaveWhatOpenResponsesRequires(t *testing.T) {
	check := func(t *testing.T, response map[string]any) {
		for name, kinds := range openMembers {
			v, ok := response[name]
			require.True(t, ok, name)
			assert.True(t, slices.Contains(strings.Fields(kinds), kindOf(v)), "%s is %s", name, kindOf(v))
		}
	}
	for name, r := range map[string]*llm.Request{
		"nothing is set": {Model: "m"},
		"all is set":     {Model: "m", Temperature: "0.5", TopP: "0.9", FrequencyPenalty: "0.1", PresencePenalty: "-1", TopLogprobs: "3", MaxTokens: 9},
	} {
		t.Run(name, func(t *testing.T) {
			var whole map[string]any
			answer := &llm.Response{ID: "x", Choices: []llm.Answer{{Parts: []llm.Part{{Kind: llm.TextPart, Text: "hi"}}, Finish: llm.FinishStop}}}
			require.NoError(t, json.Unmarshal(Responses{}.Encode(nil, r, answer), &whole))
			check(t, whole)
			var stream []byte
			enc := Responses{}.EncodeStream(r)
			for _, ev := range []*llm.Event{{Kind: llm.Started, ID: "x", Model: "m"}, {Kind: llm.Finished, Finish: llm.FinishStop}, {Kind: llm.Ended}} {
				stream = enc.Append(stream, ev)
			}
			n := 0
			for _, line := range bytes.Split(stream, []byte("\n")) {
				if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && bytes.Contains(data, []byte(`"response":{`)) {
					var event struct{ Response map[string]any }
					require.NoError(t, json.Unmarshal(data, &event))
					check(t, event.Response)
					n++
				}
			}
			assert.Equal(t, 3, n)
		})
	}
}
