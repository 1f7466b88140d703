package wasm

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

// Compares the cost of resetting an instance with that of creating a new one.
func BenchmarkIsolate(b *testing.B) {
	for _, g := range []struct {
		name   string
		source func(testing.TB) []byte
	}{{"C", employeeID}, {"Go", internalHost}} {
		b.Run(g.name, func(b *testing.B) {
			cache := childCache(b, filepath.Join(b.TempDir(), "cache"))
			load := func(l Isolation) *Version {
				return loadModule(b, LoadOptions{Source: g.source(b), Name: "x.wasm", Cache: cache, Limits: Limits{Isolate: l, Timeout: time.Second}})
			}
			call := load(IsolateCall)
			b.Run("reset", func(b *testing.B) {
				i, err := call.newInstance(context.Background(), time.Second)
				if err != nil {
					b.Fatal(err)
				}
				defer i.close()
				b.ReportAllocs()
				for b.Loop() {
					if !i.reset() {
						b.Fatal("it cannot be reset")
					}
				}
			})
			b.Run("new instance", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					i, err := call.newInstance(context.Background(), time.Second)
					if err != nil {
						b.Fatal(err)
					}
					i.close()
				}
			})
			text := prose(256)
			for _, l := range []Isolation{IsolateNone, IsolateCall} {
				b.Run("256B, isolate "+l.String(), func(b *testing.B) {
					v := load(l)
					b.ReportAllocs()
					for b.Loop() {
						if _, err := v.Detect(context.Background(), nil, text, 0); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
