package pdf

import "math"

// Lines draws a line per series, interrupted where a step has no value.
func (d *Document) Lines(c Chart) {
	p := d.frame(&c)
	for k, s := range c.Series {
		col := series[k%len(series)]
		d.stroke(col, 0.55)
		before := -1
		for i, v := range s.Values {
			if i >= p.steps || math.IsNaN(v) {
				before = -1
				continue
			}
			x, y := p.middleOf(i), p.y+p.h-p.height(v)
			switch {
			case before >= 0:
				d.f.Line(p.middleOf(before), p.y+p.h-p.height(s.Values[before]), x, y)
			case i+1 >= len(s.Values) || math.IsNaN(s.Values[i+1]): // a single point needs a dot to be visible
				d.fill(col, x-0.5, y-0.5, 1, 1)
			}
			before = i
		}
	}
}
