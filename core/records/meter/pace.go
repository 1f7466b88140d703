package meter

import (
	"context"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Span is how far back the pace of traffic is shown, and in what steps.
type Span struct {
	Name  string
	Step  time.Duration
	Steps int
}

// The spans. Steps of a minute are kept for three hours, steps of an hour for ever.
var (
	LastHour = Span{"hour", time.Minute, 60}
	LastDay  = Span{"day", time.Hour, 24}
	LastWeek = Span{"week", 3 * time.Hour, 56}
)

// PaceStep is what happened in a step of time, by when exchanges began. Those of the last second may still wait to be
// written.
type PaceStep struct {
	Calls int64 // exchanges
	// Served were answered by a provider, and Answered by a stage in its place, as from the cache. Blocked were refused by
	// a stage, Failed by a fault of a provider, a stage or the gateway, and Refused for what the client had sent.
	Served, Answered, Blocked, Failed, Refused int64
	Cost                                       int64 // units of 1e-10 USD
	// P50 and P95 are of the latencies of exchanges that were answered, to about a tenth; 0: there were none.
	P50, P95 time.Duration
	times    [store.LatencyBuckets]int64
}

// Pace is how traffic went.
type Pace struct {
	Span  Span
	From  time.Time // of the first step
	Steps []PaceStep
	Sum   PaceStep
	Now   PaceStep // the last five minutes
}

// nowMinutes is how long Now is.
const nowMinutes = 5

// ReadPace reads how traffic has gone until now, for one tenant or, with "", for all.
func ReadPace(ctx context.Context, db *store.DB, tenant string, span Span, now time.Time) (Pace, error) {
	last := now.UTC().Truncate(span.Step)
	p := Pace{Span: span, From: last.Add(-time.Duration(span.Steps-1) * span.Step), Steps: make([]PaceStep, span.Steps)}
	rows, err := db.Usage().ListPace(ctx, tenant, p.From, last.Add(span.Step), span.Step)
	if err != nil {
		return Pace{}, fmt.Errorf("pace: %w", err)
	}
	first := p.From.Unix() / int64(span.Step/time.Second)
	for i := range rows {
		r := &rows[i]
		if at := r.Span - first; at >= 0 && at < int64(span.Steps) {
			p.Steps[at].add(r)
		}
		p.Sum.add(r)
	}
	minutes, err := db.Usage().ListPace(ctx, tenant, now.Add(-nowMinutes*time.Minute), now.Add(time.Minute), time.Minute)
	if err != nil {
		return Pace{}, fmt.Errorf("pace: %w", err)
	}
	for i := range minutes {
		p.Now.add(&minutes[i])
	}
	for i := range p.Steps {
		p.Steps[i].settle()
	}
	p.Sum.settle()
	p.Now.settle()
	return p, nil
}

func (s *PaceStep) add(r *store.UsagePace) {
	s.Calls += r.Calls
	s.Cost += r.Cost
	switch r.Outcome {
	case core.Served.String():
		s.Served += r.Calls
	case core.Answered.String():
		s.Answered += r.Calls
	case core.Blocked.String():
		s.Blocked += r.Calls
		return
	case core.Faulted.String(), core.UpstreamErr.String(), core.Crashed.String():
		s.Failed += r.Calls
		return
	default: // refused, or the client has left
		s.Refused += r.Calls
		return
	}
	if r.Bucket >= 0 && r.Bucket < len(s.times) {
		s.times[r.Bucket] += r.Calls
	}
}

func (s *PaceStep) settle() { s.P50, s.P95 = quantile(&s.times, .5), quantile(&s.times, .95) }

// quantile is the latency that a share of them stays below, taking those of a bucket as spread evenly over it.
func quantile(times *[store.LatencyBuckets]int64, share float64) time.Duration {
	total := int64(0)
	for _, n := range times {
		total += n
	}
	if total == 0 {
		return 0
	}
	want, seen := share*float64(total), 0.0
	for i, n := range times {
		if n > 0 && seen+float64(n) >= want {
			low, high := store.LatencyFrom(i), store.LatencyFrom(i+1)
			return max(low+time.Duration(float64(high-low)*(want-seen)/float64(n)), 100*time.Microsecond)
		}
		seen += float64(n)
	}
	return store.LatencyFrom(store.LatencyBuckets)
}
