package wasm

import (
	"context"
	"maps"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"
)

// stopping is the runtime metric of how long the runtime waited for all goroutines to stop for a collection.
const stopping = "/sched/pauses/stopping/gc:seconds"

// Measures how long a collection takes, which has to stop every goroutine, while a guest runs that never returns on its own: each of the
// hostile guests that are cut by time. The design allows 5 ms on an idle machine. The longest wait for goroutines to stop is the guest's
// share; the rest is the work of the collector and of other programs, which the row without a guest shows.
func BenchmarkCollectDuringABusyGuest(b *testing.B) {
	b.Run("no guest", collect)
	guests := listTimed()
	for _, name := range slices.Sorted(maps.Keys(guests)) {
		b.Run(name, func(b *testing.B) {
			v := loadModule(b, LoadOptions{Source: guests[name].bytes(), Limits: Limits{Timeout: time.Hour}})
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for ctx.Err() == nil {
					_, _ = v.Detect(ctx, nil, "!", 0) // cut when the benchmark ends
				}
			}()
			for v.ticks.Load() == 0 {
				runtime.Gosched()
			}
			collect(b)
			cancel()
			<-ended
		})
	}
}

func collect(b *testing.B) {
	before := stops()
	var times []time.Duration
	for b.Loop() {
		began := time.Now()
		runtime.GC()
		times = append(times, time.Since(began))
	}
	after, longest := stops(), 0.0
	for k, n := range after.Counts {
		if n > before.Counts[k] {
			longest = after.Buckets[k+1]
		}
	}
	slices.Sort(times)
	for name, at := range map[string]int{"ms/p50": len(times) / 2, "ms/p99": len(times) * 99 / 100, "ms/slowest": len(times) - 1} {
		b.ReportMetric(float64(times[at].Microseconds())/1000, name)
	}
	b.ReportMetric(longest*1000, "ms/longest-stop")
}

func stops() *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: stopping}}
	metrics.Read(s)
	h := s[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: slices.Clone(h.Counts), Buckets: h.Buckets}
}
