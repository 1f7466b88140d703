package chart

import (
	"math"
	"time"
)

// scale puts values on a height.
type scale struct {
	low, high float64
	ticks     []float64
}

// ticksWanted is about how many lines a grid has.
const ticksWanted = 4

// scaled is a scale with round ends on which all values from low to high have their place, and zero too. A step
// of its grid is at least least.
func scaled(low, high, least float64) scale {
	low, high = min(number(low), 0), max(number(high), 0)
	if math.IsNaN(low) || math.IsNaN(high) || high-low < 1e-12 {
		low, high = 0, 1
	}
	step := max(round((high-low)/ticksWanted), least)
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	s := scale{low: first * step, high: last * step}
	for i := first; i <= last; i++ {
		s.ticks = append(s.ticks, i*step)
	}
	return s
}

// round is the next larger of 1, 2, 2.5 and 5 times a power of ten.
func round(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if v <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// y is how far below the upper end of the box a value is.
func (s scale) y(v float64) float64 { return boxHeight * (s.high - v) / (s.high - s.low) }

// tick is a mark of the axis below.
type tick struct {
	x      float64 // in the box
	at     time.Time
	text   string
	format string // how a script writes the time in the reader's zone
}

// anchor keeps labels at the ends inside.
func (t tick) anchor() string {
	switch {
	case t.x < 30:
		return "start"
	case t.x > boxWidth-30:
		return "end"
	}
	return "middle"
}

const day = 24 * time.Hour

// spans are how far apart labels of times may be.
var spans = [...]time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 14 * day, 28 * day, 91 * day, 364 * day,
}

// mostLabels is how many labels of times have room on a phone.
const mostLabels = 6

// times are the labels of an axis whose points lie at x(i).
func (c Chart) times(n int, x func(i float64) float64) []tick {
	if c.Step <= 0 || n == 0 || c.Start.IsZero() {
		return nil
	}
	whole := time.Duration(min(float64(c.Step)*float64(max(n-1, 1)), float64(200*364*day)))
	span := spans[len(spans)-1]
	for _, s := range spans {
		if s >= c.Step && whole/s < mostLabels {
			span = s
			break
		}
	}
	layout, format := "15:04", "clock"
	switch {
	case span >= day:
		layout, format = "Jan 2", "day"
	case span < time.Minute:
		layout, format = "15:04:05", "seconds"
	}
	var out []tick
	first := c.Start.UTC().Truncate(span)
	if first.Before(c.Start) {
		first = first.Add(span)
	}
	for at := first; len(out) <= mostLabels; at = at.Add(span) {
		i := float64(at.Sub(c.Start)) / float64(c.Step)
		if i > float64(n-1) {
			break
		}
		out = append(out, tick{x: x(i), at: at, text: at.Format(layout), format: format})
	}
	return out
}

// names are the labels of an axis of bars: all of them when they are few, else some.
func (c Chart) names(n int, x func(i float64) float64) []tick {
	if len(c.Labels) == 0 {
		return nil
	}
	every := (len(c.Labels) + mostLabels - 1) / mostLabels
	var out []tick
	for i := 0; i < min(n, len(c.Labels)); i += every {
		out = append(out, tick{x: x(float64(i)), text: short(c.Labels[i])})
	}
	return out
}

const longestLabel = 12

func short(s string) string {
	r := []rune(s)
	if len(r) <= longestLabel {
		return s
	}
	return string(r[:longestLabel-1]) + "…"
}
