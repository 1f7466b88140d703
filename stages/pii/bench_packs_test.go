package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkPacks runs the engine with the first six types, those on by default,
// and all of them.
func BenchmarkPacks(b *testing.B) {
	six := []string{"EMAIL", "CREDIT_CARD", "US_SSN", "IBAN", "PHONE", "IP_ADDRESS"}
	for _, o := range []struct {
		name    string
		options Options
	}{{"six", Options{Types: six}}, {"default", Options{}}, {"all", Options{Packs: []string{packAll}}}} {
		e, err := NewEngine(o.options)
		require.NoError(b, err)
		for _, text := range []struct{ name, text string }{
			{"clean-4KB", prose(4<<10, 0)},
			{"clean-100KB", prose(100<<10, 0)},
			{"values-4KB", prose(4<<10, 60)},
			{"chat-8KB", chat(8 << 10)},
			{"json-100KB", strings.Repeat(`{"role":"user","index":12,"name":"abc_def","id":"7f3a9c","size":10240,"ok":true,"at":"2024-05-01T10:00:00Z"},`, 1000)[:100_000]},
			{"letters-100KB", strings.Repeat("just words and words with no number in them at all, ", 2000)[:100_000]},
			{"capitals-100KB", strings.Repeat("JUST WORDS AND WORDS WITH NO NUMBER IN THEM AT ALL, ", 2000)[:100_000]},
			{"code-100KB", strings.Repeat("\tfor i := range s.items { if s.items[i].key == want_key { return s.items[i].value, nil } } // see x_y-z\n", 1000)[:100_000]},
		} {
			b.Run(o.name+"/"+text.name, func(b *testing.B) {
				dst := make([]Match, 0, 1000)
				b.SetBytes(int64(len(text.text)))
				b.ReportAllocs()
				for b.Loop() {
					dst = e.Detect(dst[:0], text.text)
				}
				b.ReportMetric(float64(len(dst)), "matches")
			})
		}
	}
}
