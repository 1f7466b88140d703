package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// conversation is a request of about n bytes.
func conversation(n int) []byte {
	var b strings.Builder
	b.WriteString(
		`{"model":"gpt-5","stream":true,"instructions":"You are helpful.","tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"input":[{"role":"user","content":"Hello."}`,
	)
	for i := 0; b.Len() < n; i++ {
		role, typ := "user", "input_text"
		if i&1 == 1 {
			role, typ = "assistant", "output_text"
		}
		fmt.Fprintf(
			&b,
			`,{"type":"message","role":"%s","content":[{"type":"%s","text":"%s"}]}`,
			role,
			typ,
			strings.Repeat("Some words of a message, with a \\\"quote\\\" and a line.\\n", 8),
		)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func BenchmarkResponses(b *testing.B) {
	for _, kb := range []int{1, 10, 100} {
		x, body := &core.Exchange{}, conversation(kb<<10)
		run := func(name string, f func() bool) {
			b.Run(fmt.Sprintf("%s/%dKB", name, kb), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					if !f() {
						b.Fatal(name)
					}
				}
			})
		}
		var r *llm.Request
		run("scan", func() bool {
			x.Reset()
			x.Request.Raw = body
			return Responses{}.Scan(x) == nil
		})
		run("decode", func() bool {
			var e *core.Error
			r, e = Responses{}.Decode(x)
			return e == nil
		})
		var out []byte
		run("encode", func() bool {
			var e *core.Error
			out, e = ResponsesWire{}.EncodeRequest(out[:0], r, takesAll)
			return e == nil
		})
		a := &llm.Response{Choices: []llm.Answer{{Parts: []llm.Part{llm.NewText(strings.Repeat("Some words.\n", kb<<10/12))}}}}
		run("answer", func() bool {
			out = Responses{}.Encode(out[:0], r, a)
			return len(out) > 0
		})
		whole := append([]byte(nil), out...)
		run("decode answer", func() bool {
			_, err := ResponsesWire{}.DecodeResponse(whole)
			return err == nil
		})
	}
}

func BenchmarkResponsesPieces(b *testing.B) {
	raw := []byte(responsesDelta)
	b.Run("scan", func(b *testing.B) {
		x := &core.Exchange{}
		var ev core.Event
		b.ReportAllocs()
		for b.Loop() {
			ev.Reset(raw)
			if err := (Responses{}).ScanEvent(x, &ev); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		d := ResponsesWire{}.DecodeStream()
		emit := func(*llm.Event) error { return nil }
		b.ReportAllocs()
		for b.Loop() {
			if err := d.Decode(raw, emit); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		e := Responses{}.EncodeStream(&llm.Request{})
		begin := newOpened(llm.Part{Kind: llm.TextPart})
		piece := delta("some ")
		out := e.Append(nil, &begin)
		b.ReportAllocs()
		for b.Loop() {
			out = e.Append(out[:0], &piece)
		}
	})
}
