package pdf

import "math"

// Chart plots values over time steps or other categories.
type Chart struct {
	Labels []string // one per step; as many are printed as fit
	Series []Series
	Unit   string                 // printed above the axis
	Format func(v float64) string // formats the axis numbers
	Height float64                // millimetres; 0 means 55
}

// Series has one value per step. NaN leaves a step empty.
type Series struct {
	Name   string
	Values []float64
}

// plot is the area and the scale of a chart.
type plot struct {
	x, y, w, h float64 // of the area between the axes
	top        float64 // value at the upper edge
	steps      int
}

// drawFrame draws axes, grid, labels and legend, and moves d.y below them.
func (d *Document) drawFrame(c *Chart) plot {
	height := c.Height
	if height <= 0 {
		height = 55
	}
	d.ensureRoom(height + 16)
	most := 0.0
	for _, s := range c.Series {
		for _, v := range s.Values {
			if !math.IsNaN(v) {
				most = max(most, v)
			}
		}
	}
	step, n := chooseTicks(most)
	d.setFont(font{size: 7.5, color: gray})
	left := 0.0
	for i := range n + 1 {
		left = max(left, d.f.GetStringWidth(cleanText(c.Format(float64(i)*step))))
	}
	p := plot{x: marginX + left + 2, y: d.y + 6, h: height - 6, top: step * float64(n), steps: len(c.Labels)}
	p.w = pageWidth - marginX - p.x
	d.drawText(marginX, d.y+3, c.Unit)
	for i := range n + 1 {
		y := p.y + p.h - p.h*float64(i)/float64(n)
		d.setStroke(line, 0.15)
		d.f.Line(p.x, y, p.x+p.w, y)
		d.drawRight(p.x-2, y+1, c.Format(float64(i)*step))
	}
	d.setStroke(gray, 0.25)
	d.f.Line(p.x, p.y+p.h, p.x+p.w, p.y+p.h)
	d.drawLabels(c, &p)
	d.drawLegend(c)
	d.y = p.y + p.h + 9
	return p
}

// drawLabels prints every nth label, with the smallest n for which they fit.
func (d *Document) drawLabels(c *Chart, p *plot) {
	if p.steps == 0 {
		return
	}
	widest := 0.0
	for _, l := range c.Labels {
		widest = max(widest, d.f.GetStringWidth(cleanText(l)))
	}
	every := max(1, int(math.Ceil(float64(p.steps)*(widest+3)/p.w)))
	for i := 0; i < p.steps; i += every {
		s := cleanText(c.Labels[i])
		d.f.Text(p.computeMiddle(i)-d.f.GetStringWidth(s)/2, p.y+p.h+4, s)
	}
}

func (d *Document) drawLegend(c *Chart) {
	if len(c.Series) < 2 {
		return
	}
	x := pageWidth - marginX
	for i := len(c.Series) - 1; i >= 0; i-- {
		name := d.fitLine(c.Series[i].Name, 50)
		x -= d.f.GetStringWidth(name)
		d.f.Text(x, d.y+3, name)
		x -= 4
		d.fillRect(series[i%len(series)], x, d.y+0.8, 2.6, 2.6)
		x -= 4
	}
}

// computeMiddle returns the x coordinate of the middle of a step.
func (p *plot) computeMiddle(i int) float64 {
	return p.x + p.w*(float64(i)+0.5)/float64(max(p.steps, 1))
}

// computeHeight returns how far above the axis a value is drawn.
func (p *plot) computeHeight(v float64) float64 { return p.h * min(max(v, 0), p.top) / p.top }

// chooseTicks divides an axis from 0 to at least most into three to five steps of 1, 2, 2.5 or 5 times a power of ten.
func chooseTicks(most float64) (step float64, n int) {
	if most <= 0 || math.IsInf(most, 0) {
		return 1, 4
	}
	power := math.Pow(10, math.Floor(math.Log10(most/4)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step = m * power; step*5 >= most*(1-1e-9) {
			break
		}
	}
	return step, max(1, int(math.Ceil(most/step-1e-9)))
}
