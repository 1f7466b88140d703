package guest

import (
	"errors"
	"time"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// LimitKind says how a limit counts.
type LimitKind uint32

// Kinds of limits; see wasm/abi.
const (
	Rate       = LimitKind(abi.LimitRate)
	Concurrent = LimitKind(abi.LimitConcurrent)
	Spend      = LimitKind(abi.LimitSpend)
)

// Limit is one limit and the units that the exchange requests from it. Keys are private to the plugin, and separate for
// each tenant.
type Limit struct {
	Kind LimitKind
	Key  string
	Cost int64 // units to take; 0: only read the counter
	Max  int64 // units available in total
	// Period is, for a rate, the time in which Max units are replenished. For other kinds it is the longest time that a
	// hold lasts; 0: an hour.
	Period time.Duration
	Burst  int64     // rate: the most units at once; 0: Max
	Ends   time.Time // spend: when the counter expires

	// Results of Take.
	Short bool          // there was no room for Cost
	Left  int64         // units that can be taken now
	Spent int64         // spend: units settled so far; concurrent: units held
	Wait  time.Duration // rate, with Short: until Cost can be taken; negative: never
	Reset time.Duration // rate: until all units are available again
}

// ErrUnavailable means that the store did not answer. The plugin decides what that means for the exchange.
var ErrUnavailable = errors.New("the store of the gateway does not answer")

// ErrFull means that a Take needs another counter, but the plugin has reached its limit.
// Use fewer keys or shorter periods.
var ErrFull = errors.New("the plugin has reached the limit of counters")

// limitRecords is the buffer for limits in the host's layout.
var limitRecords []byte

// Take takes from all limits or from none, and sets their results. hold is greater than 0 if it took: store it with Keep
// until the phase finish, and pass it to Settle there. The manifest must request the capability state.
func Take(limits []Limit) (hold int64, err error) {
	limitRecords = limitRecords[:0]
	for i := range limits {
		l := &limits[i]
		r := abi.Limit{
			Kind: uint32(l.Kind), KeyPtr: findAddress(l.Key), KeyLen: uint32(len(l.Key)), Cost: l.Cost, Max: l.Max,
			Period: l.Period.Milliseconds(), Burst: l.Burst,
		}
		if !l.Ends.IsZero() {
			r.Ends = l.Ends.UnixMilli()
		}
		var b [abi.LimitSize]byte
		abi.PutLimit(b[:], &r)
		limitRecords = append(limitRecords, b[:]...)
	}
	hold = take(limits, limitRecords)
	for i := range limits {
		r, l := abi.GetLimit(limitRecords[i*abi.LimitSize:]), &limits[i]
		l.Short, l.Left, l.Spent = r.Flags&abi.LimitShort != 0, r.Left, r.Spent
		l.Wait, l.Reset = time.Duration(r.Wait)*time.Millisecond, time.Duration(r.Reset)*time.Millisecond
	}
	switch {
	case hold == abi.TakeFull:
		return 0, ErrFull
	case hold < 0:
		return 0, ErrUnavailable
	}
	return hold, nil
}

// Settle replaces the amounts that Take reserved by the amounts used, one for each of its limits. settled is false if the
// hold was settled before or has expired.
func Settle(hold int64, used ...int64) (settled bool, err error) {
	switch settle(hold, used) {
	case 0:
		return true, nil
	case abi.Unavailable:
		return false, ErrUnavailable
	}
	return false, nil
}

// Get returns a copy of a value. ok is false without a value for the key.
func Get(key string) (value []byte, ok bool, err error) {
	b, code := readWhole(func(to []byte) uint32 { return stateGet(key, to) })
	switch code {
	case 0:
		return append([]byte(nil), b...), true, nil
	case abi.Unavailable:
		return nil, false, ErrUnavailable
	}
	return nil, false, nil
}

// ErrTooLong means that a value exceeds abi.MaxStateValue bytes. It was not stored.
var ErrTooLong = errors.New("the value is longer than 1 MiB")

// Put stores a copy of value for a time. A ttl of 0 removes the key.
func Put(key string, value []byte, ttl time.Duration) error {
	if len(value) > abi.MaxStateValue {
		return ErrTooLong
	}
	if statePut(key, value, ttl.Milliseconds()) != 0 {
		return ErrUnavailable
	}
	return nil
}
