package proxy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rows of "Chat completion request", each passed through unchanged and translated to another shape.
func TestEachFieldOfAChatRequestReachesTheProvider(t *testing.T) {
	const format = `"response_format":{"type":"json_schema","json_schema":{"name":"city","schema":{"type":"object","properties":{"city":{"type":"string"}}}}}`
	const twoTools = `"tools":[{"type":"function","function":{"name":"f","description":"does","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g","parameters":{"type":"object"}}}]`
	var rulings []ruling
	for _, c := range []struct {
		member string
		sent   map[string]string // by provider, the field it is sent; "-": left out
		omits  string            // the name of the field that is left out
	}{
		{`"temperature":0.70`, map[string]string{"anthropic": `"temperature":0.70`, "gemini": `"temperature":0.70`, "bedrock": `"temperature":0.70`, "ollama": `"temperature":0.70`}, ""},
		{`"top_p":0.50`, map[string]string{"anthropic": `"top_p":0.50`, "gemini": `"topP":0.50`, "bedrock": `"topP":0.50`, "ollama": `"top_p":0.50`}, ""},
		{`"frequency_penalty":0.10`, map[string]string{"anthropic": "-", "gemini": "-", "bedrock": "-", "ollama": `"frequency_penalty":0.10`}, "frequency_penalty"},
		{`"presence_penalty":-0.10`, map[string]string{"anthropic": "-", "gemini": "-", "bedrock": "-", "ollama": `"presence_penalty":-0.10`}, "presence_penalty"},
		{`"n":1`, map[string]string{"anthropic": `"x"`, "gemini": `"x"`, "bedrock": `"x"`, "ollama": `"x"`}, ""},
		{`"user":"ann-7"`, map[string]string{"anthropic": `"metadata":{"user_id":"ann-7"}`, "gemini": "-", "bedrock": "-", "ollama": "-"}, "user"},
		{`"stop":["END"]`, map[string]string{"anthropic": `"stop_sequences":["END"]`, "gemini": `"stopSequences":["END"]`, "bedrock": `"stopSequences":["END"]`, "ollama": `"stop":["END"]`}, ""},
		{`"stop":"END"`, map[string]string{"anthropic": `"stop_sequences":["END"]`, "gemini": `"stopSequences":["END"]`, "bedrock": `"stopSequences":["END"]`, "ollama": `"stop":["END"]`}, ""},
		{`"seed":7`, map[string]string{"anthropic": "-", "gemini": `"seed":7`, "bedrock": "-", "ollama": `"seed":7`}, "seed"},
		{twoTools, map[string]string{"anthropic": `"input_schema":{"type":"object"}`, "gemini": `"functionDeclarations":[`, "bedrock": `"toolSpec":{"name":"f"`, "ollama": `"function":{"name":"f"`}, ""},
		{twoTools + `,"tool_choice":"auto"`, map[string]string{"anthropic": `"tool_choice":{"type":"auto"}`, "gemini": `"mode":"AUTO"`, "bedrock": `"toolChoice":{"auto":{}}`, "ollama": `"tools"`}, ""},
		{twoTools + `,"tool_choice":"required"`, map[string]string{"anthropic": `"tool_choice":{"type":"any"}`, "gemini": `"mode":"ANY"`, "bedrock": `"toolChoice":{"any":{}}`}, ""},
		{twoTools + `,"tool_choice":{"type":"function","function":{"name":"g"}}`, map[string]string{"anthropic": `"tool_choice":{"type":"tool","name":"g"}`, "gemini": `"allowedFunctionNames":["g"]`, "bedrock": `"toolChoice":{"tool":{"name":"g"}}`}, ""},
		{format, map[string]string{"anthropic": `"properties":{"city":{"type":"string"}}`, "gemini": `"properties":{"city":{"type":"string"}}`, "bedrock": `"properties":{"city":{"type":"string"}}`, "ollama": `"format":{"type":"object"`}, ""},
		{`"response_format":{"type":"json_object"}`, map[string]string{"gemini": `"responseMimeType":"application/json"`, "ollama": `"format":"json"`}, ""},
	} {
		rulings = append(
			rulings,
			ruling{
				sentence: c.member + " passes",
				provider: "openai",
				model:    "gpt-4.1",
				path:     "/v1/chat/completions",
				body:     asksChat(c.member),
				asSent:   true,
			},
		)
		for p, want := range c.sent {
			r := ruling{
				sentence: c.member + " is translated",
				provider: p,
				path:     "/v1/chat/completions",
				body:     asksChat(c.member),
				sent:     []string{want},
			}
			if want == "-" {
				r.sentence, r.sent, r.omits = c.member+" is left out", []string{`"x"`}, []string{c.omits}
				r.unsent = []string{c.omits}
				if c.omits == "user" {
					r.unsent = []string{"ann-7"}
				}
			}
			rulings = append(rulings, r)
		}
	}
	tryAll(t, rulings)
}

// "Response: id, object, created, model, choices, usage", and the chunks of a stream,
// from every wire.
func TestAChatAnswerHasTheFieldsOfTheSpecification(t *testing.T) {
	for _, v := range vendors {
		for _, m := range []manner{wholly, streamed} {
			t.Run(v.name+"/"+string(m), func(t *testing.T) {
				c := newColumn(t, v)
				body := strings.Replace(shapesOf[0].request(t, "plain"), `"MODEL"`, `"`+c.modelFor(shapesOf[0], "plain")+`"`, 1)
				if m == streamed {
					body = strings.Replace(body, `"stream":false`, `"stream":true`, 1)
				}
				c.fake.say("plain", m)
				a := c.g.callPath("/v1/chat/completions", body)
				require.Equal(t, 200, a.status, a.body)
				if m == wholly {
					var v struct {
						ID      string
						Object  string
						Created int64
						Model   string
						Choices []struct {
							Index        *int
							Message      struct{ Role, Content string }
							FinishReason string `json:"finish_reason"`
						}
						Usage struct {
							Prompt     int `json:"prompt_tokens"`
							Completion int `json:"completion_tokens"`
							Total      int `json:"total_tokens"`
						}
					}
					require.NoError(t, json.Unmarshal([]byte(a.body), &v))
					assert.NotEmpty(t, v.ID)
					assert.Equal(t, "chat.completion", v.Object)
					assert.Positive(t, v.Created)
					assert.NotEmpty(t, v.Model)
					require.Len(t, v.Choices, 1)
					assert.Equal(t, 0, *v.Choices[0].Index)
					assert.Equal(t, "assistant", v.Choices[0].Message.Role)
					assert.NotEmpty(t, v.Choices[0].Message.Content)
					assert.Equal(t, "stop", v.Choices[0].FinishReason)
					assert.Equal(t, v.Usage.Prompt+v.Usage.Completion, v.Usage.Total)
					return
				}
				assert.Contains(t, a.header.Get("Content-Type"), "text/event-stream")
				rest, ended := strings.CutSuffix(a.body, "data: [DONE]\n\n")
				require.True(t, ended, "the stream ends with [DONE]: %q", a.body)
				chunks := strings.Split(strings.TrimSuffix(rest, "\n\n"), "\n\n")
				text, finished := "", ""
				for i, chunk := range chunks {
					data, ok := strings.CutPrefix(chunk, "data: ")
					require.True(t, ok, "each event is one data line: %q", chunk)
					require.NotContains(t, data, "\n")
					var v struct {
						ID      string
						Object  string
						Created int64
						Choices []struct {
							Delta        struct{ Content string }
							FinishReason *string `json:"finish_reason"`
						}
					}
					require.NoError(t, json.Unmarshal([]byte(data), &v))
					assert.Equal(t, "chat.completion.chunk", v.Object)
					assert.NotEmpty(t, v.ID)
					assert.Positive(t, v.Created)
					for _, c := range v.Choices {
						text += c.Delta.Content
						assert.Empty(t, finished, "finish_reason is null until the end (chunk %d)", i)
						if c.FinishReason != nil {
							finished = *c.FinishReason
						} else {
							assert.Contains(t, data, `"finish_reason":null`)
						}
					}
				}
				assert.NotEmpty(t, text)
				assert.Equal(t, "stop", finished)
			})
		}
	}
}
