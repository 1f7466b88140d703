package circuit

import "sync/atomic"

// Outcome says what the result of a call tells about the callee.
type Outcome uint8

// The outcomes.
const (
	Success Outcome = iota
	Failure
	Neutral // the call says nothing about the callee
)

// Streak is a Breaker that opens after a number of failures in a row.
type Streak struct {
	Breaker
	limit    int32
	failures atomic.Int32
}

// NewStreak returns a closed circuit that limit failures in a row open.
func NewStreak(limit int, s Settings) *Streak {
	k := &Streak{limit: int32(limit)}
	k.Init(s)
	return k
}

// Report ends a call that Allow permitted.
func (k *Streak) Report(p Permit, o Outcome) {
	switch {
	case !p.IsCurrent():
	case !p.IsTrial():
		k.count(p, o)
	case o == Success:
		p.Succeed()
	case o == Failure:
		p.Trip()
	default:
		p.Release()
	}
}

// Count counts a call that needed no permit, and reports whether it opened the circuit. While the circuit is not closed it
// counts nothing.
func (k *Streak) Count(o Outcome) (opened bool) {
	if w := k.word.Load(); readState(w) == Closed {
		return k.count(Permit{&k.Breaker, w}, o)
	}
	return false
}

func (k *Streak) count(p Permit, o Outcome) (opened bool) {
	switch o {
	case Success:
		if k.failures.Load() != 0 {
			k.failures.Store(0)
		}
	case Failure:
		if k.failures.Add(1) >= k.limit && p.IsCurrent() {
			k.failures.Store(0)
			p.Trip()
			return true
		}
	}
	return false
}

// Failures returns how many calls in a row have failed since the circuit closed.
func (k *Streak) Failures() int { return int(k.failures.Load()) }
