package budget

import (
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// account is a budget, its counters of the period, and what this gateway last saw of them.
type account struct {
	spending.Budget
	period atomic.Pointer[spending.Limits]
	left   [2]atomic.Int64 // what is left of money and of tokens
}

// books are the accounts of the budgets in force.
type books struct {
	of       []spending.Budget // the budgets that they were created from
	accounts []*account
}

// listAccounts returns the accounts of the budgets in force. After the budgets have changed, the next exchange creates the
// accounts again, which costs little.
func (s *Stage) listAccounts() []*account {
	list, b := s.spending.List(), s.books.Load()
	if b != nil && len(b.of) == len(list) && (len(list) == 0 || &b.of[0] == &list[0]) {
		return b.accounts
	}
	b = &books{of: list, accounts: make([]*account, len(list))}
	for i := range list {
		a := &account{Budget: list[i]}
		for k := range a.left {
			a.left[k].Store(unknown)
		}
		b.accounts[i] = a
	}
	s.books.Store(b)
	return b.accounts
}

const unknown = int64(-1) << 62

// listLimits returns the counters of the period that contains now, without cost.
func (a *account) listLimits(now time.Time) []core.Limit {
	l := a.period.Load()
	if l == nil || !l.Holds(now) {
		l = a.NewLimits(now)
		a.period.Store(l)
		for k := range a.left {
			a.left[k].Store(unknown)
		}
	}
	return l.ListCounters()
}

// findLastSeen returns where the last seen state of a counter is stored.
func (c counter) findLastSeen() *atomic.Int64 {
	if c.money {
		return &c.account.left[0]
	}
	return &c.account.left[1]
}

// storeLeft stores the state of the counters, because the cost of a request is estimated more precisely when a budget is
// nearly used up.
func (w *work) storeLeft(limits []core.Limit, whose []counter) {
	for i := range limits {
		whose[i].findLastSeen().Store(limits[i].Left)
	}
}
