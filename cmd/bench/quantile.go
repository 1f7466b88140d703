package main

import (
	"slices"
	"time"
)

// quantiles describes a set of durations in microseconds.
type quantiles struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// computeQuantiles returns nil for no values. A quantile q is the smallest value that at least the share q of all values
// does not exceed.
func computeQuantiles[T any](s []T, of func(T) time.Duration) *quantiles {
	if len(s) == 0 {
		return nil
	}
	v := make([]time.Duration, len(s))
	var sum time.Duration
	for i, x := range s {
		v[i] = of(x)
		sum += v[i]
	}
	slices.Sort(v)
	at := func(perMille int) float64 { return convertToMicros(v[(len(v)*perMille+999)/1000-1]) }
	return &quantiles{
		Mean: convertToMicros(sum / time.Duration(len(v))),
		P50:  at(500),
		P90:  at(900),
		P99:  at(990),
		P999: at(999),
		Max:  convertToMicros(v[len(v)-1]),
	}
}

func convertToMicros(d time.Duration) float64 { return float64(d.Nanoseconds()/100) / 10 }

// computeMedian returns 0 for no values; it does not change v.
func computeMedian(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func (q *quantiles) p50() float64 {
	if q == nil {
		return 0
	}
	return q.P50
}

func (q *quantiles) p99() float64 {
	if q == nil {
		return 0
	}
	return q.P99
}
