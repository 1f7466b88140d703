package pdf

// Align is the alignment of a cell within its column.
type Align uint8

// The alignments.
const (
	Left  Align = iota
	Right       // for numbers: with equal decimals, their points line up
)

// Column is a table column.
type Column struct {
	Title string
	Align Align
	Width float64 // relative to the other columns
	Wrap  bool    // wrap long text; otherwise truncate it with an ellipsis
}

// Table has a header row, which it repeats on every page, and rows of text.
type Table struct {
	Columns []Column
	Rows    [][]string
	Total   []string // optional last row in bold
	Empty   string   // printed if there are no rows
}

// Table dimensions in millimetres.
const (
	rowHeight  = 5.2
	lineHeight = 3.9 // in a cell with several lines
	cellGap    = 2.0 // between columns
)

var (
	cellFont = font{size: 8.5, color: ink}
	headFont = font{bold: true, size: 8.5, color: ink}
)

// DrawTable draws a table.
func (d *Document) DrawTable(t Table) {
	if len(t.Rows) == 0 {
		d.WriteNote(t.Empty)
		return
	}
	x, w := t.computeColumns()
	d.ensureRoom(3 * rowHeight)
	d.drawHead(&t, x, w)
	for i, row := range t.Rows {
		d.drawRow(&t, x, w, row, cellFont, i%2 == 1)
	}
	if t.Total != nil {
		d.ensureRoom(rowHeight + 1)
		d.drawRule(d.y+0.3, 0.3, ink)
		d.y += 0.5
		d.drawRow(&t, x, w, t.Total, headFont, false)
	}
	d.y += 4
}

// computeColumns returns the left edge and the width of each column.
func (t *Table) computeColumns() (x, w []float64) {
	sum := 0.0
	for i := range t.Columns {
		sum += t.Columns[i].Width
	}
	at, room := marginX, width-cellGap*float64(len(t.Columns)-1)
	for i := range t.Columns {
		own := room * t.Columns[i].Width / sum
		x, w = append(x, at), append(w, own)
		at += own + cellGap
	}
	return x, w
}

func (d *Document) drawHead(t *Table, x, w []float64) {
	d.setFont(headFont)
	for i := range t.Columns {
		d.drawCell(&t.Columns[i], x[i], w[i], d.y+rowHeight*0.7, t.Columns[i].Title)
	}
	d.y += rowHeight
	d.drawRule(d.y, 0.3, ink)
	d.y += 0.4
}

func (d *Document) drawRow(t *Table, x, w []float64, row []string, f font, shaded bool) {
	d.setFont(f)
	height := rowHeight
	var wrapped [][]string
	for i := range t.Columns {
		if i >= len(row) || !t.Columns[i].Wrap {
			continue
		}
		if lines := d.wrap(row[i], w[i]); len(lines) > 1 {
			if wrapped == nil {
				wrapped = make([][]string, len(t.Columns))
			}
			wrapped[i] = lines
			height = max(height, float64(len(lines))*lineHeight+rowHeight-lineHeight)
		}
	}
	if d.y+height > bottom && height < bottom-marginTop-rowHeight {
		d.addPage()
		d.drawHead(t, x, w)
		d.setFont(f)
	}
	if shaded && height < bottom-d.y {
		d.fillRect(shade, marginX-1, d.y, width+2, height)
	}
	for i := range t.Columns {
		switch {
		case i >= len(row):
		case wrapped != nil && wrapped[i] != nil:
			d.drawLines(wrapped[i], x[i])
		default:
			d.drawCell(&t.Columns[i], x[i], w[i], d.y+rowHeight*0.7, row[i])
		}
	}
	d.y += height
}

// drawLines draws a cell of several lines. If the cell is longer than a page, it drops the lines that do not fit.
func (d *Document) drawLines(lines []string, x float64) {
	for k, line := range lines {
		y := d.y + rowHeight*0.7 + float64(k)*lineHeight
		if y > bottom {
			d.drawText(x, y-lineHeight, "…")
			return
		}
		d.drawText(x, y, line)
	}
}

func (d *Document) drawCell(c *Column, x, w, y float64, s string) {
	if s == "" {
		return
	}
	s = d.fitLine(s, w)
	if c.Align == Right {
		d.drawRight(x+w, y, s)
	} else {
		d.f.Text(x, y, s)
	}
}
