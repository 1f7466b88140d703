package budget

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// work is what is held for one exchange.
type work struct {
	stage    *Stage
	unheard  int            // settlements in progress at the end
	ended    *core.Exchange // set until the last of them ends
	held     []core.Limit   // for calls that were made, or may be made
	whose    []counter      // the counter of each
	since    []int          // how many attempts there were before each was held
	now      int            // those from this index on belong to the current call
	attempts int            // how many there were before that call
	question question
	refused  *account // the budget that had no room for the last call
	header   []core.Field
}

// counter is a counter of a budget.
type counter struct {
	account *account
	money   bool
}

// findTakeEnd returns the end of the Take whose limits begin at first. Between two Takes that are kept, a call was made.
func (w *work) findTakeEnd(first int) int {
	n := first + 1
	for n < len(w.held) && w.since[n] == w.since[first] {
		n++
	}
	return n
}

// Settle stores the state of the budgets after a settlement at the end of the exchange.
func (w *work) Settle(ctx context.Context, limits []core.Limit, err error) {
	if err == nil {
		first := 0
		for &w.held[first] != &limits[0] {
			first++
		}
		whose := w.whose[first : first+len(limits)]
		w.storeLeft(limits, whose)
		w.stage.notifySoftLimit(ctx, limits, whose)
	}
	w.countDownEvents(ctx)
}

// countDownEvents counts down the events that the work waits for: its settlements, and the end of Finish. The last
// event ends the work.
func (w *work) countDownEvents(ctx context.Context) {
	if w.unheard--; w.unheard == 0 {
		w.stage.notifyExceeded(ctx, w.ended, w)
		w.stage.releaseWork(w)
	}
}

func (c counter) equals(o counter) bool { return c == o }

// actualUse is what the calls that were made under one hold have used.
type actualUse struct {
	tokens, cost int64
	priced       bool // cost is known
}

// measureHold returns what to settle for the hold whose limits are first to n: the usage of the calls that were made under it.
// The last hold also gets what no single call has reported, so that all holds together settle the exchange.
func (w *work) measureHold(x *core.Exchange, first, n int) actualUse {
	if n < len(w.held) {
		return w.sumAttempts(x.Attempts[w.since[first]:w.since[n]])
	}
	before := w.sumAttempts(x.Attempts[:w.since[first]])
	return actualUse{tokens: max(x.Usage.Total()-before.tokens, 0), cost: max(x.Cost-before.cost, 0), priced: x.Priced}
}

// sumAttempts sums the usage of calls as far as it is known separately.
func (w *work) sumAttempts(list []core.Attempt) actualUse {
	a := actualUse{priced: true}
	for i := range list {
		t := &list[i]
		if !t.Usage.Known() {
			continue
		}
		a.tokens += max(t.Usage.Total(), 0)
		if p := w.stage.findPrice(&t.Target); p != nil {
			a.cost += p.ComputeCost(t.Usage).Total()
		} else {
			a.priced = false
		}
	}
	return a
}

// measureActual returns the amount to settle for a counter of a hold.
func (w *work) measureActual(a actualUse, i int) int64 {
	switch {
	case !w.whose[i].money:
		return a.tokens
	case !a.priced: // the price was known when the money was held; there is no better figure
		return w.held[i].Cost
	}
	return a.cost
}
