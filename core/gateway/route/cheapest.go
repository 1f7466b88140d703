package route

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Prices tells what a call would cost.
type Prices interface {
	// Cost is the price of the call at hand, of whatever size the caller takes it
	// to have, if it were sent to this model; false: no price is known. Only
	// the order of the costs of one plan counts.
	Cost(provider, model string) (cost int64, known bool)
}

// standing is what a target's place in the plan goes by.
type standing struct {
	class   uint8
	cost    int64
	average time.Duration
	target  core.TargetRef
}

// Classes of targets, in the order in which they are tried.
const (
	fast       = iota // the average meets the limit
	unmeasured        // nothing is known, or nothing new
	slow
)

// probePeriod is the least time between two calls that are sent to a target
// only to learn how fast it is.
const probePeriod = time.Second

// cheapest orders a plan in place: first the targets that meet the limit, the
// cheapest first; then those whose latency is not known, the cheapest first;
// then the rest, the fastest first. Without a known price a target comes after
// its like that have one. Equals keep the order of the strategy.
//
// A target of unknown latency that is cheaper than all that meet the limit is
// tried first by one call in a probePeriod (or in the limit, if that is
// longer), so that it becomes known.
func (l *Latencies) cheapest(plan []core.TargetRef, limit time.Duration, prices Prices) {
	var room [8]standing
	order := room[:0]
	for i := range plan {
		t := &plan[i]
		s := standing{class: unmeasured, cost: math.MaxInt64, target: *t}
		if average, ok := l.average(t.Provider, t.Model); ok {
			if s.class, s.average = fast, average; average > limit {
				s.class = slow
			}
		}
		if cost, ok := prices.Cost(t.Provider, t.Model); ok {
			s.cost = cost
		}
		order = append(order, s)
	}
	slices.SortStableFunc(order, func(a, b standing) int {
		if d := cmp.Compare(a.class, b.class); d != 0 || a.class != slow {
			return cmp.Or(d, cmp.Compare(a.cost, b.cost))
		}
		return cmp.Compare(a.average, b.average)
	})
	if order[0].class == fast {
		i := slices.IndexFunc(order, func(s standing) bool { return s.class == unmeasured })
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
