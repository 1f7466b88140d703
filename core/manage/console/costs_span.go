package console

import (
	"time"
)

// costSpan is a quick span of the page of costs: whole days in UTC, its end exclusive.
type costSpan struct {
	Label, From, To string // To is "" for a span that has not ended
	Chosen          bool
}

// Spans returns the quick spans. Weeks begin on Monday.
func (p *costPage) Spans() []costSpan {
	today := p.now.UTC().Truncate(day)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	month := today.AddDate(0, 0, 1-today.Day())
	format := func(t time.Time) string { return t.Format(time.DateOnly) }
	out := []costSpan{
		{Label: "This week", From: format(monday)},
		{Label: "Last week", From: format(monday.AddDate(0, 0, -7)), To: format(monday)},
		{Label: "This month", From: format(month)},
		{Label: "Last month", From: format(month.AddDate(0, -1, 0)), To: format(month)},
		{Label: "Last 30 days", From: format(today.AddDate(0, 0, 1-defaultCostDays))},
	}
	for i := range out { // on the last day of some months, two are the same
		out[i].Chosen = (i < 4 || !out[2].Chosen) && p.Form.readText("from") == out[i].From && p.Form.readText("to") == out[i].To
	}
	return out
}
