package pdf

import (
	_ "embed"

	"codeberg.org/go-pdf/fpdf"
)

var (
	//go:embed fonts/DejaVuSansCondensed.ttf
	regular []byte
	//go:embed fonts/DejaVuSansCondensed-Bold.ttf
	strong []byte
)

const family = "dejavu"

// addFonts embeds the fonts. The file holds only the glyphs in use.
func addFonts(f *fpdf.Fpdf) {
	f.AddUTF8FontFromBytes(family, "", regular)
	f.AddUTF8FontFromBytes(family, "B", strong)
}

// color is red, green and blue, 0 to 255 each.
type color [3]int

// The colours of reports. Series colours also differ in lightness, so that they can be told apart in black and white.
var (
	ink    = color{26, 32, 44}
	gray   = color{98, 108, 122}
	line   = color{206, 212, 220}
	shade  = color{244, 246, 249}
	accent = color{29, 78, 137}
	alarm  = color{176, 32, 32}

	series = []color{{29, 78, 137}, {222, 142, 40}, {62, 142, 126}, {150, 70, 120}, {120, 130, 145}}
)

// font is a typeface, style, size and colour.
type font struct {
	bold  bool
	size  float64 // points
	color color
}

// setFont makes f the current font.
func (d *Document) setFont(f font) {
	if f == d.font {
		return
	}
	style := ""
	if f.bold {
		style = "B"
	}
	d.f.SetFont(family, style, f.size)
	d.f.SetTextColor(f.color[0], f.color[1], f.color[2])
	d.font = f
}

func (d *Document) setStroke(c color, w float64) {
	d.f.SetDrawColor(c[0], c[1], c[2])
	d.f.SetLineWidth(w)
}

func (d *Document) fillRect(c color, x, y, w, h float64) {
	d.f.SetFillColor(c[0], c[1], c[2])
	d.f.Rect(x, y, w, h, "F")
}

// drawRule draws a line from margin to margin.
func (d *Document) drawRule(y, w float64, c color) {
	d.setStroke(c, w)
	d.f.Line(marginX, y, pageWidth-marginX, y)
}
