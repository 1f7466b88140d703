package chart

import (
	"encoding/json"
	"math"
	"time"
)

// plotted is what a script needs to draw a chart of time.
type plotted struct {
	Kind   string          `json:"kind"`
	Start  int64           `json:"start"` // in seconds since 1970
	Step   int64           `json:"step"`  // in seconds
	Series []plottedSeries `json:"series"`
}

type plottedSeries struct {
	Name   string     `json:"name"`
	Values []*float64 `json:"values"` // null is a gap
}

// buildPlotData returns the attributes of a figure by which a script draws it again. Only charts of time have them.
func (c Chart) buildPlotData(kind string) string {
	if c.Step < time.Second || c.Start.IsZero() || len(c.Labels) > 0 || c.isEmpty() {
		return ""
	}
	p := plotted{Kind: kind, Start: c.Start.Unix(), Step: int64(c.Step / time.Second)}
	n := c.countPoints()
	for _, s := range c.Series {
		values := make([]*float64, n)
		for i := range n {
			if v := s.readValue(i); !math.IsNaN(v) {
				values[i] = &v
			}
		}
		p.Series = append(p.Series, plottedSeries{s.Name, values})
	}
	b, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	out := ` data-plot="` + escapeMarkup(string(b)) + `"`
	if c.Span != "" {
		out += ` data-span="` + escapeMarkup(c.Span) + `"`
	}
	if c.Days {
		out += ` data-days`
	}
	return out
}
