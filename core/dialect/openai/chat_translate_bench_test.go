package openai

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func BenchmarkDecode(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			x, body := &core.Exchange{}, prompt(kb<<10)
			x.Request.Raw = body
			require.Nil(b, Chat{}.Scan(x))
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, e := (Chat{}).Decode(x); e != nil {
					b.Fatal(e)
				}
			}
		})
	}
}

func BenchmarkEncodeRequest(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			body := prompt(kb << 10)
			r := translate(b, string(body))
			var out []byte
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				var e *core.Error
				if out, e = (ChatWire{}).EncodeRequest(out[:0], r, everyTrait); e != nil {
					b.Fatal(e)
				}
			}
		})
	}
}

// answer is a whole answer of about n bytes.
func answer(n int) []byte {
	text := bytes.Repeat([]byte("Some words of an answer, and a line.\\n"), n/38+1)
	return fmt.Appendf(
		nil,
		`{"id":"chatcmpl-1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`,
		text,
	)
}

func BenchmarkAnswer(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		body := answer(kb << 10)
		a, err := ChatWire{}.DecodeResponse(body)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("decode/%dKB", kb), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := (ChatWire{}).DecodeResponse(body); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("encode/%dKB", kb), func(b *testing.B) {
			r, out := &llm.Request{}, []byte(nil)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				out = Chat{}.Encode(out[:0], r, a)
			}
		})
	}
}

// chunkThrough decodes one chunk and encodes what it says.
func chunkThrough(t testing.TB) (step func()) {
	dec, enc := ChatWire{}.DecodeStream(), Chat{}.EncodeStream(&llm.Request{Model: "m"})
	raw := []byte(plainChunk)
	var out []byte
	emit := func(ev *llm.Event) error {
		out = enc.Append(out[:0], ev)
		return nil
	}
	return func() {
		if err := dec.Decode(raw, emit); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTranslatingAChunkAllocatesLittle(t *testing.T) {
	step := chunkThrough(t)
	step()
	assert.LessOrEqual(t, testing.AllocsPerRun(100, step), 10.0)
}

func BenchmarkTranslateChunk(b *testing.B) {
	step := chunkThrough(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(plainChunk)))
	for b.Loop() {
		step()
	}
}

func BenchmarkEmbeddingsScan(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			text := bytes.Repeat([]byte("Some words of a text, and a line.\\n"), 15)
			body := []byte(`{"model":"text-embedding-3-small","input":["x"`)
			for len(body) < kb<<10 {
				body = append(append(append(body, `,"`...), text...), '"')
			}
			body = append(body, "]}"...)
			x := &core.Exchange{}
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				x.Reset()
				x.Request.Raw = body
				if e := (Embeddings{}).Scan(x); e != nil {
					b.Fatal(e)
				}
			}
		})
	}
}
