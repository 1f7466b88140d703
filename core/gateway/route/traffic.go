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

// NewAllOpenError returns the refusal of a call to a provider, or to a model of it, whose circuit is open.
func (t *Traffic) NewAllOpenError(p Provider, model string) *core.Error {
	_, left := t.Health.ReadState(p.Name(), model)
	return NewAllOpenError(p.Label(), left)
}

// Observe records how long a target took to begin its answer.
func (t *Traffic) Observe(target *core.TargetRef, d time.Duration) {
	if t.Latencies != nil {
		t.Latencies.Observe(target.Provider, target.Model, d)
	}
}

// ChooseNext decides what follows a failed call.
func (t *Traffic) ChooseNext(tries Tries, r Result) (time.Duration, Action) {
	return t.Retry.ChooseNext(tries, r)
}

// BuildQuery returns the query for a plan.
func (t *Traffic) BuildQuery(model, region string) Query {
	return Query{Model: model, Region: region, Latencies: t.Latencies, Prices: t.Prices}
}
