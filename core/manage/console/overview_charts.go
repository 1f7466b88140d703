package console

import (
	"html/template"
	"math"
	"time"

	"github.com/headgate-dev/headgate/core/manage/console/chart"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// listLine returns one value of each step.
func (p *overviewPage) listLine(of func(*meter.PaceStep) float64) []float64 {
	out := make([]float64, len(p.Traffic.Steps))
	for i := range p.Traffic.Steps {
		out[i] = of(&p.Traffic.Steps[i])
	}
	return out
}

func (p *overviewPage) newChart(title string, unit chart.Unit, series ...chart.Series) chart.Chart {
	return chart.Chart{Title: title, Unit: unit, Start: p.Traffic.From, Step: p.Span.Step, Series: series, Span: "/requests"}
}

// step returns the length of a step in words.
func (p *overviewPage) step() string {
	switch p.Span.Step {
	case time.Minute:
		return "minute"
	case time.Hour:
		return "hour"
	}
	return "3 hours"
}

// Calls draws the exchanges by outcome.
func (p *overviewPage) Calls() template.HTML {
	of := func(name string, n func(*meter.PaceStep) int64) chart.Series {
		return chart.Series{Name: name, Values: p.listLine(func(s *meter.PaceStep) float64 { return float64(n(s)) })}
	}
	return p.newChart("Calls in each "+p.step(), nil,
		of("served", func(s *meter.PaceStep) int64 { return s.Served }),
		of("cache hits", func(s *meter.PaceStep) int64 { return s.Answered }),
		of("blocked", func(s *meter.PaceStep) int64 { return s.Blocked }),
		of("refused", func(s *meter.PaceStep) int64 { return s.Refused }),
		of("errors", func(s *meter.PaceStep) int64 { return s.Failed }),
	).Bars()
}

// LinkBlocks draws what each link blocked: the links that blocked most, and the others in one. It draws nothing if none did.
func (p *overviewPage) LinkBlocks() template.HTML {
	if len(p.Traffic.Blocked) == 0 {
		return ""
	}
	var series []chart.Series
	for i, l := range p.Traffic.Blocked {
		switch {
		case i < maxSeries:
			series = append(series, chart.Series{Name: l.Link, Values: make([]float64, len(l.Steps))})
		case i == maxSeries:
			series = append(series, chart.Series{Name: "others", Values: make([]float64, len(l.Steps))})
		}
		last := &series[len(series)-1]
		for at, n := range l.Steps {
			last.Values[at] += float64(n)
		}
	}
	c := p.newChart("Blocked in each "+p.step()+", by link", nil, series...)
	c.Span = "/requests?outcome=blocked"
	return c.Bars()
}

// Latency draws the median and the 95th percentile.
func (p *overviewPage) Latency() template.HTML {
	of := func(name string, d func(*meter.PaceStep) time.Duration) chart.Series {
		return chart.Series{Name: name, Values: p.listLine(func(s *meter.PaceStep) float64 {
			if d(s) == 0 {
				return math.NaN()
			}
			return float64(d(s)) / 1e6
		})}
	}
	return p.newChart("Latency", chart.FormatMillis,
		of("p50", func(s *meter.PaceStep) time.Duration { return s.P50 }), of("p95", func(s *meter.PaceStep) time.Duration { return s.P95 }),
	).Lines()
}

// Cost draws the cost.
func (p *overviewPage) Cost() template.HTML {
	c := p.newChart("Cost in each "+p.step(), chart.FormatDollars,
		chart.Series{Name: "cost", Values: p.listLine(func(s *meter.PaceStep) float64 {
			return float64(s.Cost) / float64(money.USD)
		})})
	return c.Bars()
}

// Spark draws the requests beside their number.
func (p *overviewPage) Spark() template.HTML {
	return chart.DrawSparkline("Calls in each "+p.step(), p.listLine(func(s *meter.PaceStep) float64 { return float64(s.Calls) }), chart.FormatCount)
}
