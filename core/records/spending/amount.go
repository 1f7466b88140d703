package spending

import (
	"context"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Amount is one budget that applies to an exchange, with what was spent of it and what is left.
type Amount struct {
	ID, Name    string
	Period      string
	Soft        int64 // the share at which a notice is due, in per cent; 0: none
	Start, End  time.Time
	Money       bool // it limits money: Limit, Spent and Left are in units of 1e-10 USD
	Limit       int64
	Spent, Left int64
	Counts      bool // it limits tokens
	Tokens      int64
	SpentTokens int64
	LeftTokens  int64
}

// FindAmounts returns the budgets that apply to an exchange, in one round trip for up to core.MaxLimits limits.
func (s *Budgets) FindAmounts(ctx context.Context, x *core.Exchange) ([]Amount, error) {
	var out []Amount
	var limits []core.Limit
	var money []bool
	var of []int // index in out of each limit
	now := s.Now()
	list := s.List()
	for i := range list {
		b := &list[i]
		if !b.Fits(x) {
			continue
		}
		l := b.NewLimits(now)
		out = append(out, Amount{ID: b.ID, Name: b.Name, Period: b.Period.String(), Soft: b.Soft, Start: l.Start, End: l.End})
		for k, one := range l.ListCounters() {
			limits, of, money = append(limits, one), append(of, len(out)-1), append(money, k == 0 && b.Limit >= 0)
		}
	}
	for some := range slices.Chunk(limits, core.MaxLimits) {
		if _, err := s.Counters.Take(ctx, some); err != nil {
			return nil, err
		}
	}
	for i := range limits {
		a, l := &out[of[i]], &limits[i]
		if money[i] {
			a.Money, a.Limit, a.Spent, a.Left = true, l.Max, l.Spent, l.Left
		} else {
			a.Counts, a.Tokens, a.SpentTokens, a.LeftTokens = true, l.Max, l.Spent, l.Left
		}
	}
	return out, nil
}
