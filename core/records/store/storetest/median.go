package storetest

import (
	"slices"
	"testing"
	"time"
)

// MeasureMedian runs a step of a benchmark again and again, and reports the median and the 99th percentile of its time in
// milliseconds: targets are set for the median, which a pause of the machine does not move.
func MeasureMedian(b *testing.B, step func() error) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := step(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
}
