package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const matrixImage = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

// mark is where a wire says something: paths into the body, the values at which are taken
// one after the other. * is every element, [k=v] those with such a member, # the
// JSON inside a string.
type mark []string

// marks are where a wire says what the features are about.
type marks struct {
	system, user                       mark
	tools, names, args, ids            mark // of tools, and of calls
	results, resultIDs, image, kind    mark
	schema, effort                     mark
	imageValue, kindValue, effortValue string
}

const dataURL = "data:image/png;base64," + matrixImage

var wireMarks = map[string]marks{
	"openai.chat": {
		system: mark{"messages.*[role=system].content", "messages.*[role=system].content.*.text", "messages.*[role=developer].content"},
		user:   mark{"messages.*[role=user].content", "messages.*[role=user].content.*.text"},
		tools:  mark{"tools.*[type=function].function.name"},
		names:  mark{"messages.*.tool_calls.*[type=function].function.name"}, args: mark{"messages.*.tool_calls.*.function.arguments"},
		ids: mark{"messages.*.tool_calls.*.id"}, resultIDs: mark{"messages.*[role=tool].tool_call_id"},
		results: mark{"messages.*[role=tool].content", "messages.*[role=tool].content.*.text"},
		image:   mark{"messages.*.content.*[type=image_url].image_url.url"}, imageValue: dataURL,
		schema: mark{"response_format.json_schema.schema.properties"},
		effort: mark{"reasoning_effort"}, effortValue: "high",
	},
	"openai.responses": {
		system: mark{"instructions", "input.*[role=system].content", "input.*[role=system].content.*.text", "input.*[role=developer].content", "input.*[role=developer].content.*.text"},
		user:   mark{"input.*[role=user].content", "input.*[role=user].content.*.text"},
		tools:  mark{"tools.*[type=function].name"},
		names:  mark{"input.*[type=function_call].name"}, args: mark{"input.*[type=function_call].arguments"},
		ids: mark{"input.*[type=function_call].call_id"}, resultIDs: mark{"input.*[type=function_call_output].call_id"},
		results: mark{"input.*[type=function_call_output].output", "input.*[type=function_call_output].output.*.text"},
		image:   mark{"input.*.content.*[type=input_image].image_url"}, imageValue: dataURL,
		schema: mark{"text.format.schema.properties"},
		effort: mark{"reasoning.effort"}, effortValue: "high",
	},
	"anthropic.messages": {
		system: mark{"system", "system.*.text"},
		user:   mark{"messages.*[role=user].content", "messages.*[role=user].content.*.text"},
		tools:  mark{"tools.*.name"},
		names:  mark{"messages.*.content.*[type=tool_use].name"}, args: mark{"messages.*.content.*[type=tool_use].input"},
		ids: mark{"messages.*.content.*[type=tool_use].id"}, resultIDs: mark{"messages.*.content.*[type=tool_result].tool_use_id"},
		results: mark{"messages.*.content.*[type=tool_result].content", "messages.*.content.*[type=tool_result].content.*.text"},
		image:   mark{"messages.*.content.*[type=image].source.data"}, imageValue: matrixImage,
		kind: mark{"messages.*.content.*[type=image].source.media_type"}, kindValue: "image/png",
		schema: mark{"output_config.format.schema.properties", "tools.*[name=headgate_answer].input_schema.properties"},
		effort: mark{"thinking.budget_tokens"}, effortValue: "16384",
	},
	"gemini.generate": {
		system: mark{"systemInstruction.parts.*.text"},
		user:   mark{"contents.*[role=user].parts.*.text"},
		tools:  mark{"tools.*.functionDeclarations.*.name"},
		names:  mark{"contents.*.parts.*.functionCall.name"}, args: mark{"contents.*.parts.*.functionCall.args"},
		// Calls and results belong together by name here; ids are told where there are some.
		ids: mark{"contents.*.parts.*.functionCall.name"}, resultIDs: mark{"contents.*.parts.*.functionResponse.name"},
		results: mark{"contents.*.parts.*.functionResponse.response.output", "contents.*.parts.*.functionResponse.response.result"},
		image:   mark{"contents.*.parts.*.inlineData.data"}, imageValue: matrixImage,
		kind: mark{"contents.*.parts.*.inlineData.mimeType"}, kindValue: "image/png",
		schema: mark{"generationConfig.responseJsonSchema.properties", "generationConfig.responseSchema.properties"},
	},
	"bedrock.converse": {
		system: mark{"system.*.text"},
		user:   mark{"messages.*[role=user].content.*.text"},
		tools:  mark{"toolConfig.tools.*.toolSpec.name"},
		names:  mark{"messages.*.content.*.toolUse.name"}, args: mark{"messages.*.content.*.toolUse.input"},
		ids: mark{"messages.*.content.*.toolUse.toolUseId"}, resultIDs: mark{"messages.*.content.*.toolResult.toolUseId"},
		results: mark{"messages.*.content.*.toolResult.content.*.text"},
		image:   mark{"messages.*.content.*.image.source.bytes"}, imageValue: matrixImage,
		kind: mark{"messages.*.content.*.image.format"}, kindValue: "png",
		schema: mark{"outputConfig.textFormat.structure.jsonSchema.schema.#.properties", "toolConfig.tools.*.toolSpec.inputSchema.json.properties"},
	},
	"cohere.chat": {
		system: mark{"messages.*[role=system].content", "messages.*[role=system].content.*.text"},
		user:   mark{"messages.*[role=user].content", "messages.*[role=user].content.*.text"},
	},
	"ollama.chat": {
		system: mark{"messages.*[role=system].content"},
		user:   mark{"messages.*[role=user].content"},
		tools:  mark{"tools.*.function.name"},
		names:  mark{"messages.*.tool_calls.*.function.name"}, args: mark{"messages.*.tool_calls.*.function.arguments"},
		ids: mark{"messages.*.tool_calls.*.function.name"}, resultIDs: mark{"messages.*[role=tool].tool_name"},
		results: mark{"messages.*[role=tool].content"},
		image:   mark{"messages.*.images.*"}, imageValue: matrixImage,
		schema: mark{"format.properties"},
	},
}

// missing names what a feature asks for and the body does not say.
func (m *marks) missing(t *testing.T, feature, body string, system bool) (names []string) {
	var doc any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	require.NoError(t, d.Decode(&doc), body)
	want := func(name string, at mark, values ...string) {
		if got := at.values(doc); fmt.Sprint(got) != fmt.Sprint(values) || len(at) == 0 {
			names = append(names, fmt.Sprintf("%s (%q, not %q)", name, got, values))
		}
	}
	if system {
		want("system", m.system, "Be brief.")
	}
	switch feature {
	case "detour":
		want("user", m.user, "Rome")
		want("tools", m.tools, "get_weather")
		want("effort", m.effort, m.effortValue)
	case "tools":
		want("user", m.user, "Is it warm in Oslo?", "Rome")
		want("tools", m.tools, "get_weather")
		want("calls", m.names, "get_weather")
		want("arguments", m.args, `{"input":"Oslo"}`)
		want("results", m.results, "4 degrees")
		want("ids", m.resultIDs, m.ids.values(doc)...)
	case "parallel":
		want("user", m.user, "How are Oslo and Lima?", "Rome")
		want("tools", m.tools, "get_weather", "get_time")
		want("calls", m.names, "get_weather", "get_time")
		want("arguments", m.args, `{"input":"Oslo"}`, `{"input":"Lima"}`)
		want("results", m.results, "4 degrees", "noon")
		want("ids", m.resultIDs, m.ids.values(doc)...)
	case "images":
		want("user", m.user, "Red?")
		want("image", m.image, m.imageValue)
		if m.kindValue != "" {
			want("media type", m.kind, m.kindValue)
		}
	case "structured":
		want("user", m.user, `{"city":"Paris"}`)
		want("schema", m.schema, `{"city":{"type":"string"}}`)
	case "unknown":
		want("user", m.user, hello)
		want("unknown", mark{"x_unknown.a.*"}, "1.50", "é")
	case "reasoning":
		want("user", m.user, hello)
		want("effort", m.effort, m.effortValue)
	default:
		want("user", m.user, hello)
	}
	return names
}

// hello is the text of most requests and answers.
const hello = "Grüße, 世界"

func (m mark) values(doc any) (found []string) {
	for _, path := range m {
		found = append(found, find(doc, strings.Split(path, "."))...)
	}
	return found
}

// find gives the values at a path. Text and JSON alike are given as they are written;
// a container that is asked for as text, where another path leads into it, is not.
func find(v any, path []string) (found []string) {
	if len(path) == 0 {
		switch x := v.(type) {
		case string:
			return []string{x}
		case []any, nil:
			return nil
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // it was decoded
		return []string{strings.TrimSpace(b.String())}
	}
	key, filter, filtered := strings.Cut(strings.TrimSuffix(path[0], "]"), "[")
	switch x := v.(type) {
	case string:
		var inner any
		if key == "#" && json.Unmarshal([]byte(x), &inner) == nil {
			return find(inner, path[1:])
		}
	case map[string]any:
		if sub, ok := x[key]; ok {
			return find(sub, path[1:])
		}
	case []any:
		if key != "*" {
			return nil
		}
		k, want, _ := strings.Cut(filter, "=")
		for _, sub := range x {
			if m, ok := sub.(map[string]any); filtered && (!ok || m[k] != want) {
				continue
			}
			found = append(found, find(sub, path[1:])...)
		}
	}
	return found
}
