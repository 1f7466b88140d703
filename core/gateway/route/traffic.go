package route

import (
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Traffic is what is known of the providers while they are called, and the rules
// for calling them again. Its zero value lets every call through and repeats none.
type Traffic struct {
	Health    *Health
	Latencies *Latencies
	Retry     RetrySettings
	Prices    Prices
}

// Allow says whether a provider may be called now; see Health.
func (t *Traffic) Allow(provider string) (Call, bool) {
	if t.Health == nil {
		return Call{}, true
	}
	return t.Health.Allow(provider)
}

// AllOpen is the refusal of a call to a provider that is left alone.
func (t *Traffic) AllOpen(p core.Provider) *core.Error {
	_, left := t.Health.State(p.Name())
	return AllOpen(p.Label(), left)
}

// Observe notes how long a target took to begin its answer.
func (t *Traffic) Observe(target *core.TargetRef, d time.Duration) {
	if t.Latencies != nil {
		t.Latencies.Observe(target.Provider, target.Model, d)
	}
}

// Next decides what comes after a call that did not succeed.
func (t *Traffic) Next(tries Tries, r Result) (time.Duration, Action) { return t.Retry.Next(tries, r) }

// Query is the question for a plan.
func (t *Traffic) Query(model, region string) Query {
	return Query{Model: model, Region: region, Latencies: t.Latencies, Prices: t.Prices}
}
