package wasm

import (
	"math"
	"time"
)

// allowance is the fuel and time that one call may use. Fuel is the limit that does not depend on the machine or its load. The time is a
// backstop for code that is slow for its weight, such as code that misses the caches.
type allowance struct {
	fuel int64 // in units of weight, as the meter counts them
	time time.Duration
}

// newTimeAllowance returns an allowance of d with unlimited fuel.
func newTimeAllowance(d time.Duration) allowance { return allowance{math.MaxInt64, d} }

// Allowance of a call whose link sets neither a timeout nor fuel: the fuel that the fastest measured code, at 0.1 ns per unit, uses in
// that time, with several times that time as the backstop.
const (
	detectorTime = 5 * time.Millisecond
	stageTime    = 50 * time.Millisecond
	timePer10KB  = time.Millisecond

	fuelPerMicrosecond = 10_000
	backstop           = 10
)

// slowestUnit is the time that the backstop allows per unit of configured fuel.
const slowestUnit = time.Nanosecond

// budget computes the allowance of each call of a link.
type budget struct {
	timeout time.Duration // of the link; 0: depends on the length of the text
	fuel    int64         // of the link; 0: derived from the timeout
	base    time.Duration // for an empty text
}

func (v *Version) newBudget() budget {
	b := budget{timeout: v.limits.Timeout, fuel: v.limits.Fuel, base: detectorTime}
	if v.has.judges {
		b.base = stageTime
	}
	return b
}

// scalesWithText reports whether the length of each text determines its allowance.
func (b budget) scalesWithText() bool { return b.timeout == 0 && b.fuel == 0 }

// computeAllowance returns the allowance for a text of n bytes.
func (b budget) computeAllowance(n int) allowance {
	usual := b.base + time.Duration(n)*timePer10KB/10_000
	switch {
	case b.timeout > 0 && b.fuel > 0:
		return allowance{b.fuel, b.timeout}
	case b.timeout > 0:
		return newTimeAllowance(b.timeout)
	case b.fuel > 0:
		return allowance{b.fuel, max(backstop*usual, time.Duration(min(b.fuel, int64(time.Hour)))*slowestUnit)}
	}
	return allowance{usual.Microseconds() * fuelPerMicrosecond, backstop * usual}
}
