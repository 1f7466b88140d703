package dialect_test

import (
	"bytes"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/llm"
)

// frameEvent is an event of Bedrock's.
func frameEvent(tb testing.TB, kind, payload string) string {
	var b bytes.Buffer
	m := eventstream.Message{Payload: []byte(payload)}
	for _, h := range [][2]string{{":event-type", kind}, {":content-type", "application/json"}, {":message-type", "event"}} {
		m.Headers.Set(h[0], eventstream.StringValue(h[1]))
	}
	require.NoError(tb, eventstream.NewEncoder().Encode(&b, m))
	return b.String()
}

func chat(delta string) string {
	return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741569952,"model":"gpt-4.1","choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":null}]}` + "\n\n"
}

// event is a server-sent event that has its type in its data too.
func event(typ, members string) string {
	return "event: " + typ + "\ndata: {\"type\":\"" + typ + "\"," + members + "}\n\n"
}

// arguments are the beginning of a streamed call from each wire that sends its arguments
// in pieces, and one more piece of them.
func arguments(tb testing.TB) map[string][2]string {
	return map[string][2]string{
		"openai.chat": {
			chat(`{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`),
			chat(`{"tool_calls":[{"index":0,"function":{"arguments":" word"}}]}`),
		},
		"openai.responses": {
			event(
				"response.created",
				`"sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","model":"m","output":[]}`,
			) +
				event(
					"response.output_item.added",
					`"sequence_number":1,"output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c","name":"f","arguments":"","status":"in_progress"}`,
				),
			event("response.function_call_arguments.delta", `"sequence_number":2,"item_id":"fc_1","output_index":0,"delta":" word"`),
		},
		"anthropic.messages": {
			event(
				"message_start",
				`"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":3,"output_tokens":1}}`,
			) +
				event(
					"content_block_start",
					`"index":0,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}`,
				),
			event("content_block_delta", `"index":0,"delta":{"type":"input_json_delta","partial_json":" word"}`),
		},
		"bedrock.converse": {
			frameEvent(tb, "contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"c","name":"f"}}}`),
			frameEvent(tb, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":" word"}},"p":"abcdef"}`),
		},
		"cohere.chat": {
			event(
				"tool-call-start",
				`"index":0,"delta":{"message":{"tool_calls":{"id":"c","type":"function","function":{"name":"f","arguments":""}}}}`,
			),
			event("tool-call-delta", `"index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":" word"}}}}`),
		},
	}
}

// chunks are the beginning of a streamed text from each wire, and one more piece of it.
func chunks(tb testing.TB) map[string][2]string {
	delta := func(text string) string {
		return frameEvent(tb, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"`+text+`"},"p":"abcdefghijklmnopqrstuvwx"}`)
	}
	responses := func(typ, members string) string { return event(typ, `"sequence_number":4,`+members) }
	return map[string][2]string{
		"openai.chat": {chat(`{"role":"assistant","content":"a"}`), chat(`{"content":" word"}`)},
		"openai.responses": {
			responses("response.created", `"response":{"id":"r","object":"response","status":"in_progress","model":"m","output":[]}`) +
				responses(
					"response.output_item.added",
					`"output_index":0,"item":{"id":"m1","type":"message","status":"in_progress","role":"assistant","content":[]}`,
				) +
				responses(
					"response.content_part.added",
					`"item_id":"m1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`,
				),
			responses("response.output_text.delta", `"item_id":"m1","output_index":0,"content_index":0,"delta":" word"`),
		},
		"anthropic.messages": {
			"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n" +
				"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" word\"}}\n\n",
		},
		"gemini.generate": {
			"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}],\"role\":\"model\"},\"index\":0}],\"modelVersion\":\"m\",\"responseId\":\"r\"}\r\n\r\n",
			"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" word\"}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":2,\"totalTokenCount\":5},\"modelVersion\":\"m\",\"responseId\":\"r\"}\r\n\r\n",
		},
		"bedrock.converse": {delta("a"), delta(" word")},
		"cohere.chat": {
			"event: message-start\ndata: {\"id\":\"1\",\"type\":\"message-start\",\"delta\":{\"message\":{\"role\":\"assistant\",\"content\":[]}}}\n\n" +
				"event: content-start\ndata: {\"type\":\"content-start\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}\n\n",
			"event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\" word\"}}}}\n\n",
		},
		"ollama.chat": {
			`{"model":"llama3.2","created_at":"2025-07-07T20:22:19.184789Z","message":{"role":"assistant","content":"a"},"done":false}` + "\n",
			`{"model":"llama3.2","created_at":"2025-07-07T20:22:19.184789Z","message":{"role":"assistant","content":" word"},"done":false}` + "\n",
		},
	}
}

// translating prepares the translation of one more chunk of a stream.
func translating(tb testing.TB, wire string, i int, begun string) func(chunk []byte) ([]byte, error) {
	w, ok := dialect.FindWire(wire)
	require.True(tb, ok)
	r := &llm.Request{Stream: true, StreamUsage: true}
	dec, enc, raise := w.DecodeStream(), shapes[i].EncodeStream(r), llm.Lower(r, llm.Target{}).Stream()
	var out []byte
	write := func(ev *llm.Event) error {
		out = enc.Append(out, ev)
		return nil
	}
	emit := func(ev *llm.Event) error { return raise(ev, write) }
	require.NoError(tb, dec.Decode([]byte(begun), emit))
	return func(chunk []byte) ([]byte, error) {
		out = out[:0]
		err := dec.Decode(chunk, emit)
		return out, err
	}
}

// The demand is under 5 µs and 10 allocations.
func BenchmarkTranslateChunk(b *testing.B) {
	for _, wire := range wires {
		for i, d := range shapes {
			b.Run(wire+"/"+d.Name(), func(b *testing.B) {
				c := chunks(b)[wire]
				translate, chunk := translating(b, wire, i, c[0]), []byte(c[1])
				b.ReportAllocs()
				for b.Loop() {
					if _, err := translate(chunk); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func TestAChunkIsTranslatedInFewerThanTenAllocations(t *testing.T) {
	for kind, of := range map[string]map[string][2]string{"text": chunks(t), "arguments": arguments(t)} {
		for wire, c := range of {
			for i, d := range shapes {
				translate, chunk := translating(t, wire, i, c[0]), []byte(c[1])
				out, err := translate(chunk)
				require.NoError(t, err)
				if kind == "text" {
					assert.Contains(t, string(out), " word", "%s to %s", wire, d.Name())
				}
				n := testing.AllocsPerRun(100, func() { _, _ = translate(chunk) })
				assert.Less(t, n, 10.0, "%s, %s to %s", kind, wire, d.Name())
			}
		}
	}
}
