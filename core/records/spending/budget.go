package spending

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
)

// UnitsPerUSD is how many units of money are a dollar: money is counted in whole
// units of 1e-10 USD, so that the price of a single token is exact.
const UnitsPerUSD = 10_000_000_000

// Period is how often a budget begins anew.
type Period uint8

// Periods.
const (
	_       Period = iota
	Daily          // at midnight
	Weekly         // at midnight before Monday, as ISO 8601 has it
	Monthly        // at midnight before the first
)

func (p Period) String() string {
	names := [...]string{"", "DAILY", "WEEKLY", "MONTHLY"}
	if int(p) < len(names) {
		return names[p]
	}
	return ""
}

// ParsePeriod is the period of a name, or 0.
func ParsePeriod(name string) Period {
	for p := Daily; p <= Monthly; p++ {
		if p.String() == name {
			return p
		}
	}
	return 0
}

// Budget bounds what is spent in a period. It holds for all exchanges that fit
// each of Tenant, Key and Model that is set.
type Budget struct {
	ID     string // unique
	Name   string // as people read it
	Tenant string // tenant id; "": every tenant, together
	Key    string // id or name of a key, or the id of the first key that it took the place of; "": every key, together
	Model  string // glob over the names of the model: the client's, the routed one, the provider's; "": every model, together
	Period Period
	Zone   *time.Location // whose midnight counts
	Limit  int64          // units of 1e-10 USD; negative: none
	Tokens int64          // read and written; negative: none
	// Soft is the share of the limit, in percent, at which a notice is given once; 0:
	// none is.
	Soft int64
}

// Fits reports whether a budget holds for an exchange.
func (b *Budget) Fits(x *core.Exchange) bool {
	p := x.Principal
	if p == nil {
		return false
	}
	return (b.Tenant == "" || b.Tenant == p.Tenant) &&
		(b.Key == "" || b.Key == p.KeyID || b.Key == p.KeyName || b.Key == p.Lineage) &&
		(b.Model == "" || x.Names(b.Model) || match.GlobModel(b.Model, x.Target.Model))
}

// Window is the period that a moment lies in.
func (b *Budget) Window(at time.Time) (start, end time.Time) {
	zone := b.Zone
	if zone == nil {
		zone = time.UTC
	}
	at = at.In(zone)
	y, m, d := at.Date()
	switch b.Period {
	case Weekly:
		d -= (int(at.Weekday()) + 6) % 7
		return midnight(y, m, d, zone), midnight(y, m, d+7, zone)
	case Monthly:
		return midnight(y, m, 1, zone), midnight(y, m+1, 1, zone)
	}
	return midnight(y, m, d, zone), midnight(y, m, d+1, zone)
}

// midnight is when a day begins. Where clocks are put on at midnight there is no such
// time, and time.Date gives one of the day before: the day begins when they are.
func midnight(y int, m time.Month, d int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if t.Hour() != 0 {
		if _, change := t.ZoneBounds(); !change.IsZero() && t.Hour() > 12 {
			return change
		}
	}
	return t
}

// holdTime is how long what is held of a budget outlives a gateway that has died.
const holdTime = time.Minute

// Limits are the counters of one budget in one period.
type Limits struct {
	Start, End time.Time
	limits     [2]core.Limit
	n          int
}

// Limits gives the counters of the period that a moment lies in, without cost. They
// can be kept until that period has ended.
func (b *Budget) Limits(at time.Time) *Limits {
	l := new(Limits)
	l.Start, l.End = b.Window(at)
	tenant := b.Tenant
	if tenant == "" {
		tenant = "*"
	}
	key := "{" + tenant + "}budget:" + b.ID + ":" + b.Period.String() + ":" + strconv.FormatInt(l.Start.Unix(), 10)
	if b.Limit >= 0 {
		l.limits[l.n] = core.Limit{Kind: core.Spend, Key: key + ":usd", Max: b.Limit, Period: holdTime, Ends: l.End}
		l.n++
	}
	if b.Tokens >= 0 {
		l.limits[l.n] = core.Limit{Kind: core.Spend, Key: key + ":tokens", Max: b.Tokens, Period: holdTime, Ends: l.End}
		l.n++
	}
	return l
}

// All gives the counters: that of money first, if there is one.
func (l *Limits) All() []core.Limit { return l.limits[:l.n:l.n] }

// Holds reports whether the period is not over.
func (l *Limits) Holds(at time.Time) bool { return !at.Before(l.Start) && at.Before(l.End) }

// Budgets is what budgets there are, and where they are counted.
type Budgets struct {
	Counters core.Counters
	Now      func() time.Time
	Bare     func(model string) string // without a provider's prefix; may be nil

	list atomic.Pointer[[]Budget]
}

// Set puts budgets in force in the place of those before. Whoever asks from now on
// is told by them; what was counted under a budget's id stays, as its counters are
// kept under that and the period.
func (s *Budgets) Set(list []Budget) { s.list.Store(&list) }

// List gives the budgets in force. The same list is given until Set is called; it must
// not be changed. A nil Spending has none.
func (s *Budgets) List() []Budget {
	if s == nil {
		return nil
	}
	if p := s.list.Load(); p != nil {
		return *p
	}
	return nil
}

// Left is how the budgets of a caller stand. The smallest of each counts.
type Left struct {
	USD    int64   // units of 1e-10 USD; negative: overspent
	Money  bool    // there is a budget of money
	Tokens int64   // of budgets that count tokens
	Counts bool    // there is one
	Pct    float64 // of the tightest, 0 to 100
}

// Remaining tells what is left of the tightest budget of a caller, in per cent of its limit. ok is false when none applies.
func (s *Budgets) Remaining(ctx context.Context, p *core.Principal, model string) (pct float64, exceeded, ok bool, err error) {
	left, ok, err := s.Left(ctx, p, model)
	if err != nil || !ok {
		return 0, false, false, err
	}
	return left.Pct, left.Money && left.USD <= 0 || left.Counts && left.Tokens <= 0, true, nil
}

// Charge settles what was used without having been held.
func (s *Budgets) Charge(ctx context.Context, x *core.Exchange, cost, tokens int64) error {
	var limits []core.Limit
	now := s.Now()
	list := s.List()
	for i := range list {
		b := &list[i]
		if !b.Fits(x) {
			continue
		}
		for k, l := range b.Limits(now).All() {
			if l.Actual = tokens; k == 0 && b.Limit >= 0 {
				l.Actual = cost
			}
			limits = append(limits, l)
		}
	}
	var errs []error
	for some := range slices.Chunk(limits, core.MostLimits) {
		errs = append(errs, s.Counters.Settle(ctx, some))
	}
	return errors.Join(errs...)
}

// Left tells how the budgets of a caller stand, for a model as the client names it.
// ok is false when none holds.
func (s *Budgets) Left(ctx context.Context, p *core.Principal, model string) (left Left, ok bool, err error) {
	var limits []core.Limit
	var money []bool
	x := core.Exchange{Principal: p, Head: core.Head{Model: model}}
	if s.Bare != nil {
		x.Bare = s.Bare(model)
	}
	now := s.Now()
	list := s.List()
	for i := range list {
		b := &list[i]
		if !b.Fits(&x) {
			continue
		}
		all := b.Limits(now).All()
		limits = append(limits, all...)
		for k := range all {
			money = append(money, k == 0 && b.Limit >= 0)
		}
	}
	if len(limits) == 0 {
		return Left{}, false, nil
	}
	for some := range slices.Chunk(limits, core.MostLimits) {
		if _, err := s.Counters.Take(ctx, some); err != nil {
			return Left{}, false, err
		}
	}
	left.Pct = 100
	for i := range limits {
		l := &limits[i]
		left.Pct = min(left.Pct, l.PctLeft())
		if money[i] {
			if !left.Money || l.Left < left.USD {
				left.USD, left.Money = l.Left, true
			}
		} else if !left.Counts || l.Left < left.Tokens {
			left.Tokens, left.Counts = l.Left, true
		}
	}
	return left, true, nil
}
