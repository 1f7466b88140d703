package chart

import (
	"math"
	"time"
)

// scale maps values to heights.
type scale struct {
	low, high float64
	ticks     []float64
}

// ticksWanted is the approximate number of grid lines.
const ticksWanted = 4

// newScale returns a scale with round ends that covers zero and all values from low to high. Its grid steps are at least
// least.
func newScale(low, high, least float64) scale {
	low, high = min(cleanNumber(low), 0), max(cleanNumber(high), 0)
	if math.IsNaN(low) || math.IsNaN(high) || high-low < 1e-12 {
		low, high = 0, 1
	}
	step := max(roundUp((high-low)/ticksWanted), least)
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	s := scale{low: first * step, high: last * step}
	for i := first; i <= last; i++ {
		s.ticks = append(s.ticks, i*step)
	}
	return s
}

// roundUp rounds up to 1, 2, 2.5 or 5 times a power of ten.
func roundUp(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if v <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// computeY returns the distance of a value from the top of the box.
func (s scale) computeY(v float64) float64 { return boxHeight * (s.high - v) / (s.high - s.low) }

// tick is a mark of the horizontal axis.
type tick struct {
	x      float64 // in the box
	at     time.Time
	text   string
	format string // how the script formats the time in the reader's zone
}

// anchor returns the text anchor that keeps the outer labels inside the box.
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

// spans are the possible distances between labels of time.
var spans = [...]time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 14 * day, 28 * day, 91 * day, 364 * day,
}

// maxLabels is the number of labels that fit below a chart in half of a window. A phone shows every second one.
const maxLabels = 6

// placeTimes returns the labels of an axis whose points are at x(i).
func (c Chart) placeTimes(n int, x func(i float64) float64) []tick {
	if c.Step <= 0 || n == 0 || c.Start.IsZero() {
		return nil
	}
	whole := time.Duration(min(float64(c.Step)*float64(max(n-1, 1)), float64(200*364*day)))
	span := spans[len(spans)-1]
	for _, s := range spans {
		if s >= c.Step && whole/s < maxLabels {
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
	for at := first; len(out) < maxLabels; at = at.Add(span) {
		i := float64(at.Sub(c.Start)) / float64(c.Step)
		if i > float64(n-1) {
			break
		}
		out = append(out, tick{x: x(i), at: at, text: at.Format(layout), format: format})
	}
	return out
}

// placeNames returns the labels of an axis of bars: all of them if they are few, or else some.
func (c Chart) placeNames(n int, x func(i float64) float64) []tick {
	if len(c.Labels) == 0 {
		return nil
	}
	every := (len(c.Labels) + maxLabels - 1) / maxLabels
	var out []tick
	for i := 0; i < min(n, len(c.Labels)); i += every {
		out = append(out, tick{x: x(float64(i)), text: shortenLabel(c.Labels[i], len(c.Labels)/every)})
	}
	return out
}

// roomForLabels is the number of characters below a chart in half of a window, with gaps between the labels.
const roomForLabels = 50

// shortenLabel cuts a label so that n of them fit beside each other.
func shortenLabel(s string, n int) string {
	longest := min(12, roomForLabels/max(n, 1))
	r := []rune(s)
	if len(r) <= longest {
		return s
	}
	return string(r[:longest-1]) + "…"
}
