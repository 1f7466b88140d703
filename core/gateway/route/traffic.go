package route

import (
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Traffic combines the health and latency of providers and the retry rules. The zero value allows every call and
// retries none.
type Traffic struct {
	Health    *Health
	Latencies *Latencies
	Retry     RetrySettings
	Prices    Prices
}

// Allow reports whether a call may be made now; see Health.
func (t *Traffic) Allow(a Ask) (Call, bool) {
	if t.Health == nil {
		return Call{}, true
	}
	return t.Health.Allow(a)
}

// AllOpen is the refusal of a call to a provider, or to a model of it, whose circuit is open.
func (t *Traffic) AllOpen(p Provider, model string) *core.Error {
	_, left := t.Health.State(p.Name(), model)
	return AllOpen(p.Label(), left)
}

// Observe records how long a target took to begin its answer.
func (t *Traffic) Observe(target *core.TargetRef, d time.Duration) {
	if t.Latencies != nil {
		t.Latencies.Observe(target.Provider, target.Model, d)
	}
}

// Next decides what follows a failed call.
func (t *Traffic) Next(tries Tries, r Result) (time.Duration, Action) { return t.Retry.Next(tries, r) }

// Query returns the query for a plan.
func (t *Traffic) Query(model, region string) Query {
	return Query{Model: model, Region: region, Latencies: t.Latencies, Prices: t.Prices}
}
