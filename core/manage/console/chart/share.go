package chart

import (
	"html/template"
	"math"
	"strings"
)

// Part is a named part of a whole.
type Part struct {
	Name  string
	Value float64
}

// DrawShare draws a bar that is divided among parts, with their names, values and shares below. Parts of zero or less
// are omitted.
func DrawShare(title string, parts []Part, unit Unit) template.HTML {
	if unit == nil {
		unit = FormatCount
	}
	whole := 0.0
	var kept []Part
	for _, p := range parts {
		if p.Value = cleanNumber(p.Value); p.Value > 0 {
			whole += p.Value
			kept = append(kept, p)
		}
	}
	var b strings.Builder
	b.WriteString(`<figure class="plot"><figcaption>` + escapeMarkup(title) + `</figcaption>`)
	if whole == 0 {
		b.WriteString(`<p class="empty">No data in this time.</p></figure>`)
		return renderHTML(&b)
	}
	b.WriteString(`<svg class="chart share" aria-hidden="true">`)
	at := 0.0
	for i, p := range kept {
		w := 100 * p.Value / whole
		b.WriteString(`<rect class="fill ` + nameClass(i) + `" x="` + formatNum(at) + `%" width="` + formatNum(w) + `%" height="100%"/>`)
		at += w
	}
	b.WriteString(`</svg><ul class="legend">`)
	for i, p := range kept {
		b.WriteString(`<li><svg class="chart key" aria-hidden="true"><rect class="fill ` + nameClass(i) + `" width="100%" height="100%"/></svg>` +
			escapeMarkup(p.Name) + ` <span class="quiet">` + escapeMarkup(unit(p.Value)) + `, ` + escapeMarkup(FormatPercent(100*p.Value/whole)) + `</span></li>`)
	}
	b.WriteString(`</ul></figure>`)
	return renderHTML(&b)
}

// DrawBar draws the used share of a whole, from 0 to 1. Larger values fill the bar. title is its text alternative.
func DrawBar(title string, share float64) template.HTML {
	share = cleanNumber(share)
	if math.IsNaN(share) || share < 0 {
		share = 0
	}
	of := "s1"
	switch {
	case share >= 1:
		of = "over"
	case share >= .8:
		of = "near"
	}
	return template.HTML(`<svg class="chart share" role="img"><title>` +
		escapeMarkup(title) + `</title><rect class="fill ` + of + `" width="` +
		formatNum(100*min(share, 1)) + `%" height="100%"/></svg>`) // the rest are numbers
}
