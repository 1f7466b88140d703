package pdf

// Fact is a label and its value.
type Fact struct{ Label, Value string }

// WriteFacts prints label and value pairs below each other: the subject of the document.
func (d *Document) WriteFacts(list []Fact) {
	const label = 42.0
	for _, f := range list {
		d.setFont(cellFont)
		lines := d.wrap(f.Value, width-label)
		if len(lines) == 0 {
			lines = []string{"–"}
		}
		for i, s := range lines {
			d.ensureRoom(5)
			if i == 0 {
				d.setFont(font{size: 8.5, color: gray})
				d.drawText(marginX, d.y+3.7, d.fitLine(f.Label, label-cellGap))
			}
			d.setFont(cellFont)
			d.drawText(marginX+label, d.y+3.7, s)
			d.y += 5
		}
	}
	d.y += 3
}

// WriteFigures draws up to four key amounts in boxes beside each other.
func (d *Document) WriteFigures(list []Fact) {
	const height, gap = 17.0, 4.0
	if len(list) == 0 {
		return
	}
	d.ensureRoom(height + 4)
	w := (width - gap*float64(len(list)-1)) / float64(len(list))
	for i, f := range list {
		x := marginX + float64(i)*(w+gap)
		d.fillRect(shade, x, d.y, w, height)
		d.fillRect(accent, x, d.y, 0.9, height)
		d.setFont(font{size: 8, color: gray})
		d.drawText(x+4, d.y+5.2, d.fitLine(f.Label, w-6))
		size := 14.0
		for d.setFont(font{bold: true, size: size, color: ink}); size > 8 && d.f.GetStringWidth(cleanText(f.Value)) > w-6; {
			size -= 0.5
			d.setFont(font{bold: true, size: size, color: ink})
		}
		d.drawText(x+4, d.y+12.8, d.fitLine(f.Value, w-6))
	}
	d.y += height + 5
}
