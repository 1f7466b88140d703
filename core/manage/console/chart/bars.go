package chart

import (
	"html/template"
	"math"
	"strings"
)

// Bars draws a stacked bar for each point. Negative values are not drawn.
func (c Chart) Bars() template.HTML {
	n, high := c.countPoints(), 0.0
	for i := range n {
		sum := 0.0
		for _, s := range c.Series {
			if v := s.readValue(i); v > 0 {
				sum += v
			}
		}
		high = max(high, sum)
	}
	s := newScale(0, high, c.findSmallestStep())
	width := boxWidth / float64(max(n, 1))
	x := func(i float64) float64 { return width * (i + .5) }
	ticks := c.placeTimes(n, x)
	if len(c.Labels) > 0 {
		ticks = c.placeNames(n, x)
	}
	return c.drawFigure("bars", s, ticks, func(b *strings.Builder) {
		below := make([]float64, n)
		for i, of := range c.Series {
			b.WriteString(`<path class="fill ` + nameClass(i) + `" d="`)
			for p := range of.Values {
				v := of.readValue(p)
				if math.IsNaN(v) || v <= 0 {
					continue
				}
				y, y2 := s.computeY(min(below[p]+v, s.high)), s.computeY(below[p])
				below[p] = min(below[p]+v, s.high)
				b.WriteString("M" + formatNum(width*(float64(p)+.1)) + " " + formatNum(y) + "h" + formatNum(width*.8) + "V" + formatNum(y2) +
					"h-" + formatNum(width*.8) + "Z")
			}
			b.WriteString(`"/>`)
		}
	})
}
