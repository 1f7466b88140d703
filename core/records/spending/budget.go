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

// UnitsPerUSD is the number of money units per dollar. A unit is 1e-10 USD, so that the price of a single token is
// exact.
const UnitsPerUSD = 10_000_000_000

// Period is the interval after which a budget resets.
type Period uint8

// The periods.
const (
	_       Period = iota
	Daily          // at midnight
	Weekly         // at midnight before Monday (ISO 8601)
	Monthly        // at midnight before the first of the month
)

func (p Period) String() string {
	names := [...]string{"", "DAILY", "WEEKLY", "MONTHLY"}
	if int(p) < len(names) {
		return names[p]
	}
	return ""
}

// ParsePeriod returns the period with a name, or 0.
func ParsePeriod(name string) Period {
	for p := Daily; p <= Monthly; p++ {
		if p.String() == name {
			return p
		}
	}
	return 0
}

// Budget limits spending in a period. It applies to all exchanges that match each of Tenant, Key and Model that is set,
// and adds them together.
type Budget struct {
	ID     string // unique
	Name   string // display name
	Tenant string // tenant id; "" for all tenants
	Key    string // id or name of a key, or id of the first key of its rotations; "" for all keys
	Model  string // glob over the client's, the routed and the provider's model names; "" for all models
	Period Period
	Zone   *time.Location // time zone whose midnight counts
	Limit  int64          // units of 1e-10 USD; negative for no limit
	Tokens int64          // tokens read and written; negative for no limit
	// Soft is the percentage of the limit that triggers one notice per period; 0 for none.
	Soft int64
}

// Fits reports whether a budget applies to an exchange.
func (b *Budget) Fits(x *core.Exchange) bool {
	p := x.Principal
	if p == nil {
		return false
	}
	return (b.Tenant == "" || b.Tenant == p.Tenant) &&
		(b.Key == "" || b.Key == p.KeyID || b.Key == p.KeyName || b.Key == p.Lineage) &&
		(b.Model == "" || x.Names(b.Model) || match.MatchesModel(b.Model, x.Target.Model))
}

// FindWindow returns the period that contains t.
func (b *Budget) FindWindow(at time.Time) (start, end time.Time) {
	zone := b.Zone
	if zone == nil {
		zone = time.UTC
	}
	at = at.In(zone)
	y, m, d := at.Date()
	switch b.Period {
	case Weekly:
		d -= (int(at.Weekday()) + 6) % 7
		return findMidnight(y, m, d, zone), findMidnight(y, m, d+7, zone)
	case Monthly:
		return findMidnight(y, m, 1, zone), findMidnight(y, m+1, 1, zone)
	}
	return findMidnight(y, m, d, zone), findMidnight(y, m, d+1, zone)
}

// findMidnight returns the start of a day. Where clocks skip midnight, time.Date would return a time on the day before; the
// day then starts at the jump.
func findMidnight(y int, m time.Month, d int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if t.Hour() != 0 {
		if _, change := t.ZoneBounds(); !change.IsZero() && t.Hour() > 12 {
			return change
		}
	}
	return t
}

// holdTime is how long a reservation survives the gateway that made it.
const holdTime = time.Minute

// Limits are the counters of one budget in one period.
type Limits struct {
	Start, End time.Time
	limits     [2]core.Limit
	n          int
}

// NewLimits returns the counters of the period that contains t, with zero cost. They can be reused until that period
// ends.
func (b *Budget) NewLimits(at time.Time) *Limits {
	l := new(Limits)
	l.Start, l.End = b.FindWindow(at)
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

// ListCounters returns the counters, that of money first if there is one.
func (l *Limits) ListCounters() []core.Limit { return l.limits[:l.n:l.n] }

// Holds reports whether the period has not ended.
func (l *Limits) Holds(at time.Time) bool { return !at.Before(l.Start) && at.Before(l.End) }

// Budgets are the budgets in force and the state that counts them.
type Budgets struct {
	Counters core.Counters
	Now      func() time.Time
	Bare     func(model string) string // strips a provider's prefix; optional

	list atomic.Pointer[[]Budget]
}

// Set replaces the budgets in force. Counters are stored by budget id and period, so a budget that keeps its id keeps
// its count.
func (s *Budgets) Set(list []Budget) { s.list.Store(&list) }

// List returns the budgets in force, or nothing if the receiver is nil. It returns the same slice until the next Set;
// callers must not modify it.
func (s *Budgets) List() []Budget {
	if s == nil {
		return nil
	}
	if p := s.list.Load(); p != nil {
		return *p
	}
	return nil
}

// Left is what remains of a caller's budgets; of several, the smallest amount.
type Left struct {
	USD    int64   // units of 1e-10 USD; negative if overspent
	Money  bool    // a money budget applies
	Tokens int64   // for budgets that count tokens
	Counts bool    // a token budget applies
	Pct    float64 // of the tightest budget, 0 to 100
}

// FindRemaining returns what is left of a caller's tightest budget, in per cent of its limit. ok is false if no budget
// applies.
func (s *Budgets) FindRemaining(ctx context.Context, p *core.Principal, model string) (pct float64, exceeded, ok bool, err error) {
	left, ok, err := s.ComputeRemaining(ctx, p, model)
	if err != nil || !ok {
		return 0, false, false, err
	}
	return left.Pct, left.Money && left.USD <= 0 || left.Counts && left.Tokens <= 0, true, nil
}

// Charge records usage that was not reserved.
func (s *Budgets) Charge(ctx context.Context, x *core.Exchange, cost, tokens int64) error {
	var limits []core.Limit
	now := s.Now()
	list := s.List()
	for i := range list {
		b := &list[i]
		if !b.Fits(x) {
			continue
		}
		for k, l := range b.NewLimits(now).ListCounters() {
			if l.Actual = tokens; k == 0 && b.Limit >= 0 {
				l.Actual = cost
			}
			limits = append(limits, l)
		}
	}
	var errs []error
	for some := range slices.Chunk(limits, core.MaxLimits) {
		errs = append(errs, s.Counters.Settle(ctx, some))
	}
	return errors.Join(errs...)
}

// ComputeRemaining returns what remains of a caller's budgets for a model as the client names it. ok is false if no budget applies.
func (s *Budgets) ComputeRemaining(ctx context.Context, p *core.Principal, model string) (left Left, ok bool, err error) {
	var limits []core.Limit
	var money []bool
	x := core.Exchange{Principal: p, Head: core.Head{Model: model}}
	if s.Bare != nil {
		x.BareModel = s.Bare(model)
	}
	now := s.Now()
	list := s.List()
	for i := range list {
		b := &list[i]
		if !b.Fits(&x) {
			continue
		}
		all := b.NewLimits(now).ListCounters()
		limits = append(limits, all...)
		for k := range all {
			money = append(money, k == 0 && b.Limit >= 0)
		}
	}
	if len(limits) == 0 {
		return Left{}, false, nil
	}
	for some := range slices.Chunk(limits, core.MaxLimits) {
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
