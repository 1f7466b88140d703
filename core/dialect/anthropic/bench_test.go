package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

const plainEvent = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" word\"}             }\n\n"

func TestReadingAPlainEventAllocatesNothing(t *testing.T) {
	x, raw := &core.Exchange{}, []byte(plainEvent)
	var ev core.Event
	read := func() {
		ev.Reset(raw)
		if err := (Messages{}).ScanEvent(x, &ev); err != nil {
			t.Fatal(err)
		}
	}
	read()
	require.Len(t, ev.Deltas, 1)
	assert.Zero(t, testing.AllocsPerRun(100, read))
}

func BenchmarkScanEvent(b *testing.B) {
	x, raw := &core.Exchange{}, []byte(plainEvent)
	var ev core.Event
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		ev.Reset(raw)
		if err := (Messages{}).ScanEvent(x, &ev); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTranslateEvent reads an event as a provider's and writes it as a client's.
func BenchmarkTranslateEvent(b *testing.B) {
	raw := []byte(plainEvent)
	d, s := MessagesWire{}.DecodeStream(), Messages{}.EncodeStream(&llm.Request{})
	var out []byte
	emit := func(ev *llm.Event) error {
		out = s.Append(out[:0], ev)
		return nil
	}
	require.NoError(
		b,
		d.Decode([]byte("data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"), emit),
	)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if err := d.Decode(raw, emit); err != nil {
			b.Fatal(err)
		}
	}
	require.NotEmpty(b, out)
}

// prompt is a conversation of about n bytes.
func prompt(n int) []byte {
	var b strings.Builder
	b.WriteString(
		`{"model":"claude-sonnet-4-5","max_tokens":1024,"stream":true,"temperature":0.7,"system":"You are helpful.","messages":[{"role":"user","content":"Hello"}`,
	)
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(
			&b,
			`,{"role":"%s","content":[{"type":"text","text":"%s"}]}`,
			[]string{"assistant", "user"}[i&1],
			strings.Repeat("Some words of a message, with a \\\"quote\\\" and a line.\\n", 8),
		)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func sizes(b *testing.B, run func(b *testing.B, body []byte)) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			body := prompt(kb << 10)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			run(b, body)
		})
	}
}

func BenchmarkScan(b *testing.B) {
	sizes(b, func(b *testing.B, body []byte) {
		x := &core.Exchange{}
		for b.Loop() {
			x.Reset()
			x.Request.Raw = body
			if e := (Messages{}).Scan(x); e != nil {
				b.Fatal(e)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	sizes(b, func(b *testing.B, body []byte) {
		x, e := scanRequest(string(body))
		require.Nil(b, e)
		for b.Loop() {
			if _, e := (Messages{}).Decode(x); e != nil {
				b.Fatal(e)
			}
		}
	})
}

func BenchmarkEncodeRequest(b *testing.B) {
	sizes(b, func(b *testing.B, body []byte) {
		x, e := scanRequest(string(body))
		require.Nil(b, e)
		r, e := Messages{}.Decode(x)
		require.Nil(b, e)
		var out []byte
		for b.Loop() {
			if out, e = (MessagesWire{}).EncodeRequest(out[:0], r, all); e != nil {
				b.Fatal(e)
			}
		}
	})
}

// answerOf is an answer of about n bytes.
func answerOf(n int) []byte {
	return []byte(`{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"` +
		strings.Repeat(
			`Some words of an answer, with a \"quote\".\n`,
			n/42,
		) + `"},{"type":"tool_use","id":"t","name":"f","input":{"a":"b"}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`)
}

func BenchmarkTranslateAnswer(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			body, r := answerOf(kb<<10), &llm.Request{}
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			var out []byte
			for b.Loop() {
				a, err := MessagesWire{}.DecodeResponse(body)
				if err != nil {
					b.Fatal(err)
				}
				out = Messages{}.Encode(out[:0], r, a)
			}
		})
	}
}
