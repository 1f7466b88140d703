package wasm

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// How long a collection takes, which has to stop every goroutine, while a guest runs
// that never returns by itself. The slowest is the figure to look at.
func BenchmarkCollectDuringABusyGuest(b *testing.B) {
	for _, busy := range []bool{false, true} {
		name := "no guest"
		if busy {
			name = "a guest that loops"
		}
		b.Run(name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			ended := make(chan struct{})
			close(ended)
			if busy {
				v := loaded(b, LoadOptions{Source: hostileGuests[0].guest.bytes(), Limits: Limits{Timeout: time.Hour}})
				ended = make(chan struct{})
				go func() {
					defer close(ended)
					_, _ = v.Detect(ctx, nil, hostileText, 0) // it is cut when the benchmark ends
				}()
				for v.Stats().Calls == 0 {
					runtime.Gosched()
				}
			}
			slowest := time.Duration(0)
			for b.Loop() {
				began := time.Now()
				runtime.GC()
				slowest = max(slowest, time.Since(began))
			}
			b.ReportMetric(float64(slowest.Microseconds())/1000, "ms/slowest")
			cancel()
			<-ended
		})
	}
}
