package proxy_test

import (
	"net"
	"strings"
)

// speaks is a client of a shape, and the answers of its provider.
type speaks struct {
	name, provider, path, body string
	answer                     func(text string, streamed bool) string
	// more is what the second request adds after the messages of the first.
	before, more string
}

func sseOf(events ...string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + strings.Join(events, "")
}

func formatEvent(kind, data string) string { return "event: " + kind + "\ndata: " + data + "\n\n" }

func chatSays(text string, streamed bool) string {
	if streamed {
		q := quote(text)
		return stream(roleEvent, textEvent(q[1:len(q)-1]), stopEvent, usageEvent, doneEvent)
	}
	return buildWhole(200, "application/json", completion(text))
}

func messagesSay(text string, streamed bool) string {
	if streamed {
		return sseOf(
			formatEvent(
				"message_start",
				`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":1}}}`,
			),
			formatEvent("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`),
			formatEvent("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`+quote(text)+`}}`),
			formatEvent("content_block_stop", `{"type":"content_block_stop","index":0}`),
			formatEvent("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":3}}`),
			formatEvent("message_stop", `{"type":"message_stop"}`),
		)
	}
	return buildWhole(
		200,
		"application/json",
		`{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":`+quote(
			text,
		)+`}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":3}}`,
	)
}

func responsesSay(text string, streamed bool) string {
	item := `{"id":"i","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":` + quote(
		text,
	) + `,"annotations":[]}]}`
	done := `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[` + item + `],"usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10}}`
	if streamed {
		return sseOf(
			formatEvent(
				"response.created",
				`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","created_at":1,"status":"in_progress","model":"m","output":[]}}`,
			),
			formatEvent(
				"response.output_item.added",
				`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"i","type":"message","role":"assistant","status":"in_progress","content":[]}}`,
			),
			formatEvent(
				"response.content_part.added",
				`{"type":"response.content_part.added","sequence_number":2,"item_id":"i","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`,
			),
			formatEvent(
				"response.output_text.delta",
				`{"type":"response.output_text.delta","sequence_number":3,"item_id":"i","output_index":0,"content_index":0,"delta":`+quote(text)+`}`,
			),
			formatEvent(
				"response.output_text.done",
				`{"type":"response.output_text.done","sequence_number":4,"item_id":"i","output_index":0,"content_index":0,"text":`+quote(text)+`}`,
			),
			formatEvent(
				"response.content_part.done",
				`{"type":"response.content_part.done","sequence_number":5,"item_id":"i","output_index":0,"content_index":0,"part":{"type":"output_text","text":`+quote(
					text,
				)+`,"annotations":[]}}`,
			),
			formatEvent("response.output_item.done", `{"type":"response.output_item.done","sequence_number":6,"output_index":0,"item":`+item+`}`),
			formatEvent("response.completed", `{"type":"response.completed","sequence_number":7,"response":`+done+`}`),
		)
	}
	return buildWhole(200, "application/json", done)
}

func generateSays(text string, streamed bool) string {
	answer := `{"candidates":[{"content":{"role":"model","parts":[{"text":` + quote(
		text,
	) + `}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"totalTokenCount":10}}`
	if streamed {
		return sseOf("data: " + answer + "\r\n\r\n")
	}
	return buildWhole(200, "application/json", answer)
}

const ageless, aged = `{"name":"Ann \"A\""}`, `{"age":5}`

var speakers = []speaks{
	{
		name:     "chat",
		provider: "openai",
		path:     "/v1/chat/completions",
		body:     `{ "model":"gpt-test", STREAM "max_tokens":5,"messages" : [ {"content":"hi","role":"user"} ] }`,
		answer:   chatSays,
		before:   `"role":"user"} `,
		more:     `,{"role":"assistant","content":WRONG},{"role":"user","content":AGAIN}`,
	},
	{
		name:     "messages",
		provider: "anthropic",
		path:     "/v1/messages",
		body:     `{"model":"gpt-test", STREAM "max_tokens":5,"messages":[{"role":"user","content":"hi"}],"system":"s"}`,
		answer:   messagesSay,
		before:   `"content":"hi"}`,
		more:     `,{"role":"assistant","content":WRONG},{"role":"user","content":AGAIN}`,
	},
	{
		name:     "responses with a list",
		provider: "openai",
		path:     "/v1/responses",
		body:     `{"model":"gpt-test", STREAM "max_output_tokens":50,"input":[{"role":"user","content":"hi"}],"instructions":"s"}`,
		answer:   responsesSay,
		before:   `"content":"hi"}`,
		more:     `,{"role":"assistant","content":WRONG},{"role":"user","content":AGAIN}`,
	},
	{
		name:     "responses with a text",
		provider: "openai",
		path:     "/v1/responses",
		body:     `{"model":"gpt-test", STREAM "max_output_tokens":50,"input":"hi\u00e9","instructions":"s"}`,
		answer:   responsesSay,
		before:   `"input":`,
		more:     `[{"role":"user","content":"hi\u00e9"},{"role":"assistant","content":WRONG},{"role":"user","content":AGAIN}]`,
	},
	{
		name:     "generateContent",
		provider: "gemini",
		path:     "/v1/gen/v1beta/models/gpt-test:METHOD",
		body:     `{"generationConfig":{"maxOutputTokens":5},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
		answer:   generateSays,
		before:   `"text":"hi"}]}`,
		more:     `,{"role":"model","parts":[{"text":WRONG}]},{"role":"user","parts":[{"text":AGAIN}]}`,
	},
	{
		name:     "chat for anthropic",
		provider: "anthropic",
		path:     "/v1/chat/completions",
		body:     `{"model":"gpt-test", STREAM "max_tokens":5,"messages":[{"role":"user","content":"hi"}]}`,
		answer:   messagesSay,
	},
	{
		name:     "messages for openai",
		provider: "openai",
		path:     "/v1/messages",
		body:     `{"model":"gpt-test", STREAM "max_tokens":5,"messages":[{"role":"user","content":"hi"}]}`,
		answer:   chatSays,
	},
	{
		name:     "legacy completions",
		provider: "openai",
		path:     "/v1/completions",
		body:     `{"model":"gpt-test", STREAM "max_tokens":5,"prompt":"hi"}`,
		answer:   chatSays,
	},
	{
		name:     "the editor's agent",
		provider: "openai",
		path:     "/v1/ide/chat/completions",
		body:     `{"model":"gpt-test", STREAM "input":"hi"}`,
		answer:   chatSays,
	},
}

func (s *speaks) request(streamed bool) (path, body string) {
	method, member := "generateContent", ""
	if streamed {
		method, member = "streamGenerateContent?alt=sse", `"stream":true,`
	}
	return strings.Replace(s.path, "METHOD", method, 1), strings.Replace(s.body, "STREAM", member, 1)
}

// inTurns answers the n-th call with the n-th text, and all further ones with the last.
func (s *speaks) inTurns(streamed bool, texts ...string) func(net.Conn, sent) {
	var raw []string
	for _, text := range texts {
		raw = append(raw, s.answer(text, streamed))
	}
	return inTurn(raw...)
}
