package bedrock

import (
	"bytes"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/headgate-dev/headgate/core/llm"
)

// deltaFrame is one chunk of a text, as Bedrock sends it.
func deltaFrame(t testing.TB) []byte {
	return frame(
		t,
		map[string]string{":event-type": "contentBlockDelta", ":content-type": "application/json", ":message-type": "event"},
		`{"contentBlockIndex":0,"delta":{"text":" word"},"p":"abcdefghijklmnopqrstuvwx"}`,
	)
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
