package chart

import (
	"html/template"
	"math"
)

// Slot draws a part of a span of time, whose ends are given as shares of it from 0 to 1. It is never so small that it is
// not seen. kind chooses its colour.
func Slot(title string, from, to float64, kind int) template.HTML {
	from, to = number(from), number(to)
	if math.IsNaN(from) || math.IsNaN(to) {
		from, to = 0, 0
	}
	from = max(0, min(from, 1))
	to = max(from, min(to, 1))
	width := max(100*(to-from), .6)
	return template.HTML(`<svg class="chart share" role="img"><title>` + escape(title) + `</title><rect class="fill ` + class(max(kind, 0)) + `" x="` + num(min(100*from, 100-width)) + `%" width="` + num(width) + `%" height="100%"/></svg>`) //nolint:gosec // what is not escaped is a number
}
