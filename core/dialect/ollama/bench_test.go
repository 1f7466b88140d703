package ollama

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core/llm"
)

func conversation(n int) *llm.Request {
	r := &llm.Request{MaxTokens: 100, Tools: []llm.Tool{{Name: "f", Schema: json.RawMessage(`{"type":"object"}`)}}}
	words := strings.Repeat("Some words of a message, with a \"quote\" and a line.\n", 8)
	for size := 0; size < n; size += len(words) {
		r.Messages = append(r.Messages, user(llm.Text(words)), model(llm.Text("ok")))
	}
	return r
}

func BenchmarkEncodeRequest(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			r, t := conversation(kb<<10), llama()
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = ChatWire{}.EncodeRequest(dst[:0], r, t)
			}
			b.SetBytes(int64(len(dst)))
		})
	}
}

func BenchmarkDecodeResponse(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			body := []byte(strings.Replace(string(file(b, "text.json")), "Hello!", strings.Repeat("words ", kb<<10/6), 1))
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := (ChatWire{}).DecodeResponse(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecodeChunk(b *testing.B) {
	d := ChatWire{}.DecodeStream()
	emit := func(*llm.Event) error { return nil }
	chunk := []byte(`{"model":"llama3.2","created_at":"2025-07-07T20:22:19.184789Z","message":{"role":"assistant","content":" word"},"done":false}` + "\n")
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Decode(chunk, emit); err != nil {
			b.Fatal(err)
		}
	}
}
