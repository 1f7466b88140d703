package state

import (
	"math"
	"math/bits"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// longest is the longest supported time in microseconds. Its sum with the current time stays exact in the
// floating-point numbers of a Redis script.
const longest = int64(1) << 51

// pace is a Rate limit in microseconds, by the generic cell rate algorithm. Each counter stores one time, at which it
// is empty again. Taking moves that time ahead; there is room while it is at most tolerance ahead of now.
type pace struct {
	put       int64 // how far Cost moves the time ahead
	tolerance int64
}

func newPace(l *core.Limit) pace {
	if l.Max <= 0 {
		return pace{put: min(l.Cost, 1)}
	}
	burst := l.Burst
	if burst <= 0 {
		burst = l.Max
	}
	return pace{put: measureSpan(l, l.Cost), tolerance: measureSpan(l, burst)}
}

// measureSpan returns the time in which the units are replenished, rounded up so that no more than Max units pass.
func measureSpan(l *core.Limit, units int64) int64 {
	if l.Max <= 0 || units <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(units), uint64(max(l.Period.Microseconds(), 1)))
	lo, carry := bits.Add64(lo, uint64(l.Max-1), 0)
	hi += carry
	if hi >= uint64(l.Max) {
		return longest
	}
	n, _ := bits.Div64(hi, lo, uint64(l.Max))
	return int64(min(n, uint64(longest)))
}

// fill returns the state of a Rate limit whose time is ahead microseconds from now.
func (p pace) fill(l *core.Limit, ahead int64) {
	ahead = max(ahead, 0)
	l.Reset, l.Wait, l.Left, l.Spent = time.Duration(ahead)*time.Microsecond, 0, 0, 0
	if l.Max > 0 {
		room := p.tolerance - ahead
		hi, lo := bits.Mul64(uint64(max(room, -room)), uint64(l.Max))
		l.Left = math.MaxInt64
		if d := uint64(max(l.Period.Microseconds(), 1)); hi < d {
			n, _ := bits.Div64(hi, lo, d)
			l.Left = int64(min(n, math.MaxInt64))
		}
		if room < 0 {
			l.Left = -l.Left
		}
	}
	if !l.Short {
		return
	}
	l.Wait = time.Duration(ahead+p.put-p.tolerance) * time.Microsecond
	if p.put > p.tolerance {
		l.Wait = -1
	}
}
