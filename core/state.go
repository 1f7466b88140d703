package core

import (
	"context"
	"errors"
	"time"
)

// Values keeps small values for a time, in this process or shared between nodes.
// Its methods may be called from any goroutine.
type Values interface {
	// Get gives a value, which the caller must not change. ok is false when there
	// is none, or its time is over.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// Set keeps a copy of value for ttl, which must be positive.
	Set(ctx context.Context, key string, value []byte, ttl time.Duration) error
	// Delete forgets a value, if there is one.
	Delete(ctx context.Context, key string) error
}

// MostLimits is how many limits a Take or a Settle may have.
const MostLimits = 64

// Counters keeps what is limited: rates, what runs at the same time, and what is
// spent in a period. Its methods may be called from any goroutine.
type Counters interface {
	// Take takes Cost from every limit, or from none, and fills the results of all
	// of them. ok is false when one has no room; Short tells which. A limit with
	// Cost 0 is looked at only. All happens at one instant of one clock, which nodes
	// that share the counters share too, and in one round trip.
	//
	// What was taken from limits of kind Concurrent and Spend is held until Settle.
	Take(ctx context.Context, limits []Limit) (ok bool, err error)
	// Settle puts what was really used, Actual, in place of what Take took, and
	// fills the results. It must be called once after a Take that gave ok, with the
	// same limits. More may be settled than was taken; the counter then stands above
	// its maximum.
	Settle(ctx context.Context, limits []Limit) error
	// Seed gives a counter of kind Spend what the records say was spent. One in which
	// more was settled already is left as it is; what is held in it stays held.
	Seed(ctx context.Context, key string, spent int64, ends time.Time) error
}

// Settlement is what a stage waits for when it settles.
type Settlement interface {
	// Settled is called once for each call of Exchange.Settle, with the results in limits or the error of
	// Counters.Settle.
	Settled(ctx context.Context, limits []Limit, err error)
}

// State is what stages remember from one exchange to the next, in memory or in
// Redis.
type State interface {
	Values
	Counters
}

// spaced is a State with its own bounds, whose parts are separate: entries of one part take no room from the others,
// nor from the state itself.
type spaced interface {
	State
	// Space gives the part with a name. It is the same one as long as the state lives.
	Space(name string) State
}

// SpaceOf gives a part of a state, for code that is not trusted to use little of it. A
// state whose bounds are not the gateway's own, a server's, has no parts.
func SpaceOf(s State, name string) State {
	if parts, ok := s.(spaced); ok {
		return parts.Space(name)
	}
	return s
}

// ErrStateFull is the error of a Take that would need a new counter where as many are kept
// as may be.
var ErrStateFull = errors.New("too many counters are kept")

// LimitKind says how a limit counts.
type LimitKind uint8

// Kinds of limits.
const (
	_ LimitKind = iota
	// Rate lets units through at an even pace, by GCRA: up to Burst at once, and Max in each Period after that.
	Rate
	// Concurrent bounds what is held at the same time.
	Concurrent
	// Spend bounds the sum of what was settled and what is held, until Ends.
	Spend
)

// Limit is one limit and what an exchange wants of it.
type Limit struct {
	Kind LimitKind
	// Key names the counter. Keys of one Take that hold the same part in braces lie
	// on one node of a Redis Cluster.
	Key  string
	Cost int64 // units to take, not negative
	Max  int64 // units there are, not negative
	// Period is, for Rate, the time in which Max units come back. For Concurrent and
	// Spend it is how long a hold outlives a process that has died with it.
	Period time.Duration
	Burst  int64     // Rate: most units at once; 0: Max
	Ends   time.Time // Spend: when the counter is of no use any more

	// Actual is what was used in the end, not negative; for Settle. Concurrent takes
	// no notice of it.
	Actual int64

	// Results of Take and Settle.
	Short bool          // there was no room for Cost
	Left  int64         // units that could be taken now; negative when more was settled than there was
	Spent int64         // Spend: what was settled so far; Concurrent: what is held
	Wait  time.Duration // Rate, with Short: until Cost could be taken; negative: Cost is more than Burst, so never
	Reset time.Duration // Rate: until nothing is taken any more
	Hold  uint64        // of the implementation: what Settle settles
}

// PctLeft is the share of Max that is left, in percent: 0 to 100.
func (l *Limit) PctLeft() float64 {
	if l.Max <= 0 || l.Left <= 0 {
		return 0
	}
	return min(100, 100*float64(l.Left)/float64(l.Max))
}
