package pdf

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// Page dimensions in millimetres: A4 portrait.
const (
	pageWidth  = 210.0
	pageHeight = 297.0
	marginX    = 18.0
	marginTop  = 20.0
	marginFoot = 20.0
	width      = pageWidth - 2*marginX // between the margins
	bottom     = pageHeight - marginFoot
)

// pagesAlias is replaced by the number of pages once it is known.
const pagesAlias = "{pages}"

// Options describe a document.
type Options struct {
	// Title is printed large on the first page and small at the top of the others.
	Title string
	// Subtitle is printed below the title, and at the top right of the other pages: the subject and the interval.
	Subtitle string
	// By names the person who requested the document. It is printed in the footer.
	By string
	// Created is the time of creation, printed in the footer in UTC. No other time enters the file.
	Created time.Time
	// Notice is an optional warning, printed in red in each footer, such as that of an expired licence.
	Notice string
}

// Document is a document under construction. It keeps its first error, and Bytes returns it.
type Document struct {
	o    Options
	f    *fpdf.Fpdf
	y    float64 // y of the next element, from the top of the page
	font font    // the current font
}

// New starts a document with its title.
func New(o Options) *Document {
	d := &Document{o: o, f: fpdf.New("P", "mm", "A4", "")}
	f := d.f
	f.SetCatalogSort(true)
	f.SetCreationDate(o.Created.UTC())
	f.SetModificationDate(o.Created.UTC())
	f.SetProducer("Headgate", true)
	f.SetCreator("Headgate", true)
	f.SetTitle(o.Title, true)
	f.SetSubject(o.Subtitle, true)
	f.SetLang("en")
	f.SetMargins(marginX, marginTop, marginX)
	f.SetAutoPageBreak(false, 0)
	f.SetCellMargin(0)
	f.AliasNbPages(pagesAlias)
	addFonts(f)
	d.addPage()
	d.writeTitle()
	return d
}

// writeTitle draws the header of the first page.
func (d *Document) writeTitle() {
	d.y = marginTop
	d.setFont(font{bold: true, size: 20, color: ink})
	for _, line := range d.wrap(d.o.Title, width) {
		d.drawText(marginX, d.y+7, line)
		d.y += 9
	}
	d.setFont(font{size: 11, color: gray})
	for _, line := range d.wrap(d.o.Subtitle, width) {
		d.drawText(marginX, d.y+4.5, line)
		d.y += 5.5
	}
	d.drawRule(d.y+2, 0.6, accent)
	d.y += 8
}

// addPage starts a page.
func (d *Document) addPage() {
	d.f.AddPage()
	d.font = font{} // a new page has no font set
	if n := d.f.PageNo(); n > 1 {
		d.setFont(font{size: 8, color: gray})
		d.drawText(marginX, 13, d.fitLine(d.o.Title, width*0.45))
		d.drawRight(pageWidth-marginX, 13, d.fitLine(d.o.Subtitle, width*0.5))
		d.drawRule(15, 0.2, line)
	}
	d.writeFoot()
	d.y = marginTop
}

func (d *Document) writeFoot() {
	y := pageHeight - 11.0
	if d.o.Notice != "" {
		d.setFont(font{bold: true, size: 8, color: alarm})
		d.drawText(marginX, y-5, d.fitLine(d.o.Notice, width))
	}
	d.drawRule(y-3.6, 0.2, line)
	d.setFont(font{size: 7.5, color: gray})
	made := "Generated " + d.o.Created.UTC().Format("2006-01-02 15:04:05") + " UTC"
	if d.o.By != "" {
		made += " by " + d.o.By
	}
	d.drawText(marginX, y, d.fitLine(made, width-30))
	// The number of pages is not known yet, so reserve the width of two digits.
	n := "Page " + strconv.Itoa(d.f.PageNo()) + " of "
	d.drawText(pageWidth-marginX-d.f.GetStringWidth(n+"00"), y, n+pagesAlias)
}

// ensureRoom starts a page if fewer than the given millimetres are left.
func (d *Document) ensureRoom(h float64) {
	if d.y+h > bottom {
		d.addPage()
	}
}

// AddSpace adds vertical space in millimetres.
func (d *Document) AddSpace(h float64) { d.y += h }

// Break starts a page unless the current one is empty.
func (d *Document) Break() {
	if d.y > marginTop {
		d.addPage()
	}
}

// WriteHeading starts a section and adds it to the document outline. It is never the last element of a page.
func (d *Document) WriteHeading(text string) {
	d.ensureRoom(32)
	if d.y > marginTop {
		d.y += 4
	}
	d.setFont(font{bold: true, size: 13, color: ink})
	d.f.Bookmark(text, 0, d.y)
	d.drawText(marginX, d.y+5, d.fitLine(text, width))
	d.y += 9
}

// WriteParagraph prints text, broken into lines.
func (d *Document) WriteParagraph(text string) {
	d.writeParagraph(text, font{size: 9.5, color: ink}, 4.6)
}

// WriteNote prints small text: how a figure is computed, or what it omits.
func (d *Document) WriteNote(text string) { d.writeParagraph(text, font{size: 8, color: gray}, 3.9) }

func (d *Document) writeParagraph(text string, f font, height float64) {
	d.setFont(f)
	for _, line := range d.wrap(text, width) {
		d.ensureRoom(height)
		d.setFont(f)
		d.drawText(marginX, d.y+height*0.75, line)
		d.y += height
	}
	d.y += 2.5
}

// Pages returns the number of pages.
func (d *Document) Pages() int { return d.f.PageCount() }

// Finish finishes the document and returns it. It can be called once.
func (d *Document) Finish() ([]byte, error) {
	var b bytes.Buffer
	if err := d.f.Output(&b); err != nil {
		return nil, fmt.Errorf("write pdf: %w", err)
	}
	return b.Bytes(), nil
}
