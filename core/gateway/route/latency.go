package route

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// LatencySettings configure the averages of latencies.
type LatencySettings struct {
	// Smoothing is the weight of a new sample in the average, in percent.
	Smoothing int
	// Stale is how long an average is used without a new sample. After that the latency is unknown, so that a target
	// that was slow once gets another chance.
	Stale time.Duration
}

// DefaultLatency are the default settings.
var DefaultLatency = LatencySettings{Smoothing: 20, Stale: 5 * time.Minute}

// LatencyRecord is the time to first byte of a provider's model: an exponentially weighted moving average, and the last
// sample.
type LatencyRecord struct {
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	EWMA     float64   `json:"ewmaLatencyMs"`
	Raw      float64   `json:"rawLatencyMs"`
	Samples  int64     `json:"sampleCount"`
	Updated  time.Time `json:"lastUpdated"`
}

// Latencies holds the records. Like Health it outlives a Router. Safe for concurrent use.
type Latencies struct {
	set   LatencySettings
	now   func() time.Time // optional: the default is the system's clock
	start time.Time

	mu sync.Mutex
	by atomic.Pointer[map[place]*latency] // copied when it grows
}

// place is what a record measures: a provider and its name for a model.
type place struct{ provider, model string }

type latency struct {
	mu      sync.Mutex // held for a few instructions
	average float64    // in nanoseconds
	raw     time.Duration
	samples int64
	updated time.Duration // since start
	probed  atomic.Int64  // when the last probe was sent, since start; 0: never
}

// maxRecords limits the records, since clients choose model names. A new one replaces those that were not measured for
// the longest time.
const maxRecords = 1024

// NewLatencies returns an empty set of records. now is the clock. Optional: the default is time.Now.
func NewLatencies(s LatencySettings, now func() time.Time) *Latencies {
	l := &Latencies{set: s, now: now, start: readClock(now)}
	l.by.Store(&map[place]*latency{})
	return l
}

// Observe records the time to the first byte of an answer that served the client, or the time until the provider was
// abandoned as too slow.
func (l *Latencies) Observe(provider, model string, d time.Duration) {
	r := l.ensureRecord(place{provider, model})
	if r == nil || d < 0 {
		return
	}
	now := l.measureUptime()
	r.mu.Lock()
	if r.samples == 0 || now-r.updated > l.set.Stale {
		r.average = float64(d)
	} else {
		r.average += (float64(d) - r.average) * float64(l.set.Smoothing) / 100
	}
	r.raw, r.updated = d, now
	r.samples++
	r.mu.Unlock()
}

// Records returns all records, sorted by provider and model.
func (l *Latencies) Records() []LatencyRecord {
	out := []LatencyRecord{}
	for p, r := range *l.by.Load() {
		r.mu.Lock()
		n := LatencyRecord{
			Provider: p.provider, Model: p.model, EWMA: convertToMillis(r.average), Raw: convertToMillis(float64(r.raw)),
			Samples: r.samples, Updated: l.start.Add(r.updated).UTC(),
		}
		r.mu.Unlock()
		if n.Samples > 0 {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b LatencyRecord) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Model, b.Model))
	})
	return out
}

// convertToMillis returns milliseconds, rounded to a microsecond.
func convertToMillis(nanoseconds float64) float64 { return math.Round(nanoseconds/1e3) / 1e3 }

// findAverage returns the average of a place, if there is a fresh one.
func (l *Latencies) findAverage(provider, model string) (time.Duration, bool) {
	r, ok := (*l.by.Load())[place{provider, model}]
	if !ok {
		return 0, false
	}
	now := l.measureUptime()
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.average), r.samples > 0 && now-r.updated <= l.set.Stale
}

// probe lets one caller per period measure a place.
func (l *Latencies) probe(provider, model string, period time.Duration) bool {
	r := l.ensureRecord(place{provider, model})
	if r == nil {
		return false
	}
	last, now := r.probed.Load(), int64(l.measureUptime())+1
	return (last == 0 || now-last >= int64(period)) && r.probed.CompareAndSwap(last, now)
}

func (l *Latencies) measureUptime() time.Duration { return measureSince(l.now, l.start) }

// forgetOldest removes an eighth of the records to make room.
func forgetOldest(m map[place]*latency) {
	type aged struct {
		place
		at time.Duration
	}
	all := make([]aged, 0, len(m))
	for p, r := range m {
		r.mu.Lock()
		all = append(all, aged{p, r.updated})
		r.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b aged) int { return cmp.Compare(a.at, b.at) })
	for _, a := range all[:len(all)/8] {
		delete(m, a.place)
	}
}

// ensureRecord returns or creates a record, or nil for an invalid model name.
func (l *Latencies) ensureRecord(p place) *latency {
	if r, ok := (*l.by.Load())[p]; ok {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := *l.by.Load()
	if r, ok := old[p]; ok {
		return r
	}
	if len(p.model) > maxNameLength {
		return nil
	}
	r, grown := new(latency), maps.Clone(old)
	if len(grown) >= maxRecords {
		forgetOldest(grown)
	}
	grown[place{strings.Clone(p.provider), strings.Clone(p.model)}] = r
	l.by.Store(&grown)
	return r
}
