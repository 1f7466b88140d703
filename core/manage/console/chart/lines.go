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
	n := c.countPoints()
	low, high := 0.0, 0.0
	for _, s := range c.Series {
		for i := range s.Values {
			if v := s.readValue(i); !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	s := newScale(low, high, c.findSmallestStep())
	x := func(i float64) float64 { return boxWidth * i / float64(max(n-1, 1)) }
	ticks := c.placeTimes(n, x)
	if len(c.Labels) > 0 {
		ticks = c.placeNames(n, x)
	}
	return c.drawFigure("lines", s, ticks, func(b *strings.Builder) {
		for i, of := range c.Series {
			if c.Area {
				drawArea(b, of, s, x, i)
			}
			drawLine(b, of, s, x, i)
		}
	})
}

// visitRuns calls f with the first and last point of each run of values without a gap.
func visitRuns(s Series, f func(from, to int)) {
	from := -1
	for i := range len(s.Values) + 1 {
		gap := math.IsNaN(s.readValue(i))
		switch {
		case !gap && from < 0:
			from = i
		case gap && from >= 0:
			f(from, i-1)
			from = -1
		}
	}
}

func drawLine(b *strings.Builder, of Series, s scale, x func(float64) float64, i int) {
	b.WriteString(`<path class="line ` + nameClass(i) + `" vector-effect="non-scaling-stroke" stroke-linecap="round" stroke-linejoin="round"`)
	if d := dashes[i%series]; d != "" {
		b.WriteString(` stroke-dasharray="` + d + `"`)
	}
	b.WriteString(` d="`)
	visitRuns(of, func(from, to int) {
		for p := from; from < to && p <= to; p++ {
			writePoint(b, p == from, x(float64(p)), s.computeY(of.readValue(p)))
		}
	})
	b.WriteString(`"/><path class="dot ` + nameClass(i) + `" vector-effect="non-scaling-stroke" stroke-linecap="round" d="`)
	visitRuns(of, func(from, to int) { // a single point
		if from == to {
			writePoint(b, true, x(float64(from)), s.computeY(of.readValue(from)))
			b.WriteString("h0")
		}
	})
	b.WriteString(`"/>`)
}

func drawArea(b *strings.Builder, of Series, s scale, x func(float64) float64, i int) {
	b.WriteString(`<path class="area ` + nameClass(i) + `" d="`)
	visitRuns(of, func(from, to int) {
		writePoint(b, true, x(float64(from)), s.computeY(0))
		for p := from; p <= to; p++ {
			writePoint(b, false, x(float64(p)), s.computeY(of.readValue(p)))
		}
		writePoint(b, false, x(float64(to)), s.computeY(0))
		b.WriteByte('Z')
	})
	b.WriteString(`"/>`)
}

func writePoint(b *strings.Builder, first bool, x, y float64) {
	if first {
		b.WriteByte('M')
	} else {
		b.WriteByte('L')
	}
	b.WriteString(formatNum(x) + " " + formatNum(y))
}
