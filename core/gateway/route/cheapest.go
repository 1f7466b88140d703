package route

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Prices returns the price of a call.
type Prices interface {
	// FindCallPrice returns the price of the current call with this model, or false if no price is known. The caller decides on
	// the size of the call: only the order of the costs within a plan matters.
	FindCallPrice(provider, model string) (cost int64, known bool)
}

// targetRank holds the sort keys of a target.
type targetRank struct {
	class   uint8
	cost    int64
	average time.Duration
	target  core.TargetRef
}

// Classes of targets, in the order they are tried.
const (
	fast       = iota // the average meets the limit
	unmeasured        // unknown or stale
	slow
)

// probePeriod is the shortest time between two calls that exist only to measure a target.
const probePeriod = time.Second

// sortByCost sorts a plan in place: first the targets within the limit, the cheapest first; then those of unknown
// latency, the cheapest first; then the rest, the fastest first. Targets without a price come last within their class.
// Equal targets keep the strategy's order.
//
// A target of unknown latency that is cheaper than all within the limit is tried first by one call per probePeriod (or
// per limit, if that is longer), to measure it.
func (l *Latencies) sortByCost(plan []core.TargetRef, limit time.Duration, prices Prices) {
	var room [8]targetRank
	order := room[:0]
	for i := range plan {
		t := &plan[i]
		s := targetRank{class: unmeasured, cost: math.MaxInt64, target: *t}
		if average, ok := l.findAverage(t.Provider, t.Model); ok {
			if s.class, s.average = fast, average; average > limit {
				s.class = slow
			}
		}
		if cost, ok := prices.FindCallPrice(t.Provider, t.Model); ok {
			s.cost = cost
		}
		order = append(order, s)
	}
	slices.SortStableFunc(order, func(a, b targetRank) int {
		if d := cmp.Compare(a.class, b.class); d != 0 || a.class != slow {
			return cmp.Or(d, cmp.Compare(a.cost, b.cost))
		}
		return cmp.Compare(a.average, b.average)
	})
	if order[0].class == fast {
		i := slices.IndexFunc(order, func(s targetRank) bool { return s.class == unmeasured })
		if i > 0 && order[i].cost < order[0].cost && l.probe(order[i].target.Provider, order[i].target.Model, max(limit, probePeriod)) {
			first := order[i]
			copy(order[1:i+1], order[:i])
			order[0] = first
		}
	}
	for i := range order {
		plan[i] = order[i].target
	}
}
