package chart

import (
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Series is a named sequence of values, one for each point of the chart.
type Series struct {
	Name   string
	Values []float64 // math.NaN() is a gap
}

// Chart is the data of a chart. Its points are either steps of time from Start, or Labels.
type Chart struct {
	Title  string
	Series []Series
	Unit   Unit // Optional: Count, with whole steps
	Start  time.Time
	Step   time.Duration
	Labels []string
	// Area fills the area below lines.
	Area bool
	// Span is the address of the page that shows a span of the chart. Optional. Days means that it takes days instead of times.
	Span string
	Days bool
}

// The plot is drawn in a box of this size. The browser stretches it to the available width, but not its text and strokes.
const (
	boxWidth  = 1000.0
	boxHeight = 100.0
	series    = 6 // with a colour each
	largest   = 1e15
)

// cleanNumber returns a finite value, or NaN.
func cleanNumber(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.NaN()
	}
	return max(-largest, min(largest, v))
}

// readValue returns a value of a series, or NaN for a missing one.
func (s Series) readValue(i int) float64 {
	if i >= len(s.Values) {
		return math.NaN()
	}
	return cleanNumber(s.Values[i])
}

// countPoints returns the number of points.
func (c Chart) countPoints() int {
	n := len(c.Labels)
	for _, s := range c.Series {
		n = max(n, len(s.Values))
	}
	return n
}

// isEmpty reports whether there is nothing to draw.
func (c Chart) isEmpty() bool {
	for _, s := range c.Series {
		for i := range s.Values {
			if !math.IsNaN(s.readValue(i)) {
				return false
			}
		}
	}
	return true
}

func (c Chart) unit() Unit {
	if c.Unit == nil {
		return FormatCount
	}
	return c.Unit
}

// findSmallestStep returns the smallest step of the grid. Counts have whole steps.
func (c Chart) findSmallestStep() float64 {
	if c.Unit == nil {
		return 1
	}
	return 0
}

// drawFigure wraps the output of draw in the frame that lines and bars share.
func (c Chart) drawFigure(kind string, s scale, ticks []tick, draw func(b *strings.Builder)) template.HTML {
	var b strings.Builder
	b.WriteString(`<figure class="plot"` + c.buildPlotData(kind) + `><figcaption>`)
	b.WriteString(escapeMarkup(c.Title))
	b.WriteString(`</figcaption>`)
	if c.isEmpty() {
		b.WriteString(`<p class="empty">No data in this time.</p></figure>`)
		return renderHTML(&b)
	}
	c.drawLegend(&b)
	b.WriteString(`<svg class="chart" role="img"><title>` + escapeMarkup(c.Title) + `</title><desc>` + escapeMarkup(c.formatSummary()) + `</desc>`)
	// The margin below holds the labels of time, the one above the label of the highest value.
	b.WriteString(`<svg x="0" y="7%" width="100%" height="81%" viewBox="0 0 1000 100" preserveAspectRatio="none" overflow="visible">`)
	for _, v := range s.ticks {
		y := formatNum(s.computeY(v))
		b.WriteString(`<path class="grid" vector-effect="non-scaling-stroke" d="M0 ` + y + `H1000"/>`)
	}
	draw(&b)
	b.WriteString(`</svg>`)
	for _, v := range s.ticks {
		b.WriteString(`<text x="2" y="` + formatNum(7+s.computeY(v)*.81) + `%" dy="-3">` + escapeMarkup(c.unit()(v)) + `</text>`)
	}
	for i, t := range ticks {
		b.WriteString(`<text x="` + formatNum(t.x/10) + `%" y="100%" dy="-3" text-anchor="` + t.anchor() + `"`)
		if i%2 == 1 {
			b.WriteString(` class="wide"`) // not on phones, where the labels would overprint each other
		}
		if !t.at.IsZero() {
			b.WriteString(` data-time="` + t.at.UTC().Format(time.RFC3339) + `" data-format="` + t.format + `"`)
		}
		b.WriteString(`>` + escapeMarkup(t.text) + `</text>`)
	}
	b.WriteString(`</svg>`)
	c.drawTable(&b)
	b.WriteString(`</figure>`)
	return renderHTML(&b)
}

// drawLegend names the series, if there are several.
func (c Chart) drawLegend(b *strings.Builder) {
	if len(c.Series) < 2 {
		return
	}
	b.WriteString(`<ul class="legend">`)
	for i, s := range c.Series {
		b.WriteString(`<li><svg class="chart key" aria-hidden="true"><rect class="fill ` + nameClass(i) + `" width="100%" height="100%"/></svg>` +
			escapeMarkup(s.Name) + `</li>`)
	}
	b.WriteString(`</ul>`)
}

// formatSummary describes each series by its last and highest value.
func (c Chart) formatSummary() string {
	var out []string
	for _, s := range c.Series {
		last, high := math.NaN(), math.NaN()
		for i := range s.Values {
			if v := s.readValue(i); !math.IsNaN(v) {
				last = v
				if math.IsNaN(high) || v > high {
					high = v
				}
			}
		}
		if !math.IsNaN(last) {
			out = append(out, s.Name+": last "+c.unit()(last)+", highest "+c.unit()(high))
		}
	}
	return strings.Join(out, "; ") + "."
}

func nameClass(i int) string { return "s" + strconv.Itoa(i%series+1) }

// escapeMarkup escapes text for markup. Characters that XML forbids are dropped.
func escapeMarkup(s string) string {
	return template.HTMLEscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == unicode.ReplacementChar || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s))
}

func renderHTML(b *strings.Builder) template.HTML {
	return template.HTML(b.String()) // every text in it is escaped
}

// formatNum writes a coordinate.
func formatNum(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64)
}
