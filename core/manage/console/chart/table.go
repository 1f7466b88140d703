package chart

import (
	"math"
	"strings"
	"time"
)

// drawTable writes the figures as a table, for readers who cannot see the chart.
func (c Chart) drawTable(b *strings.Builder) {
	b.WriteString(`<details class="figures"><summary>Figures<span class="hidden"> of ` + escapeMarkup(c.Title) +
		`</span></summary><div class="scroll" tabindex="0" role="group" aria-label="Figures of ` + escapeMarkup(c.Title) +
		`"><table><thead><tr><th scope="col">`)
	if len(c.Labels) > 0 {
		b.WriteString(`Name`)
	} else {
		b.WriteString(`Time`)
	}
	b.WriteString(`</th>`)
	for _, s := range c.Series {
		b.WriteString(`<th scope="col" class="num">` + escapeMarkup(s.Name) + `</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for i := range c.countPoints() {
		b.WriteString(`<tr><th scope="row">`)
		switch {
		case i < len(c.Labels):
			b.WriteString(escapeMarkup(c.Labels[i]))
		case c.Step > 0 && !c.Start.IsZero():
			at := c.Start.Add(time.Duration(i) * c.Step).UTC()
			b.WriteString(`<time datetime="` + at.Format(time.RFC3339) + `" data-format="time">` + at.Format("2006-01-02 15:04 UTC") + `</time>`)
		}
		b.WriteString(`</th>`)
		for _, s := range c.Series {
			text := "–"
			if v := s.readValue(i); !math.IsNaN(v) {
				text = c.unit()(v)
			}
			b.WriteString(`<td class="num">` + escapeMarkup(text) + `</td>`)
		}
		b.WriteString(`</tr>`)
	}
	b.WriteString(`</tbody></table></div></details>`)
}
