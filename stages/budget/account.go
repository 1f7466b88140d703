package budget

import (
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// account is a budget, its counters of the period, and what this gateway last saw
// of them.
type account struct {
	spending.Budget
	period atomic.Pointer[spending.Limits]
	left   [2]atomic.Int64 // of money and of tokens
}

// books are the accounts of the budgets in force.
type books struct {
	of       []spending.Budget // which they were made of
	accounts []*account
}

// accounts gives those of the budgets in force. They are made anew when other budgets are: by whichever exchange comes
// first, since making them costs little.
func (s *Stage) accounts() []*account {
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
