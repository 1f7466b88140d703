package console

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/manage/console/chart"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// exchangeView is the trace of an exchange.
type exchangeView struct {
	Recent *recent.Exchange // nil if the trace is no longer in memory
	Steps  []step
}

// step is one row of the trace: a stage, or a call of a provider.
type step struct {
	Name, Kind  string // Kind is a phase or "provider"
	Verdict     string // also the data-state of its badge
	Shadow      bool
	Fault       string
	Status      int // HTTP status of a provider
	Found       []recent.Found
	Began, Took time.Duration
	Spread      bool // ran over the parts of a stream
	whole       time.Duration
}

// Bar draws the step on the timeline.
func (s step) Bar() template.HTML {
	if s.whole <= 0 {
		return ""
	}
	from, to := s.Began, s.Began+s.Took
	kind := 0
	switch {
	case s.Kind == "provider":
		kind = 1
	case s.Shadow:
		kind = 2
	}
	if s.Spread {
		from, to, kind = s.Began, s.whole, 3
	}
	return chart.DrawSlot(s.Name+": "+formatShortDuration(s.Took), float64(from)/float64(s.whole), float64(to)/float64(s.whole), kind)
}

// formatShortDuration writes a duration with three significant digits.
func formatShortDuration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return strconv.FormatFloat(float64(d)/1e3, 'f', 0, 64) + " µs"
	case d < 100*time.Millisecond:
		return strconv.FormatFloat(float64(d)/1e6, 'f', 2, 64) + " ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(float64(d)/1e6, 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(float64(d)/1e9, 'f', 1, 64) + " s"
}

// Took3 and Began3 return the times as text.
func (s step) Took3() string  { return formatShortDuration(s.Took) }
func (s step) Began3() string { return formatShortDuration(s.Began) }

// newExchangeView returns the trace of an exchange, with its steps in order of their start.
func newExchangeView(e *recent.Exchange) exchangeView {
	v := exchangeView{Recent: e}
	for _, s := range e.Stages {
		x := step{
			Name: s.Link, Kind: s.Phase.String(), Verdict: s.Action.String(), Shadow: s.Shadow, Began: s.Began, Took: s.Took,
			Spread: s.Spread, whole: e.Latency,
		}
		if s.Spread {
			x.Began = e.FirstByte
		}
		if s.Fault != 0 {
			x.Verdict, x.Fault = "fault", s.Fault.String()
		}
		for _, f := range e.Found {
			if f.Link == s.Link && f.Phase == s.Phase {
				x.Found = append(x.Found, f)
			}
		}
		v.Steps = append(v.Steps, x)
	}
	for _, a := range e.Attempts {
		v.Steps = append(v.Steps, step{
			Name: a.Provider + " · " + a.Model, Kind: "provider", Verdict: nameVerdict(&a), Status: a.Status,
			Began: a.Began, Took: a.Took, whole: e.Latency,
		})
	}
	slices.SortStableFunc(v.Steps, func(a, b step) int {
		if a.Spread != b.Spread { // stages that saw parts of the answer started with it
			if a.Spread {
				return 1
			}
			return -1
		}
		if a.Spread {
			return 0
		}
		return cmp.Compare(a.Began, b.Began)
	})
	return v
}

func nameVerdict(a *recent.Attempt) string {
	switch {
	case a.Skipped:
		return "skipped"
	case a.Status == 0:
		return "no answer"
	case a.Status < 300:
		return "ok"
	}
	return "failed"
}

// ListSkipped returns the providers that were treated as down for this exchange and not called.
func (v exchangeView) ListSkipped() (names []string) {
	for i := range v.Recent.Attempts {
		if a := &v.Recent.Attempts[i]; a.Skipped && !slices.Contains(names, a.Provider) {
			names = append(names, a.Provider)
		}
	}
	return names
}

// Cost returns the cost of the exchange.
func (v exchangeView) Cost() money.Amount { return money.Amount(v.Recent.Cost) }

// Path returns the address of the page of the exchange.
func (v exchangeView) Path() string { return buildRequestPath(v.Recent.ID, v.Recent.At) }

// Latency3 returns the latency as text.
func (v exchangeView) Latency3() string { return formatShortDuration(v.Recent.Latency) }

// First3 returns the time to the first byte as text, or "".
func (v exchangeView) First3() string {
	if v.Recent.FirstByte == 0 {
		return ""
	}
	return formatShortDuration(v.Recent.FirstByte)
}
