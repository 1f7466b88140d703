package pdf

// Bar is one bar: Value sets its length, and Text is printed beside it.
type Bar struct {
	Label string
	Value float64
	Text  string
}

// DrawBars draws horizontal bars in the caller's order, for parts of a whole such as the cost of each model. A negative
// value has no bar.
func (d *Document) DrawBars(bars []Bar) {
	const label, text, height, gap = 52.0, 28.0, 4.6, 1.7
	most := 0.0
	for i := range bars {
		most = max(most, bars[i].Value)
	}
	for i := range bars {
		b := &bars[i]
		d.ensureRoom(height + gap)
		d.setFont(cellFont)
		d.drawRight(marginX+label-2, d.y+3.4, d.fitLine(b.Label, label-2))
		w := 0.0
		if most > 0 {
			w = max(0, b.Value/most*(width-label-text))
		}
		d.fillRect(series[0], marginX+label, d.y, max(w, 0.2), height)
		d.drawText(marginX+label+w+1.5, d.y+3.4, d.fitLine(b.Text, text+width-label-text-w-1.5))
		d.y += height + gap
	}
	d.y += 3
}
