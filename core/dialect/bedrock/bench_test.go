package bedrock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

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
			r, t := conversation(kb<<10), claude()
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = ConverseWire{}.EncodeRequest(dst[:0], r, t)
			}
			b.SetBytes(int64(len(dst)))
		})
	}
}

func BenchmarkDecodeResponse(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			body := []byte(strings.Replace(string(file(b, "text.json")), "Here is", strings.Repeat("words ", kb<<10/6), 1))
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := (ConverseWire{}).DecodeResponse(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// deltaFrame is one chunk of a text, as Bedrock sends it.
func deltaFrame(t testing.TB) []byte {
	return frame(t, map[string]string{":event-type": "contentBlockDelta", ":content-type": "application/json", ":message-type": "event"}, `{"contentBlockIndex":0,"delta":{"text":" word"},"p":"abcdefghijklmnopqrstuvwx"}`)
}

func BenchmarkDecodeChunk(b *testing.B) {
	d := ConverseWire{}.DecodeStream()
	emit := func(*llm.Event) error { return nil }
	chunk := deltaFrame(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Decode(chunk, emit); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLibraryFrame is AWS's decoder alone, on the same frame: what a chunk costs
// whose headers are not those of the chunk before.
func BenchmarkLibraryFrame(b *testing.B) {
	d, chunk := eventstream.NewDecoder(), deltaFrame(b)
	var r bytes.Reader
	payload := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(chunk)
		if _, err := d.Decode(&r, payload); err != nil {
			b.Fatal(err)
		}
	}
}
