package chart

import (
	"math"
	"strings"
	"time"
)

// table writes the figures as a table, for readers who cannot see the chart.
func (c Chart) table(b *strings.Builder) {
	b.WriteString(`<details class="figures"><summary>Figures<span class="hidden"> of ` + escape(c.Title) +
		`</span></summary><div class="scroll" tabindex="0" role="group" aria-label="Figures of ` + escape(c.Title) +
		`"><table><thead><tr><th scope="col">`)
	if len(c.Labels) > 0 {
		b.WriteString(`Name`)
	} else {
		b.WriteString(`Time`)
	}
	b.WriteString(`</th>`)
	for _, s := range c.Series {
		b.WriteString(`<th scope="col" class="num">` + escape(s.Name) + `</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for i := range c.points() {
		b.WriteString(`<tr><th scope="row">`)
		switch {
		case i < len(c.Labels):
			b.WriteString(escape(c.Labels[i]))
		case c.Step > 0 && !c.Start.IsZero():
			at := c.Start.Add(time.Duration(i) * c.Step).UTC()
			b.WriteString(`<time datetime="` + at.Format(time.RFC3339) + `" data-format="time">` + at.Format("2006-01-02 15:04 UTC") + `</time>`)
		}
		b.WriteString(`</th>`)
		for _, s := range c.Series {
			text := "–"
			if v := s.valueAt(i); !math.IsNaN(v) {
				text = c.unit()(v)
			}
			b.WriteString(`<td class="num">` + escape(text) + `</td>`)
		}
		b.WriteString(`</tr>`)
	}
	b.WriteString(`</tbody></table></div></details>`)
}
