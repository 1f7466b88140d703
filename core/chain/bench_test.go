package chain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// BenchmarkRequest is the chain's own cost: an edit for every hundred bytes of
// a prompt, by one link, with two more that pass.
func BenchmarkRequest(b *testing.B) {
	for _, kb := range []int{1, 8, 100} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			body := []byte(
				`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat(strings.Repeat("word ", 18)+"0123456789", kb*10) + `"}]}`,
			)
			var edits []core.Edit
			for i := range kb * 10 {
				edits = append(edits, core.Edit{Start: i*100 + 90, End: i*100 + 100, With: token})
			}
			c := newChain(b, nil, link("a", &guard{}), link("edit", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
				return core.Verdict{Action: core.Rewrite, Edits: edits}, nil
			}}), link("b", &guard{}))
			x := new(core.Exchange)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				x.Reset()
				x.Request.Raw = body
				if e := (openai.Chat{}).Scan(x); e != nil {
					b.Fatal(e)
				}
				if d := c.RunRequest(context.Background(), x); d.Action != core.Pass {
					b.Fatal(d.Err)
				}
			}
		})
	}
}

// BenchmarkStreamEvent is one event through a filter: text that passes, and text
// with a placeholder that is restored.
func BenchmarkStreamEvent(b *testing.B) {
	for name, text := range map[string]string{"passes": " word", "restored": " " + token} {
		b.Run(name, func(b *testing.B) {
			c := newChain(b, vault{}, link("restore", restoring(map[string]string{token: "joe@example.com"}).stage()))
			x := newRequest(b, helloRequest)
			c.RunRequest(context.Background(), x)
			s, e := c.Stream(context.Background(), x, openai.Chat{})
			if e != nil {
				b.Fatal(e)
			}
			defer s.Close(context.Background())
			raw := []byte(contentOf(0, text))
			var ev core.Event
			var out []byte
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				ev.Reset(raw)
				if err := (openai.Chat{}).ScanEvent(x, &ev); err != nil {
					b.Fatal(err)
				}
				if out, e = s.RunEvent(context.Background(), &ev, out[:0]); e != nil {
					b.Fatal(e)
				}
			}
		})
	}
}
