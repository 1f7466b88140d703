package dsl

import "time"

// Minutes of a day and of a week.
const (
	dayMinutes  = 24 * 60
	WeekMinutes = 7 * dayMinutes
)

// Window is a time span on some days of the week, in one zone. It may cross midnight, and then belongs to the day on
// which it begins. Its end is exclusive.
type Window struct {
	Days     [7]bool // Monday first
	From, To int     // minutes of the day; To may be 1440
	Zone     *time.Location
}

// Holds reports whether t lies in the window.
func (w *Window) Holds(t time.Time) bool {
	t = t.In(w.Zone)
	return w.HoldsAt((int(t.Weekday())+6)%7*dayMinutes + t.Hour()*60 + t.Minute())
}

// HoldsAt reports whether a minute of the week, Monday first, lies in the window.
func (w *Window) HoldsAt(minute int) bool {
	day, at := minute/dayMinutes, minute%dayMinutes
	if w.From < w.To {
		return w.Days[day] && at >= w.From && at < w.To
	}
	return w.Days[day] && at >= w.From || w.Days[(day+6)%7] && at < w.To
}
