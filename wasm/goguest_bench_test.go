package wasm

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

func BenchmarkGoGuest(b *testing.B) {
	src := internalHost(b)
	b.Run("load cold, in a child", func(b *testing.B) {
		for b.Loop() {
			v, err := Load(
				context.Background(),
				LoadOptions{Source: src, Name: "go.wasm", Cache: childCache(b, filepath.Join(b.TempDir(), "cache"))},
			)
			if err != nil {
				b.Fatal(err)
			}
			v.Release(context.Background())
		}
	})
	cache := childCache(b, filepath.Join(b.TempDir(), "cache"))
	b.Run("load from the cache", func(b *testing.B) {
		for b.Loop() {
			v, err := Load(context.Background(), LoadOptions{Source: src, Name: "go.wasm", Cache: cache})
			if err != nil {
				b.Fatal(err)
			}
			v.Release(context.Background())
		}
	})
	v := loadModule(b, LoadOptions{Source: src, Name: "go.wasm", Cache: cache, Limits: Limits{Timeout: time.Second}})
	b.Run("instance", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			i, err := v.newInstance(context.Background(), time.Second)
			if err != nil {
				b.Fatal(err)
			}
			i.close()
		}
	})
	text := prose(4 << 10)
	b.Run("4KB", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := v.Detect(context.Background(), nil, text, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
