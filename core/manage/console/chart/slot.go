package chart

import (
	"html/template"
	"math"
)

// Slot draws a part of a period, from and to as shares from 0 to 1. It has a minimum width, so that it stays visible. kind
// chooses its colour.
func Slot(title string, from, to float64, kind int) template.HTML {
	from, to = number(from), number(to)
	if math.IsNaN(from) || math.IsNaN(to) {
		from, to = 0, 0
	}
	from = max(0, min(from, 1))
	to = max(from, min(to, 1))
	width := max(100*(to-from), .6)
	return template.HTML(`<svg class="chart share" role="img"><title>` + escape(title) + `</title><rect class="fill ` + class(max(kind, 0)) +
		`" x="` + num(min(100*from, 100-width)) + `%" width="` + num(width) + `%" height="100%"/></svg>`) // the rest are numbers
}
