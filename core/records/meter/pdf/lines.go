package pdf

import "math"

// DrawLines draws a line per series, interrupted where a step has no value.
func (d *Document) DrawLines(c Chart) {
	p := d.drawFrame(&c)
	for k, s := range c.Series {
		col := series[k%len(series)]
		d.setStroke(col, 0.55)
		before := -1
		for i, v := range s.Values {
			if i >= p.steps || math.IsNaN(v) {
				before = -1
				continue
			}
			x, y := p.computeMiddle(i), p.y+p.h-p.computeHeight(v)
			switch {
			case before >= 0:
				d.f.Line(p.computeMiddle(before), p.y+p.h-p.computeHeight(s.Values[before]), x, y)
			case i+1 >= len(s.Values) || math.IsNaN(s.Values[i+1]): // a single point needs a dot to be visible
				d.fillRect(col, x-0.5, y-0.5, 1, 1)
			}
			before = i
		}
	}
}
