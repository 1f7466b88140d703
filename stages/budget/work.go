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

// findTakeEnd returns the end of the Take whose limits begin at first.
func (w *work) findTakeEnd(first int) int {
	n := first + 1
	for n < len(w.held) && w.held[n].Hold == w.held[first].Hold && !w.whose[n].equals(w.whose[first]) {
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

// measureActual returns the amount to settle for a counter: the whole cost of the exchange for the first hold, nothing for the
// others.
func (w *work) measureActual(x *core.Exchange, first bool, i int) int64 {
	switch {
	case !first:
		return 0
	case !w.whose[i].money:
		return max(x.Usage.Total(), 0)
	case !x.Priced: // the price was known when the money was held; there is no better figure
		return w.held[i].Cost
	}
	return max(x.Cost, 0)
}
