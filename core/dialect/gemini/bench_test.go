package gemini

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

const plainChunk = `data: {"candidates": [{"content": {"parts": [{"text": " word"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 7,"candidatesTokenCount": 2,"totalTokenCount": 103,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 7}],"thoughtsTokenCount": 94},"modelVersion": "gemini-3.7-flash","responseId": "WQuqavG5KbfUjMcPuP_n6QI"}` + "\r\n\r\n"

func TestReadingAPlainChunkAllocatesNothing(t *testing.T) {
	x, raw := &core.Exchange{}, []byte(plainChunk)
	var ev core.Event
	read := func() {
		ev.Reset(raw)
		if err := (Generate{}).ScanEvent(x, &ev); err != nil {
			t.Fatal(err)
		}
	}
	read()
	require.Len(t, ev.Deltas, 1)
	assert.Zero(t, testing.AllocsPerRun(100, read))
}

func TestTranslatingAPlainChunkAllocatesLittle(t *testing.T) {
	d, e := GenerateWire{}.DecodeStream(), Generate{}.EncodeStream(&llm.Request{})
	var out []byte
	emit := func(ev *llm.Event) error {
		out = e.Append(out[:0], ev)
		return nil
	}
	raw := []byte(plainChunk)
	n := testing.AllocsPerRun(100, func() {
		if err := d.Decode(raw, emit); err != nil {
			t.Fatal(err)
		}
	})
	assert.LessOrEqual(t, n, 10.0)
}

func BenchmarkScanEvent(b *testing.B) {
	x, raw := &core.Exchange{}, []byte(plainChunk)
	var ev core.Event
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		ev.Reset(raw)
		if err := (Generate{}).ScanEvent(x, &ev); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTranslateChunk(b *testing.B) {
	d, e := GenerateWire{}.DecodeStream(), Generate{}.EncodeStream(&llm.Request{})
	var out []byte
	emit := func(ev *llm.Event) error {
		out = e.Append(out[:0], ev)
		return nil
	}
	raw := []byte(plainChunk)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if err := d.Decode(raw, emit); err != nil {
			b.Fatal(err)
		}
	}
}

// prompt is a conversation of about n bytes.
func prompt(n int) []byte {
	var b strings.Builder
	b.WriteString(
		`{"systemInstruction":{"parts":[{"text":"You are helpful."}]},"generationConfig":{"temperature":0.7},"contents":[{"parts":[{"text":"Hello."}]}`,
	)
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(
			&b,
			`,{"role":"%s","parts":[{"text":"%s"}]}`,
			[]string{"model", "user"}[i&1],
			strings.Repeat("Some words of a message, with a \\\"quote\\\" and a line.\\n", 8),
		)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// runSizes runs a benchmark over requests of three sizes.
func runSizes(b *testing.B, run func(x *core.Exchange, body []byte) bool) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			x, body := &core.Exchange{}, prompt(kb<<10)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if !run(x, body) {
					b.Fatal("refused")
				}
			}
		})
	}
}

func BenchmarkScan(b *testing.B) {
	runSizes(b, func(x *core.Exchange, body []byte) bool {
		x.Reset()
		x.Request.Raw = body
		return Generate{}.Scan(x) == nil
	})
}

func BenchmarkDecode(b *testing.B) {
	runSizes(b, func(x *core.Exchange, body []byte) bool {
		x.Request.Raw = body
		_, e := Generate{}.Decode(x)
		return e == nil
	})
}

func BenchmarkEncodeRequest(b *testing.B) {
	var out []byte
	var r *llm.Request
	runSizes(b, func(x *core.Exchange, body []byte) bool {
		if len(x.Request.Raw) != len(body) {
			x.Request.Raw = body
			r, _ = Generate{}.Decode(x)
		}
		var e *core.Error
		out, e = GenerateWire{}.EncodeRequest(out[:0], r, all)
		return e == nil
	})
}
