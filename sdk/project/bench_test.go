package project

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/wasm"
)

// prose is text with the digits and letters that a search looks at, and no match.
func prose(n int) string {
	const line = "Dear customer, order 2024-0193 of 17 May, 4 boxes at 12.50 each, left our house at 10:45; call 030 901820 or write. "
	return strings.Repeat(line, n/len(line)+1)[:n]
}

// native is the template detector in Go, as the gateway itself would run it.
func native(text string, out []wasm.Match) []wasm.Match {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	word := func(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
	for at := 0; at < len(text); at++ {
		if !digit(text[at]) {
			continue
		}
		start := at
		for at < len(text) && digit(text[at]) {
			at++
		}
		if at-start != 16 || start > 0 && word(text[start-1]) || at < len(text) && word(text[at]) {
			continue
		}
		sum := 0
		for i := start; i < at; i++ {
			d := int(text[i] - '0')
			if (i-start)%2 == 0 {
				if d *= 2; d > 9 {
					d -= 9
				}
			}
			sum += d
		}
		if sum%10 == 0 {
			out = append(out, wasm.Match{Start: start, End: at, Score: 1})
		}
	}
	return out
}

// BenchmarkNewDetector times the template detector of each language beside the
// same in Go, on 4 KB.
func BenchmarkNewDetector(b *testing.B) {
	text := prose(4 << 10)
	b.Run("native", func(b *testing.B) {
		timeRuns(b, len(text), func() {
			if got := native(text, nil); got != nil {
				b.Fatal(got)
			}
		})
	})
	for _, lang := range Languages() {
		b.Run(lang, func(b *testing.B) { detects(b, template(b, lang, "detector"), "", text) })
	}
}

// BenchmarkSample times the samples on 4 KB.
func BenchmarkSample(b *testing.B) {
	for name, c := range sampleTexts {
		b.Run(name, func(b *testing.B) { detects(b, sample(b, name), c.config, prose(4<<10)) })
	}
}

func detects(b *testing.B, p plugin, config, text string) {
	b.Helper()
	v := p.load(b, config)
	defer v.Release(context.Background())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	timeRuns(b, len(text), func() {
		if got, err := v.Detect(ctx, nil, text, 0); err != nil || len(got) > 0 {
			b.Fatal(got, err)
		}
	})
}

// timeRuns runs a function on so many bytes, and reports the processor's time beside that
// of the clock: others may be at work on the machine.
func timeRuns(b *testing.B, bytes int, fn func()) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(bytes))
	began := processorTime(b)
	for b.Loop() {
		fn()
	}
	b.ReportMetric(float64(processorTime(b)-began)/float64(b.N), "cpu-ns/op")
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
