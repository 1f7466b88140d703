package proxy_test

import "maps"

// asking is a place of a request that can contain a value, at "@". "@1" and "@2" are the halves of the value, and "@64"
// is a text that contains it, in base64.
type asking struct {
	shape, path string
	place       string
	body        string
	streams     bool // it can be sent with "stream": true
}

// Places of requests and answers.
const (
	inText       = "text"
	inSystem     = "system"
	inParts      = "split over parts"
	inArguments  = "tool arguments"
	inResult     = "tool result"
	inDefinition = "tool definition"
	inMembers    = "member names"
	inNames      = "names and identifiers"
	inFile       = "file"
)

const (
	chatPath     = "/v1/chat/completions"
	legacyPath   = "/v1/completions"
	messagesPath = "/v1/messages"
	countPath    = "/v1/messages/count_tokens"
	answersPath  = "/v1/responses"
	compactPath  = "/v1/responses/compact"
	generatePath = "/v1/gen/v1beta/models/gpt-test:generateContent"
	embedPath    = "/v1/gen/v1beta/models/text-embedding-own:embedContent"
	batchPath    = "/v1/gen/v1beta/models/text-embedding-own:batchEmbedContents"
	tokensPath   = "/v1/gen/v1beta/models/gpt-test:countTokens"
)

// chatPlaces are bodies of the chat shape, which the editor client sends too.
var chatPlaces = map[string]string{
	inText:       `{"model":"gpt-test","messages":[{"role":"user","content":"to @ now"}]STREAM}`,
	inSystem:     `{"model":"gpt-test","messages":[{"role":"system","content":"to @ now"},{"role":"user","content":"hi"}]STREAM}`,
	inParts:      `{"model":"gpt-test","messages":[{"role":"user","content":[{"type":"text","text":"to @1"},{"type":"text","text":"@2 now"}]}]STREAM}`,
	inArguments:  `{"model":"gpt-test","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"send","arguments":"{\"to\":\"@\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}]STREAM}`,
	inResult:     `{"model":"gpt-test","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"send","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"to @ now"}]STREAM}`,
	inDefinition: `{"model":"gpt-test","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"send","description":"to @ now","parameters":{"type":"object","properties":{}}}}]STREAM}`,
	inMembers:    `{"model":"gpt-test","messages":[{"role":"user","content":"hi","to @ now":1},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"send","arguments":"{\"to @ now\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}],"metadata":{"to @ now":"x"},"x_unknown":{"to @ now":1},"to @ now":1,"tools":[{"type":"function","function":{"name":"send","parameters":{"type":"object","properties":{"to @ now":{"type":"string"}}}}}]STREAM}`,
	inNames:      `{"model":"gpt-test","user":"@","safety_identifier":"to @ now","messages":[{"role":"user","name":"to @ now","content":[{"type":"text","text":"hi","id":"to @ now"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"to @ now","type":"function","function":{"name":"to @ now","arguments":"{}"}}]},{"role":"tool","tool_call_id":"to @ now","content":"ok"}],"metadata":{"user_id":"to @ now"},"tools":[{"type":"function","function":{"name":"to @ now","parameters":{"type":"object","properties":{"p":{"enum":["to @ now"],"const":"to @ now","pattern":"to @ now"}},"required":["to @ now"]}}}],"tool_choice":{"type":"function","function":{"name":"to @ now"}},"x_unknown":{"id":"to @ now","type":"to @ now"}STREAM}`,
	inFile:       `{"model":"gpt-test","messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain;base64,@64"}}]}]STREAM}`,
}

var messagesPlaces = map[string]string{
	inText:       `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"to @ now"}]STREAM}`,
	inSystem:     `{"model":"gpt-test","max_tokens":9,"system":"to @ now","messages":[{"role":"user","content":"hi"}]STREAM}`,
	inParts:      `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"to @1"},{"type":"text","text":"@2 now"}]}]STREAM}`,
	inArguments:  `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"send","input":{"to":"@"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}]STREAM}`,
	inResult:     `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"send","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"to @ now"}]}]}]STREAM}`,
	inDefinition: `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"send","description":"to @ now","input_schema":{"type":"object","properties":{}}}]STREAM}`,
	inMembers:    `{"model":"gpt-test","max_tokens":9,"metadata":{"to @ now":"x"},"to @ now":1,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"send","input":{"to @ now":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok","to @ now":1}]}],"tools":[{"name":"send","input_schema":{"type":"object","properties":{"to @ now":{"type":"string"}}}}]STREAM}`,
	inNames:      `{"model":"gpt-test","max_tokens":9,"metadata":{"user_id":"@"},"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"to @ now","name":"to @ now","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"to @ now","content":"ok"}]}],"tools":[{"name":"to @ now","input_schema":{"type":"object","properties":{"p":{"enum":["to @ now"],"const":"to @ now"}},"required":["to @ now"]}}],"tool_choice":{"type":"tool","name":"to @ now"}STREAM}`,
	inFile:       `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"text/plain","data":"@64"}}]}]STREAM}`,
}

var answersPlaces = map[string]string{
	inText:       `{"model":"gpt-test","input":"to @ now"STREAM}`,
	inSystem:     `{"model":"gpt-test","instructions":"to @ now","input":"hi"STREAM}`,
	inParts:      `{"model":"gpt-test","input":[{"role":"user","content":[{"type":"input_text","text":"to @1"},{"type":"input_text","text":"@2 now"}]}]STREAM}`,
	inArguments:  `{"model":"gpt-test","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c1","name":"send","arguments":"{\"to\":\"@\"}"},{"type":"function_call_output","call_id":"c1","output":"ok"}]STREAM}`,
	inResult:     `{"model":"gpt-test","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c1","name":"send","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"to @ now"}]STREAM}`,
	inDefinition: `{"model":"gpt-test","input":"hi","tools":[{"type":"function","name":"send","description":"to @ now","parameters":{"type":"object","properties":{}}}]STREAM}`,
	inMembers:    `{"model":"gpt-test","input":[{"role":"user","content":"hi","to @ now":1},{"type":"function_call","call_id":"c1","name":"send","arguments":"{\"to @ now\":1}"},{"type":"function_call_output","call_id":"c1","output":"ok"}],"metadata":{"to @ now":"x"},"to @ now":1,"tools":[{"type":"function","name":"send","parameters":{"type":"object","properties":{"to @ now":{"type":"string"}}}}]STREAM}`,
	inNames:      `{"model":"gpt-test","user":"@","safety_identifier":"to @ now","prompt_cache_key":"to @ now","input":[{"role":"user","content":"hi"},{"type":"function_call","id":"to @ now","call_id":"to @ now","name":"to @ now","arguments":"{}"},{"type":"function_call_output","call_id":"to @ now","output":"ok"}],"tools":[{"type":"function","name":"to @ now","parameters":{"type":"object","properties":{"p":{"enum":["to @ now"],"const":"to @ now"}},"required":["to @ now"]}}],"tool_choice":{"type":"function","name":"to @ now"}STREAM}`,
	inFile:       `{"model":"gpt-test","input":[{"role":"user","content":[{"type":"input_file","filename":"a.txt","file_data":"data:text/plain;base64,@64"}]}]STREAM}`,
}

var generatePlaces = map[string]string{
	inText:       `{"contents":[{"role":"user","parts":[{"text":"to @ now"}]}]}`,
	inSystem:     `{"systemInstruction":{"parts":[{"text":"to @ now"}]},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
	inParts:      `{"contents":[{"role":"user","parts":[{"text":"to @1"},{"text":"@2 now"}]}]}`,
	inArguments:  `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"send","args":{"to":"@"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"send","response":{"ok":true}}}]}]}`,
	inResult:     `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"send","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"send","response":{"to":"@"}}}]}]}`,
	inDefinition: `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"send","description":"to @ now"}]}]}`,
	inMembers:    `{"contents":[{"role":"user","parts":[{"text":"hi"}],"to @ now":1},{"role":"model","parts":[{"functionCall":{"name":"send","args":{"to @ now":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"send","response":{"to @ now":true}}}]}],"labels":{"to @ now":"x"},"to @ now":1,"tools":[{"functionDeclarations":[{"name":"send","parameters":{"type":"object","properties":{"to @ now":{"type":"string"}}}}]}]}`,
	inNames:      `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"to @ now","name":"to @ now","args":{}},"thoughtSignature":"to @ now"}]},{"role":"user","parts":[{"functionResponse":{"id":"to @ now","name":"to @ now","response":{"ok":true}}}]}],"safetySettings":[{"category":"to @ now"}],"tools":[{"functionDeclarations":[{"name":"to @ now","parameters":{"type":"object","properties":{"p":{"enum":["to @ now"],"const":"to @ now"}},"required":["to @ now"]}}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["to @ now"]}}}`,
	inFile:       `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"text/plain","data":"@64"}},{"text":"hi"}]}]}`,
}

// askings returns all places of all endpoints that accept a request.
func askings() (out []asking) {
	add := func(shape, path string, streams bool, places map[string]string) {
		for _, place := range placesOfRequests {
			if body := places[place]; body != "" {
				out = append(out, asking{shape, path, place, body, streams})
			}
		}
	}
	add("chat", chatPath, true, chatPlaces)
	add("completions", legacyPath, true, map[string]string{
		inText:  `{"model":"gpt-test","prompt":"to @ now"STREAM}`,
		inParts: `{"model":"gpt-test","prompt":["to @ now","two"]STREAM}`,
		inNames: `{"model":"gpt-test","prompt":"hi","user":"@"STREAM}`,
	})
	add("embeddings", "/v1/embeddings", false, map[string]string{
		inText:  `{"model":"text-embedding-own","input":"to @ now"}`,
		inParts: `{"model":"text-embedding-own","input":["one","to @ now"]}`,

		inMembers: `{"model":"text-embedding-own","input":"hi","to @ now":1,"x_unknown":{"to @ now":1}}`,
		inNames:   `{"model":"text-embedding-own","input":"hi","user":"@"}`,
	})
	add("embedContent", embedPath, false, map[string]string{
		inText:    `{"content":{"parts":[{"text":"to @ now"}]}}`,
		inParts:   `{"content":{"parts":[{"text":"to @1"},{"text":"@2 now"}]}}`,
		inMembers: `{"content":{"parts":[{"text":"hi"}],"to @ now":1},"x_unknown":{"to @ now":1}}`,
		inNames:   `{"content":{"parts":[{"text":"hi"}]},"title":"to @ now"}`,
		inFile:    `{"content":{"parts":[{"inlineData":{"mimeType":"text/plain","data":"@64"}},{"text":"hi"}]}}`,
	})
	add("batchEmbedContents", batchPath, false, map[string]string{
		inText:    `{"requests":[{"content":{"parts":[{"text":"hi"}]}},{"content":{"parts":[{"text":"to @ now"}]}}]}`,
		inParts:   `{"requests":[{"content":{"parts":[{"text":"to @1"},{"text":"@2 now"}]}}]}`,
		inMembers: `{"requests":[{"content":{"parts":[{"text":"hi"}]},"to @ now":1}],"x_unknown":{"to @ now":1}}`,
		inNames:   `{"requests":[{"content":{"parts":[{"text":"hi"}]},"title":"to @ now"}]}`,
		inFile:    `{"requests":[{"content":{"parts":[{"inlineData":{"mimeType":"text/plain","data":"@64"}}]}}]}`,
	})
	add("messages", messagesPath, true, messagesPlaces)
	add("count_tokens", countPath, false, messagesPlaces)
	add("responses", answersPath, true, answersPlaces)
	add("responses compact", compactPath, false, answersPlaces)
	add("generateContent", generatePath, true, generatePlaces)
	add("countTokens", tokensPath, false, generatePlaces)
	add("ide-chat", editorPath, true, chatPlaces)
	edited := maps.Clone(answersPlaces)
	delete(edited, inFile) // translated to chat, where a file part is refused
	add("ide-responses", editorPath, true, edited)
	add("mcp", toolPath, false, toolPlaces)
	add("a2a", agentPlace, false, agentPlaces)
	addDirect(add)
	return out
}

// placesOfRequests are the rows of the table, in order.
var placesOfRequests = []string{inText, inSystem, inParts, inArguments, inResult, inDefinition, inMembers, inNames, inFile}
