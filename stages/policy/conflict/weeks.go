package conflict

import (
	"time"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// mondays begin the weeks in which windows are compared: both offsets of a zone with summer time, and the weeks in
// which America has it and Europe does not.
var mondays = [...]time.Time{
	time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC),
	time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC),
	time.Date(2026, 7, 6, 0, 0, 0, 0, time.UTC),
	time.Date(2026, 10, 26, 0, 0, 0, 0, time.UTC),
}

// week is a set of minutes of a week in UTC, beginning on Monday.
type week [dsl.WeekMinutes/64 + 1]uint64

// weeks is a set of minutes in each of the weeks.
type weeks [len(mondays)]week

func convertWindow(w *dsl.Window) *weeks {
	out := new(weeks)
	for i, monday := range mondays {
		for m := range dsl.WeekMinutes {
			if w.Holds(monday.Add(time.Duration(m) * time.Minute)) {
				out[i][m/64] |= 1 << (m % 64)
			}
		}
	}
	return out
}

func (w *weeks) intersect(o *weeks) *weeks {
	out := new(weeks)
	for i := range w {
		for j := range w[i] {
			out[i][j] = w[i][j] & o[i][j]
		}
	}
	return out
}

// findFirst returns the first minute of the set.
func (w *weeks) findFirst() (time.Time, bool) {
	for i := range w {
		for m := range dsl.WeekMinutes {
			if w[i][m/64]&(1<<(m%64)) != 0 {
				return mondays[i].Add(time.Duration(m) * time.Minute), true
			}
		}
	}
	return time.Time{}, false
}

// covers reports whether all minutes of o are in w.
func (w *weeks) covers(o *weeks) bool {
	for i := range w {
		for j := range w[i] {
			if o[i][j]&^w[i][j] != 0 {
				return false
			}
		}
	}
	return true
}
