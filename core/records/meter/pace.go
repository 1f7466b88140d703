package meter

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Span is the length of a Pace and of its steps.
type Span struct {
	Name  string
	Step  time.Duration
	Steps int
}

// The spans. Minute steps are kept for three hours, hour steps for ever.
var (
	LastHour = Span{"hour", time.Minute, 60}
	LastDay  = Span{"day", time.Hour, 24}
	LastWeek = Span{"week", 3 * time.Hour, 56}
)

// PaceStep counts the exchanges that began in one step. Those of the last second may still be missing.
type PaceStep struct {
	Calls int64 // exchanges
	// Served counts exchanges that a provider answered, Answered those that a stage answered, such as the cache.
	// Blocked were refused by a stage, Failed by a fault of a provider, a stage or the gateway, and Refused because of
	// the client's request.
	Served, Answered, Blocked, Failed, Refused int64
	Cost                                       int64 // units of 1e-10 USD
	// P50 and P95 are latencies of answered exchanges, accurate to about a tenth; 0 without answers.
	P50, P95 time.Duration
	times    [store.LatencyBuckets]int64
}

// Pace is the traffic of a span.
type Pace struct {
	Span  Span
	From  time.Time // start of the first step
	Steps []PaceStep
	Sum   PaceStep
	Now   PaceStep // the last five minutes
	// Blocked are the links that blocked exchanges, those that blocked most first.
	Blocked []LinkPace
}

// LinkPace counts the exchanges that one link blocked.
type LinkPace struct {
	Link  string
	Steps []int64
	Sum   int64
}

// nowMinutes is the length of Now.
const nowMinutes = 5

// ReadPace returns the traffic up to now for one tenant, or for all tenants if tenant is empty.
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
	blocked, err := db.Usage().ListBlocked(ctx, tenant, p.From, last.Add(span.Step), span.Step)
	if err != nil {
		return Pace{}, fmt.Errorf("pace: %w", err)
	}
	p.addBlocked(blocked, first)
	minutes, err := db.Usage().ListPace(ctx, tenant, now.Add(-nowMinutes*time.Minute), now.Add(time.Minute), time.Minute)
	if err != nil {
		return Pace{}, fmt.Errorf("pace: %w", err)
	}
	for i := range minutes {
		p.Now.add(&minutes[i])
	}
	for i := range p.Steps {
		p.Steps[i].computeQuantiles()
	}
	p.Sum.computeQuantiles()
	p.Now.computeQuantiles()
	return p, nil
}

// addBlocked adds what links blocked. first is the number of the first step since 1970.
func (p *Pace) addBlocked(rows []store.UsageLink, first int64) {
	for _, r := range rows {
		at := slices.IndexFunc(p.Blocked, func(l LinkPace) bool { return l.Link == r.Link })
		if at < 0 {
			at = len(p.Blocked)
			p.Blocked = append(p.Blocked, LinkPace{Link: r.Link, Steps: make([]int64, p.Span.Steps)})
		}
		if step := r.Span - first; step >= 0 && step < int64(p.Span.Steps) {
			p.Blocked[at].Steps[step] += r.Calls
			p.Blocked[at].Sum += r.Calls
		}
	}
	slices.SortStableFunc(p.Blocked, func(a, b LinkPace) int { return cmp.Compare(b.Sum, a.Sum) })
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
	default: // refused, or the client hung up
		s.Refused += r.Calls
		return
	}
	if r.Bucket >= 0 && r.Bucket < len(s.times) {
		s.times[r.Bucket] += r.Calls
	}
}

func (s *PaceStep) computeQuantiles() {
	s.P50, s.P95 = findQuantile(&s.times, .5), findQuantile(&s.times, .95)
}

// findQuantile returns the latency below which the given share lies. It assumes an even spread within each bucket.
func findQuantile(times *[store.LatencyBuckets]int64, share float64) time.Duration {
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
			low, high := store.ConvertLatency(i), store.ConvertLatency(i+1)
			return max(low+time.Duration(float64(high-low)*(want-seen)/float64(n)), 100*time.Microsecond)
		}
		seen += float64(n)
	}
	return store.ConvertLatency(store.LatencyBuckets)
}
