package chart

import (
	"html/template"
	"math"
	"strings"
)

// Bars draws a stacked bar for each point. Negative values are not drawn.
func (c Chart) Bars() template.HTML {
	n, high := c.points(), 0.0
	for i := range n {
		sum := 0.0
		for _, s := range c.Series {
			if v := s.valueAt(i); v > 0 {
				sum += v
			}
		}
		high = max(high, sum)
	}
	s := newScale(0, high, c.smallestStep())
	width := boxWidth / float64(max(n, 1))
	x := func(i float64) float64 { return width * (i + .5) }
	ticks := c.times(n, x)
	if len(c.Labels) > 0 {
		ticks = c.names(n, x)
	}
	return c.figure(s, ticks, func(b *strings.Builder) {
		below := make([]float64, n)
		for i, of := range c.Series {
			b.WriteString(`<path class="fill ` + class(i) + `" d="`)
			for p := range of.Values {
				v := of.valueAt(p)
				if math.IsNaN(v) || v <= 0 {
					continue
				}
				y, y2 := s.y(min(below[p]+v, s.high)), s.y(below[p])
				below[p] = min(below[p]+v, s.high)
				b.WriteString("M" + num(width*(float64(p)+.1)) + " " + num(y) + "h" + num(width*.8) + "V" + num(y2) + "h-" + num(width*.8) + "Z")
			}
			b.WriteString(`"/>`)
		}
	})
}
