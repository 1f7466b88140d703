package cache

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/stages/cache/cachetest"
)

var sizes = []struct {
	name string
	n    int
}{{"1KB", 1 << 10}, {"10KB", 10 << 10}, {"100KB", 100 << 10}, {"300KB", 300 << 10}}

// prompt returns a chat request of about n bytes, in messages of at most 2 KB.
func prompt(n int) string {
	var parts []string
	line := strings.Repeat(`The quick brown fox jumps over the lazy dog.\n`, 1+min(n, 2<<10)/47)
	for size := 0; size < n; size += len(line) + 40 {
		parts = append(parts, `{"role":"user","content":"`+line[:47*(min(n, 2<<10)/47)]+`"}`)
	}
	return `{"model":"m","temperature":0,"user":"u","messages":[` + strings.Join(parts, ",") + `]}`
}

func BenchmarkKey(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			x := cachetest.Open(b, cachetest.Call{Body: prompt(s.n)})
			w := &work{hash: sha256.New()}
			b.SetBytes(int64(len(x.Request.Raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.computeKey(x, "", nil, new(recall.Part)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(s.name+"/remembered", func(b *testing.B) { // the segments have their sums, from the stages before
			x := cachetest.Open(b, cachetest.Call{Body: prompt(s.n)})
			w, h := &work{hash: sha256.New()}, chain.NewMemory(0)
			edited := recall.NewPart(h, "")
			b.SetBytes(int64(len(x.Request.Raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.computeKey(x, "", h, &edited); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHit measures the stage's part of a request that is answered from memory.
func BenchmarkHit(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			k := newBench(b)
			c := cachetest.Call{Body: prompt(s.n), Answer: cachetest.FormatAnswer("x")}
			k.Send(c)
			x := cachetest.Open(b, c)
			b.ReportAllocs()
			for b.Loop() {
				if v, err := stageOf(k.Link()).Check(context.Background(), x, core.Request, nil); err != nil || v.Action != core.Answer {
					b.Fatal(v.Action, err)
				}
			}
		})
	}
}

// BenchmarkMiss measures the stage's part of a request that is not answered: the lookup, and storing the answer of 1
// KB.
func BenchmarkMiss(b *testing.B) {
	answer := cachetest.FormatAnswer(strings.Repeat("x", 1<<10))
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			k := newBench(b)
			x := cachetest.Open(b, cachetest.Call{Body: prompt(s.n)})
			x.Response.Status, x.Response.Raw = 200, []byte(answer)
			x.Outcome = core.Outcome{Kind: core.Served, Complete: true}
			at := strings.Index(string(x.Request.Raw), "quick")
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				copy(x.Request.Raw[at:], fmt.Appendf(nil, "%05d", n%100000)) // another request each time
				v, err := stageOf(k.Link()).Check(context.Background(), x, core.Request, nil)
				if err != nil {
					b.Fatal(err)
				}
				if v.Action != core.Pass { // after 100,000
					continue
				}
				if _, err = stageOf(k.Link()).Check(context.Background(), x, core.Response, v.Keep); err != nil {
					b.Fatal(err)
				}
				stageOf(k.Link()).Finish(context.Background(), x, v.Keep)
			}
		})
	}
}

// BenchmarkTap measures the cost of the cache for one event of a stream.
func BenchmarkTap(b *testing.B) {
	f := &flight{whole: true, limit: 1 << 40}
	ev := []byte(cachetest.FormatDelta("twenty bytes of text"))
	b.ReportAllocs()
	for b.Loop() {
		if len(f.body) > 1<<20 {
			f.body = f.body[:0]
		}
		f.AddEvent(ev)
	}
}
