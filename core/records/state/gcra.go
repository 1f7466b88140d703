package state

import (
	"math"
	"math/bits"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// longest is the longest time that is reckoned with, in microseconds: sums of it
// with the time of day stay exact in the floating-point numbers of a Redis script.
const longest = int64(1) << 51

// pace is a Rate limit in microseconds: the generic cell rate algorithm keeps one
// time for each counter, that at which nothing will be taken any more. Taking
// puts it off; there is room while it lies no further ahead than tolerance.
type pace struct {
	put       int64 // by which Cost puts the time off
	tolerance int64
}

func paceOf(l *core.Limit) pace {
	if l.Max <= 0 {
		return pace{put: min(l.Cost, 1)}
	}
	burst := l.Burst
	if burst <= 0 {
		burst = l.Max
	}
	return pace{put: span(l, l.Cost), tolerance: span(l, burst)}
}

// span is the time in which so many units come back, rounded up: never more than
// Max units pass.
func span(l *core.Limit, units int64) int64 {
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

// fill tells how a Rate limit stands when its time lies ahead microseconds from
// now.
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
