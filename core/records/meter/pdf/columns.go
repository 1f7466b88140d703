package pdf

import "math"

// DrawColumns draws a column per step. It stacks several series.
func (d *Document) DrawColumns(c Chart) {
	c.Series = append([]Series(nil), c.Series...)
	p := d.drawFrame(stackBars(&c))
	w := min(p.w/float64(max(p.steps, 1))*0.72, 14)
	for i := range p.steps {
		y := p.y + p.h
		for k := range c.Series {
			if i >= len(c.Series[k].Values) || math.IsNaN(c.Series[k].Values[i]) {
				continue
			}
			h := p.computeHeight(c.Series[k].Values[i])
			if y -= h; h > 0 {
				d.fillRect(series[k%len(series)], p.computeMiddle(i)-w/2, y, w, h)
			}
		}
	}
}

// stackBars returns a chart whose last series holds the sums, so that the axis has room for them.
func stackBars(c *Chart) *Chart {
	sums := make([]float64, len(c.Labels))
	for _, s := range c.Series {
		for i, v := range s.Values {
			if i < len(sums) && !math.IsNaN(v) {
				sums[i] += max(v, 0)
			}
		}
	}
	out := *c
	out.Series = append([]Series(nil), c.Series...)
	if n := len(out.Series); n > 0 {
		out.Series[n-1].Values = sums
	}
	return &out
}
