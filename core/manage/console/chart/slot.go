package chart

import (
	"html/template"
	"math"
)

// DrawSlot draws a part of a period, from and to as shares from 0 to 1. It has a minimum width, so that it stays visible. kind
// chooses its colour.
func DrawSlot(title string, from, to float64, kind int) template.HTML {
	from, to = cleanNumber(from), cleanNumber(to)
	if math.IsNaN(from) || math.IsNaN(to) {
		from, to = 0, 0
	}
	from = max(0, min(from, 1))
	to = max(from, min(to, 1))
	width := max(100*(to-from), .6)
	return template.HTML(`<svg class="chart share" role="img"><title>` +
		escapeMarkup(title) + `</title><rect class="fill ` + nameClass(max(kind,
		0)) +
		`" x="` + formatNum(min(100*from, 100-width)) + `%" width="` + formatNum(width) + `%" height="100%"/></svg>`) // the rest are numbers
}
