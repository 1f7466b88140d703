package chart

import (
	"html/template"
	"math"
	"strings"
)

// dashes distinguish lines without colours.
var dashes = [series]string{"", "6 3", "2 3", "8 3 2 3", "4 4", "1 3"}

// Lines draws each series as a line with gaps for missing values.
func (c Chart) Lines() template.HTML {
	n := c.points()
	low, high := 0.0, 0.0
	for _, s := range c.Series {
		for i := range s.Values {
			if v := s.valueAt(i); !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	s := newScale(low, high, c.smallestStep())
	x := func(i float64) float64 { return boxWidth * i / float64(max(n-1, 1)) }
	ticks := c.times(n, x)
	if len(c.Labels) > 0 {
		ticks = c.names(n, x)
	}
	return c.figure(s, ticks, func(b *strings.Builder) {
		for i, of := range c.Series {
			if c.Area {
				area(b, of, s, x, i)
			}
			line(b, of, s, x, i)
		}
	})
}

// runs calls f with the first and last point of each run of values without a gap.
func runs(s Series, f func(from, to int)) {
	from := -1
	for i := range len(s.Values) + 1 {
		gap := math.IsNaN(s.valueAt(i))
		switch {
		case !gap && from < 0:
			from = i
		case gap && from >= 0:
			f(from, i-1)
			from = -1
		}
	}
}

func line(b *strings.Builder, of Series, s scale, x func(float64) float64, i int) {
	b.WriteString(`<path class="line ` + class(i) + `" vector-effect="non-scaling-stroke" stroke-linecap="round" stroke-linejoin="round"`)
	if d := dashes[i%series]; d != "" {
		b.WriteString(` stroke-dasharray="` + d + `"`)
	}
	b.WriteString(` d="`)
	runs(of, func(from, to int) {
		for p := from; from < to && p <= to; p++ {
			move(b, p == from, x(float64(p)), s.y(of.valueAt(p)))
		}
	})
	b.WriteString(`"/><path class="dot ` + class(i) + `" vector-effect="non-scaling-stroke" stroke-linecap="round" d="`)
	runs(of, func(from, to int) { // a single point
		if from == to {
			move(b, true, x(float64(from)), s.y(of.valueAt(from)))
			b.WriteString("h0")
		}
	})
	b.WriteString(`"/>`)
}

func area(b *strings.Builder, of Series, s scale, x func(float64) float64, i int) {
	b.WriteString(`<path class="area ` + class(i) + `" d="`)
	runs(of, func(from, to int) {
		move(b, true, x(float64(from)), s.y(0))
		for p := from; p <= to; p++ {
			move(b, false, x(float64(p)), s.y(of.valueAt(p)))
		}
		move(b, false, x(float64(to)), s.y(0))
		b.WriteByte('Z')
	})
	b.WriteString(`"/>`)
}

func move(b *strings.Builder, first bool, x, y float64) {
	if first {
		b.WriteByte('M')
	} else {
		b.WriteByte('L')
	}
	b.WriteString(num(x) + " " + num(y))
}
