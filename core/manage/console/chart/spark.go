package chart

import (
	"html/template"
	"math"
	"strings"
)

// DrawSparkline draws a small line without axes, to show beside a figure.
func DrawSparkline(title string, values []float64, unit Unit) template.HTML {
	c := Chart{Title: title, Series: []Series{{Name: title, Values: values}}, Unit: unit}
	if c.isEmpty() {
		return ""
	}
	low, high := 0.0, 0.0
	for i := range values {
		if v := c.Series[0].readValue(i); !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	s := newScale(low, high, 0)
	x := func(i float64) float64 { return boxWidth * i / float64(max(len(values)-1, 1)) }
	var b strings.Builder
	b.WriteString(`<svg class="chart spark" role="img" viewBox="0 0 1000 100" preserveAspectRatio="none"><title>` + escapeMarkup(title) +
		`</title><desc>` + escapeMarkup(c.formatSummary()) + `</desc>`)
	drawArea(&b, c.Series[0], s, x, 0)
	drawLine(&b, c.Series[0], s, x, 0)
	b.WriteString(`</svg>`)
	return renderHTML(&b)
}
