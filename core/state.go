package core

import (
	"context"
	"errors"
	"time"
)

// Values keeps small values for a time, in this process or shared between nodes. It is safe for concurrent use.
type Values interface {
	// Get returns a value, which the caller must not modify. ok is false if it does not exist or has expired.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// Set keeps a copy of value for ttl, which must be positive.
	Set(ctx context.Context, key string, value []byte, ttl time.Duration) error
	// Delete deletes a value, if it exists.
	Delete(ctx context.Context, key string) error
}

// MaxLimits limits the number of limits of a Take or a Settle.
const MaxLimits = 64

// Counters counts what is limited: rates, concurrent use, and spending in a period. It is safe for concurrent use.
type Counters interface {
	// Take takes Cost from every limit, or from none, and sets the results of all of them. ok is false if a limit has
	// no room; its Short is then set. A limit with Cost 0 is only read. All of this happens at one instant of one
	// clock, which nodes that share the counters share too, and in one round trip.
	//
	// What was taken from limits of kind Concurrent and Spend is held until Settle.
	Take(ctx context.Context, limits []Limit) (ok bool, err error)
	// Settle replaces what Take took with the actual use, Actual, and sets the results. Call it once after each Take
	// that returned ok, with the same limits. Actual may exceed what was taken; the counter then exceeds its maximum.
	Settle(ctx context.Context, limits []Limit) error
	// Seed sets a counter of kind Spend to what was spent according to the records. It does not lower a counter, and
	// keeps what is held.
	Seed(ctx context.Context, key string, spent int64, ends time.Time) error
}

// Settlement is what a stage waits for when it settles.
type Settlement interface {
	// Settle is called once for each call of Exchange.Settle, with the results in limits or the error of
	// Counters.Settle.
	Settle(ctx context.Context, limits []Limit, err error)
}

// State is the state of stages across exchanges, in memory or in Redis.
type State interface {
	Values
	Counters
}

// spaced is a State with its own bounds, whose parts are separate: entries of one part take no room from the others,
// nor from the state itself.
type spaced interface {
	State
	// OpenSpace returns the part with a name, the same one as long as the state lives.
	OpenSpace(name string) State
}

// OpenSpace returns a part of a state, for code that is not trusted to use little of it. A state on a server, which has
// its own bounds, has no parts.
func OpenSpace(s State, name string) State {
	if parts, ok := s.(spaced); ok {
		return parts.OpenSpace(name)
	}
	return s
}

// ErrStateFull is the error of a Take that would need another counter than the state can hold.
var ErrStateFull = errors.New("too many counters are kept")

// LimitKind says how a limit counts.
type LimitKind uint8

// Kinds of limits.
const (
	_ LimitKind = iota
	// Rate admits units at an even pace, by GCRA: up to Burst at once, and Max in each Period after that.
	Rate
	// Concurrent limits what is held at the same time.
	Concurrent
	// Spend limits the sum of what was settled and what is held, until Ends.
	Spend
)

// Limit is one limit and what an exchange takes from it.
type Limit struct {
	Kind LimitKind
	// Key names the counter. Keys of one Take that hold the same part in braces lie
	// on one node of a Redis Cluster.
	Key  string
	Cost int64 // units to take, not negative
	Max  int64 // units there are, not negative
	// Period is, for Rate, the time in which Max units become available again. For Concurrent and Spend it is how long
	// a hold outlives its process.
	Period time.Duration
	Burst  int64     // Rate: most units at once; 0: Max
	Ends   time.Time // Spend: when the counter expires

	// Actual is the actual use, not negative; for Settle. Concurrent ignores it.
	Actual int64

	// Results of Take and Settle.
	Short bool          // there was no room for Cost
	Left  int64         // units that could be taken now; negative if more than Max was settled
	Spent int64         // Spend: what was settled so far; Concurrent: what is held
	Wait  time.Duration // Rate, with Short: until Cost could be taken; negative: Cost is more than Burst, so never
	Reset time.Duration // Rate: until all units are available again
	Hold  uint64        // set by the implementation: what Settle settles
}

// PctLeft returns the share of Max that is left, in percent: 0 to 100.
func (l *Limit) PctLeft() float64 {
	if l.Max <= 0 || l.Left <= 0 {
		return 0
	}
	return min(100, 100*float64(l.Left)/float64(l.Max))
}
