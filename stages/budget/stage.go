// Package budget enforces the budgets of tenants, keys and models. Before each call it holds the money and tokens that
// the call can cost. When the exchange has ended, the actual cost replaces what was held.
package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/spending/bound"
)

// Name is the stage's name in the configuration.
const Name = "budget"

// Phases are those in which the stage runs. Only a target has a price; in the request phase the stage adds headers
// about the budgets, for answers that no target gives.
var Phases = core.NewPhaseSet(core.Request, core.Target)

// Stage holds what a call can cost.
type Stage struct {
	settings
	state    core.Counters
	prices   price.Lookup
	windows  Windows
	calls    Calls
	routes   Planner
	spending *spending.Budgets
	books    atomic.Pointer[books]
	cap      int64
	now      func() time.Time
	notify   func(context.Context, spending.Notice)
	counts   recall.Part // of tokens
	bounds   recall.Part // of the tokens of texts that were not counted
	looser   recall.Part // bounds for which reading part of the text was enough
	pool     sync.Pool
}

var (
	_ core.Stage      = (*Stage)(nil)
	_ core.Finisher   = (*Stage)(nil)
	_ chain.Concluder = (*Stage)(nil)
	_ recall.Stage    = (*Stage)(nil)
)

// SetMemory implements recall.Stage: the number of tokens of a text depends on the text only.
func (s *Stage) SetMemory(m recall.Memory) {
	s.counts = recall.NewPart(m, "tokens o200k_base")
	s.bounds, s.looser = recall.NewPart(m, "bound of tokens"), recall.NewPart(m, "looser bound of tokens")
}

// Deps is what the stage needs of the gateway.
type Deps struct {
	State      core.State // counts spending
	Now        func() time.Time
	Spending   *spending.Budgets // the budgets in force; optional
	Prices     price.Lookup      // optional
	Windows    Windows           // optional
	Calls      Calls             // optional
	Routes     Planner           // optional
	DefaultCap int64             // limits an answer, in tokens, if the client sets no limit; 0 for no limit
	// Notify emits a notice. It must not block. Optional.
	Notify func(ctx context.Context, n spending.Notice)
}

// Planner knows where requests for a model go.
type Planner interface {
	// Plan returns the targets that would be tried, in order, or none for a model without a route. It does not affect
	// later calls.
	Plan(model string) []core.TargetRef
}

// Windows returns the context windows of models.
type Windows interface {
	// FindContextWindow is in tokens; 0 if unknown.
	FindContextWindow(provider, model string) int64
}

// Calls are the prices of calls of tools.
type Calls interface {
	// PriceCall returns the price of one call in units of 1e-10 USD.
	PriceCall(provider, model string) int64
}

// New returns the stage for its block of the configuration. Without budgets it passes everything.
func New(s core.Settings, d Deps) (core.Stage, error) {
	c := defaults
	if s != nil {
		if err := s.Decode(&c); err != nil {
			return nil, err
		}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if d.State == nil {
		return nil, errors.New("budget needs a store for its counters; none is configured")
	}
	st := &Stage{
		settings: c, state: d.State, prices: d.Prices, windows: d.Windows, calls: d.Calls, routes: d.Routes, cap: d.DefaultCap,
		now: d.Now, notify: d.Notify,
		spending: d.Spending,
	}
	if st.now == nil {
		st.now = time.Now
	}
	st.pool.New = func() any { return &work{stage: st} }
	return st, nil
}

// Check holds what a call of the target can cost, or refuses it.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	if p != core.Request && (p != core.Target || x.Head.Task == llm.TaskCount) {
		return v, nil
	}
	w, ok := kept.(*work)
	if !ok {
		w = s.pool.Get().(*work)
	}
	v.Keep = w
	if p == core.Request {
		w.header = s.appendStanding(ctx, x, &w.question, w.header[:0])
		v.Header = w.header
		return v, nil
	}
	s.release(ctx, x, w)
	w.header = s.appendWindow(x, w.header[:0])
	q := &w.question
	if err := s.fillQuestion(x, q); err != nil {
		return core.Verdict{}, fmt.Errorf("budget: %w", err)
	}
	if v.Header = w.header; len(q.limits) == 0 {
		return v, nil
	}
	ok, err := s.reserveCost(ctx, x, q)
	if err != nil {
		return core.Verdict{}, fmt.Errorf("budget: %w", err)
	}
	w.header = q.appendHeaders(w.header)
	v.Header = w.header
	if !ok {
		w.refused = q.chooseExhausted()
		v.Action, v.Err = core.Block, w.refused.newRefusal(q)
		return v, nil
	}
	w.refused, w.attempts, w.now = nil, len(x.Attempts), len(w.held)
	w.held, w.whose = append(w.held, q.limits...), append(w.whose, q.whose...)
	for range q.limits {
		w.since = append(w.since, w.attempts)
	}
	if q.capped {
		v.Action, v.Patch.MaxTokens = core.Rewrite, q.output
	}
	return v, nil
}

// release gives back what was held for a call that was not made or cost nothing.
func (s *Stage) release(ctx context.Context, x *core.Exchange, w *work) {
	if w.now >= len(w.held) {
		return
	}
	for i := w.attempts; i < len(x.Attempts); i++ {
		if bound.MayCost(&x.Attempts[i]) {
			w.now = len(w.held) // settled at the end
			return
		}
	}
	limits := w.held[w.now:]
	for i := range limits {
		limits[i].Actual = 0
	}
	_ = s.state.Settle(ctx, limits) // if the state fails, it catches up later
	w.storeLeft(limits, w.whose[w.now:])
	w.held, w.whose, w.since = w.held[:w.now], w.whose[:w.now], w.since[:w.now]
}

// Finish replaces what was held with the actual cost of the exchange.
func (s *Stage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	w, ok := kept.(*work)
	if !ok {
		return
	}
	// If a fault of the gateway prevented the count, the cost is assumed to be the maximum.
	crashed := x.Outcome.Kind == core.Crashed && len(x.Attempts) > 0 && !x.Usage.Known()
	// The extra one is for Finish itself: settlements that are not joined end before the next begins.
	w.ended, w.unheard = x, 1
	for first := 0; first < len(w.held); { // one Take at a time, as they were made
		n := w.findTakeEnd(first)
		limits, used := w.held[first:n], w.measureHold(x, first, n)
		for i := range limits {
			limits[i].Actual = w.measureActual(used, first+i)
			if crashed {
				limits[i].Actual = limits[i].Cost
			}
		}
		w.unheard++
		x.Settle(ctx, s.state, limits, w)
		first = n
	}
	w.countDownEvents(ctx)
}

// Conclude implements chain.Concluder: the header of a whole answer states the budgets after it, excluding the
// exchange's own holds.
func (s *Stage) Conclude(x *core.Exchange, kept any) {
	w, ok := kept.(*work)
	if !ok || len(w.held) == 0 {
		return
	}
	for first := 0; first < len(w.held); {
		n := w.findTakeEnd(first)
		used := w.measureHold(x, first, n)
		for i := first; i < n; i++ {
			unused := w.held[i].Cost - w.measureActual(used, i)
			for k := range w.question.whose {
				if w.question.whose[k].equals(w.whose[i]) {
					w.question.limits[k].Left += unused
				}
			}
		}
		first = n
	}
	w.header = w.question.appendHeaders(w.header[:0])
	for _, f := range w.header {
		for i := range x.Header {
			if x.Header[i].Name == f.Name {
				x.Header[i].Value = f.Value
			}
		}
	}
}

var _ core.Settlement = (*work)(nil)

func (s *Stage) releaseWork(w *work) {
	clear(w.held)
	clear(w.whose)
	clear(w.header)
	clear(w.question.limits)
	clear(w.question.whose)
	*w = work{
		stage: s, held: w.held[:0], whose: w.whose[:0], since: w.since[:0], header: w.header[:0],
		question: question{limits: w.question.limits[:0], whose: w.question.whose[:0]},
	}
	s.pool.Put(w)
}

// ReleaseRequest implements chain.RequestReleaser: settling needs only the cost, not the request.
func (*Stage) ReleaseRequest(context.Context, *core.Exchange, any) bool { return true }
