package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/llm"
)

const words = `Some words of a message, with a \"quote\" and a line.\n`

// turns are requests of each shape: what stands before, in and behind its messages.
var turns = map[string][3]string{
	"openai.chat":        {`{"model":"m","messages":[{"role":"system","content":"s"}`, `,{"role":"user","content":"%s"}`, `]}`},
	"openai.completions": {`{"model":"m","prompt":"`, `%s`, `"}`},
	"openai.responses": {
		`{"model":"m","input":[{"role":"system","content":"s"}`,
		`,{"role":"user","content":[{"type":"input_text","text":"%s"}]}`,
		`]}`,
	},
	"anthropic.messages": {
		`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"s"}`,
		`,{"role":"user","content":[{"type":"text","text":"%s"}]}`,
		`]}`,
	},
	"gemini.generate": {`{"contents":[{"role":"user","parts":[{"text":"s"}]}`, `,{"role":"user","parts":[{"text":"%s"}]}`, `]}`},
}

// answers are whole answers from each wire.
var answers = map[string]string{
	"openai.chat":        `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`,
	"openai.responses":   `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"%s","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`,
	"anthropic.messages": `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}`,
	"gemini.generate":    `{"candidates":[{"content":{"role":"model","parts":[{"text":"%s"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5}}`,
	"bedrock.converse":   `{"output":{"message":{"role":"assistant","content":[{"text":"%s"}]}},"stopReason":"end_turn","usage":{"inputTokens":3,"outputTokens":2,"totalTokens":5}}`,
	"cohere.chat":        `{"id":"1","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]},"usage":{"tokens":{"input_tokens":3,"output_tokens":2}}}`,
	"ollama.chat":        `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"%s"},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}`,
}

// request is a request of a shape of about n bytes.
func request(shape string, n int) []byte {
	t := turns[shape]
	var b strings.Builder
	b.WriteString(t[0])
	for b.Len() < n {
		fmt.Fprintf(&b, t[1], strings.Repeat(words, 8))
	}
	return []byte(b.String() + t[2])
}

func sizes(b *testing.B, name string, run func(b *testing.B, n int)) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%s/%dKB", name, kb), func(b *testing.B) { run(b, kb<<10) })
	}
}

func measure(b *testing.B, n int, step func() bool) {
	b.ReportAllocs()
	b.SetBytes(int64(n))
	for b.Loop() {
		if !step() {
			b.Fatal("refused")
		}
	}
}

// BenchmarkShapes reads a request of each client shape and writes an answer in it.
func BenchmarkShapes(b *testing.B) {
	for _, d := range shapes {
		x := &core.Exchange{}
		sizes(b, d.Name()+"/scan", func(b *testing.B, n int) {
			body := request(d.Name(), n)
			measure(b, len(body), func() bool {
				x.Reset()
				x.Request.Raw = body
				return d.Scan(x) == nil
			})
		})
		sizes(b, d.Name()+"/decode", func(b *testing.B, n int) {
			x.Reset()
			x.Request.Raw = request(d.Name(), n)
			require.Nil(b, d.Scan(x))
			measure(b, len(x.Request.Raw), func() bool {
				_, e := d.Decode(x)
				return e == nil
			})
		})
		sizes(b, d.Name()+"/encode", func(b *testing.B, n int) {
			a := &llm.Response{
				Choices: []llm.Answer{
					{Finish: llm.FinishStop, Parts: []llm.Part{llm.NewText(strings.Repeat("Some words of an answer, with a \"quote\".\n", n/40))}},
				},
			}
			var out []byte
			measure(b, n, func() bool {
				out = d.Encode(out[:0], &llm.Request{}, a)
				return len(out) > n/2
			})
		})
	}
}

// BenchmarkWires writes a request to each provider's wire and reads an answer of it.
func BenchmarkWires(b *testing.B) {
	for _, name := range wires {
		w, _ := dialect.FindWire(name)
		sizes(b, name+"/encode", func(b *testing.B, n int) {
			x := &core.Exchange{}
			x.Request.Raw = request("openai.chat", n)
			require.Nil(b, shapes[0].Scan(x))
			r, e := shapes[0].Decode(x)
			require.Nil(b, e)
			var out []byte
			measure(b, len(x.Request.Raw), func() bool {
				out, e = w.EncodeRequest(out[:0], r, core.Traits{Model: "m", Label: "P"})
				return e == nil
			})
		})
		sizes(b, name+"/decode", func(b *testing.B, n int) {
			body := fmt.Appendf(nil, answers[name], strings.Repeat(words, n/len(words)))
			measure(b, len(body), func() bool {
				_, err := w.DecodeResponse(body)
				return err == nil
			})
		})
	}
}
