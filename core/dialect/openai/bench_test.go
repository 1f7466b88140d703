package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

const plainChunk = `data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini","service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"

func TestReadingAPlainChunkAllocatesNothing(t *testing.T) {
	x, raw := &core.Exchange{}, []byte(plainChunk)
	var ev core.Event
	read := func() {
		ev.Reset(raw)
		if err := (Chat{}).ScanEvent(x, &ev); err != nil {
			t.Fatal(err)
		}
	}
	read()
	require.Len(t, ev.Deltas, 1)
	assert.Zero(t, testing.AllocsPerRun(100, read))
}

func BenchmarkScanEvent(b *testing.B) {
	x, raw := &core.Exchange{}, []byte(plainChunk)
	var ev core.Event
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		ev.Reset(raw)
		if err := (Chat{}).ScanEvent(x, &ev); err != nil {
			b.Fatal(err)
		}
	}
}

// prompt is a conversation of about n bytes.
func prompt(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"gpt-4o-mini","stream":true,"temperature":0.7,"messages":[{"role":"system","content":"You are helpful."}`)
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(
			&b,
			`,{"role":"%s","content":"%s"}`,
			[]string{"user", "assistant"}[i&1],
			strings.Repeat("Some words of a message, with a \\\"quote\\\" and a line.\\n", 8),
		)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func BenchmarkScan(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			x, body := &core.Exchange{}, prompt(kb<<10)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				x.Reset()
				x.Request.Raw = body
				if e := (Chat{}).Scan(x); e != nil {
					b.Fatal(e)
				}
			}
		})
	}
}

func BenchmarkForward(b *testing.B) {
	x, body := &core.Exchange{}, prompt(8<<10)
	x.Request.Raw = body
	if e := (Chat{}).Scan(x); e != nil {
		b.Fatal(e)
	}
	traits := core.Traits{Model: "gpt-5", LimitField: "max_completion_tokens", DefaultCap: 4096, StreamUsage: true}
	cuts, _ := Chat{}.AppendForwardCuts(x, traits, nil)
	b.ReportAllocs()
	for b.Loop() {
		var e *core.Error
		if cuts, e = (Chat{}).AppendForwardCuts(x, traits, cuts[:0]); e != nil {
			b.Fatal(e)
		}
	}
}

// BenchmarkScanResponse reads an answer of about 600 bytes.
func BenchmarkScanResponse(b *testing.B) {
	raw := []byte(`{"id":"chatcmpl-mock0000000000000000000001","object":"chat.completion","created":1790000000,"model":"gpt-4o-mini",` +
		`"choices":[{"index":0,"message":{"role":"assistant","content":"` + strings.Repeat("some words of an answer, ", 9) + `","refusal":null},` +
		`"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":120,"completion_tokens":40,"total_tokens":160,` +
		`"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}},"system_fingerprint":"fp_mock"}`)
	x := &core.Exchange{}
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		x.Response.Reset()
		x.Response.Raw = raw
		if err := (Chat{}).ScanResponse(x); err != nil {
			b.Fatal(err)
		}
	}
}
