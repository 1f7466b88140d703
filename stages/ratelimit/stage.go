// Package ratelimit limits how much callers send: requests and tokens per time, and concurrent requests, for each key,
// tenant and model, and for all together.
package ratelimit

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending/bound"
)

// Name is the stage's name in the configuration.
const Name = "ratelimit"

// Phases are those in which the stage runs.
var Phases = core.NewPhaseSet(core.Request)

// Stage takes from the limits when a request arrives, and corrects the count of its tokens when it ends.
type Stage struct {
	name     string
	state    core.Counters
	rules    []limit
	defaults Defaults
	lease    time.Duration
	cap      int64
	bare     func(model string) string // without a provider's prefix
	byModel  bool                      // plans depend on the model
	plans    plans
	pool     sync.Pool
}

var (
	_ core.Stage    = (*Stage)(nil)
	_ core.Finisher = (*Stage)(nil)
)

// Deps is what the stage needs of the gateway.
type Deps struct {
	Name       string        // of the link; part of the names of counters
	State      core.Counters // counts requests and tokens
	Routes     Namer         // optional
	DefaultCap int64         // limits an answer, in tokens, if the client sets no limit; 0 for no limit
}

// Namer knows the names of models.
type Namer interface {
	// StripPrefix returns a model's name without a provider's prefix.
	StripPrefix(model string) string
}

// New returns the stage for its block of the configuration. Without limits it passes everything.
func New(s core.Settings, d Deps) (core.Stage, error) {
	var c settings
	if s != nil {
		if err := s.Decode(&c); err != nil {
			return nil, err
		}
	}
	rules, err := c.buildRules()
	if err != nil {
		return nil, err
	}
	if d.State == nil {
		return nil, errors.New("ratelimit needs a store for its counters; none is configured")
	}
	st := &Stage{name: d.Name, state: d.State, rules: rules, lease: c.Lease, cap: d.DefaultCap}
	st.bare = func(model string) string { return model }
	if d.Routes != nil {
		st.bare = d.Routes.StripPrefix
	}
	st.defaults = Defaults{c.GlobalRequestsPerSecond, c.DefaultPerKeyRequestsPerSecond, c.DefaultPerKeyTokensPerMinute}
	for i := range rules {
		st.byModel = st.byModel || len(rules[i].Models) > 0 || slices.Contains(rules[i].Per, perModel)
	}
	st.plans.seed = maphash.MakeSeed()
	st.pool.New = func() any { return &work{stage: st} }
	return st, nil
}

// work is what is taken for one exchange.
type work struct {
	stage  *Stage
	plan   *plan
	limits []core.Limit
	header []core.Field
	taken  bool
}

// Check takes from all limits, or refuses.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	if p != core.Request || len(s.rules) == 0 {
		return core.Verdict{Action: core.Pass}, nil
	}
	w, ok := kept.(*work)
	if !ok {
		w = s.pool.Get().(*work)
	}
	w.plan = s.findPlan(x)
	w.limits = append(w.limits[:0], w.plan.limits...)
	for i, u := range w.plan.units {
		w.limits[i].Cost = 1
		if u == tokens {
			w.limits[i].Cost = bound.Estimate(x, s.cap)
		}
	}
	if len(w.limits) == 0 {
		return core.Verdict{Action: core.Pass, Keep: w}, nil
	}
	ok, err := s.state.Take(ctx, w.limits)
	if err != nil {
		s.releaseWork(w)
		return core.Verdict{}, err
	}
	w.taken = ok
	w.header = w.appendHeaders(w.header[:0])
	v := core.Verdict{Action: core.Pass, Header: w.header, Keep: w}
	if !ok {
		v.Action, v.Err = core.Block, w.newRefusal()
	}
	return v, nil
}

// Finish gives back what was taken and not used.
func (s *Stage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	w, ok := kept.(*work)
	if !ok {
		return
	}
	if w.taken {
		used := int64(0)
		if len(x.Attempts) > 0 { // an answer of a stage uses no tokens
			used = max(x.Usage.Total(), 0)
		}
		for i, u := range w.plan.units {
			w.limits[i].Actual = w.limits[i].Cost
			if u == tokens {
				w.limits[i].Actual = used
			}
		}
		x.Settle(ctx, s.state, w.limits, w)
		return
	}
	s.releaseWork(w)
}

var _ core.Settlement = (*work)(nil)

// Settle ends the work. If the state fails, it catches up later, so there is nothing to do here.
func (w *work) Settle(context.Context, []core.Limit, error) { w.stage.releaseWork(w) }

func (s *Stage) releaseWork(w *work) {
	w.plan, w.taken = nil, false
	clear(w.header)
	s.pool.Put(w)
}

// ReleaseRequest implements chain.RequestReleaser: settling needs only the usage, not the request.
func (*Stage) ReleaseRequest(context.Context, *core.Exchange, any) bool { return true }
