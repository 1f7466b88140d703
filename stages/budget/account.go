package budget

import (
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// account is a budget, its counters of the period, and what this gateway last saw
// of them.
type account struct {
	core.Budget
	period atomic.Pointer[core.BudgetLimits]
	left   [2]atomic.Int64 // of money and of tokens
}

const unknown = int64(-1) << 62

// limits are the counters of the period that now lies in, without cost.
func (a *account) limits(now time.Time) []core.Limit {
	l := a.period.Load()
	if l == nil || !l.Holds(now) {
		l = a.Limits(now)
		a.period.Store(l)
		for k := range a.left {
			a.left[k].Store(unknown)
		}
	}
	return l.All()
}

// last is where what was seen of a counter is kept.
func (c counter) last() *atomic.Int64 {
	if c.money {
		return &c.account.left[0]
	}
	return &c.account.left[1]
}

// note keeps how counters stand: near its end a budget is reckoned with more
// exactly.
func (w *work) note(limits []core.Limit, whose []counter) {
	for i := range limits {
		whose[i].last().Store(limits[i].Left)
	}
}
