package meter

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/meter/pdf"
)

// pdfRows is the maximum number of rows of a table in the PDF. One more row sums up the rest; the CSV lists them all.
const pdfRows = 2000

// pdfBars is the maximum number of bars in a chart.
const pdfBars = 8

// FormatPDF renders a report. The same report yields the same bytes.
func (r *ChargebackReport) FormatPDF() ([]byte, error) {
	s := r.Sections
	d := pdf.New(pdf.Options{Title: "Chargeback report", Subtitle: r.nameTenant() + " · " + r.formatSpan(), By: r.By, Created: r.At})
	d.WriteFigures([]pdf.Fact{
		{Label: "Total cost", Value: "USD " + groupDigits(s.Total.Cost.FormatFixed(2))},
		{Label: "Requests", Value: formatCount(s.Total.Requests)},
		{Label: "Input tokens", Value: formatCount(s.Total.InputTokens)},
		{Label: "Output tokens", Value: formatCount(s.Total.OutputTokens)},
	})
	d.WriteFacts([]pdf.Fact{
		{Label: "Tenant", Value: r.nameTenant()},
		{Label: "From (included)", Value: r.From.Format("2006-01-02 15:04:05 UTC")},
		{Label: "To (not included)", Value: r.To.Format("2006-01-02 15:04:05 UTC")},
		{Label: "Currency", Value: "US dollar (USD)"},
		{Label: "Exact total", Value: "USD " + s.Total.Cost.String()},
		{Label: "Report", Value: r.ID},
	})
	if s.Total.Unpriced > 0 {
		d.WriteParagraph(
			formatCount(
				s.Total.Unpriced,
			) + " requests are not priced: no price was known when they were made. They count with a cost of 0; add prices for their models.",
		)
	}
	r.drawDaily(d)
	if r.Tenant == nil {
		drawParts(d, "Tenants", []string{"Tenant"}, s.Tenants, &s.Total, func(t *TenantShare) ([]string, *Share) {
			return []string{joinNameAndID(t.Name, t.Tenant)}, &t.Share
		})
	}
	drawParts(d, "API keys", []string{"Key", "Tenant"}, s.Keys, &s.Total, func(k *KeyShare) ([]string, *Share) {
		return []string{joinNameAndID(k.Name, k.Key), k.Tenant}, &k.Share
	})
	drawParts(d, "Models", []string{"Model", "Provider"}, s.Models, &s.Total, func(m *ModelShare) ([]string, *Share) {
		return []string{m.Model, m.Provider}, &m.Share
	})
	drawParts(d, "Providers", []string{"Provider"}, s.Providers, &s.Total, func(p *PartShare) ([]string, *Share) {
		return []string{p.Provider}, &p.Share
	})
	r.drawOutlook(d)
	d.WriteHeading("How these figures are made")
	d.WriteNote(
		"The cost of a request is the sum of its parts (input, cached input, output, reasoning), each priced at the entry of the price list that was in force when it was made, and rounded once, half up, to 1e-10 USD. " +
			"Amounts are sums of those and are shown to four decimal places, rounded half up, so that shown amounts may differ from their shown total in the last place; the CSV and JSON of this report are exact. Days are those of UTC.",
	)
	return d.Finish()
}

func (r *ChargebackReport) nameTenant() string {
	if r.Tenant == nil {
		return "All tenants"
	}
	for i := range r.Sections.Tenants {
		if t := &r.Sections.Tenants[i]; t.Tenant == *r.Tenant {
			return joinNameAndID(t.Name, t.Tenant)
		}
	}
	return *r.Tenant
}

// formatSpan returns the report's days, or its exact times if it does not cover whole days.
func (r *ChargebackReport) formatSpan() string {
	if r.From.Equal(findMidnight(r.From)) && r.To.Equal(findMidnight(r.To)) {
		last := r.To.Add(-day)
		if last.Equal(r.From) {
			return r.From.Format("2 January 2006")
		}
		return r.From.Format("2 January 2006") + " to " + last.Format("2 January 2006")
	}
	return r.From.Format("2006-01-02 15:04") + " to " + r.To.Format("2006-01-02 15:04") + " UTC"
}

// drawDaily draws a column per day, or per month if the interval is long.
func (r *ChargebackReport) drawDaily(d *pdf.Document) {
	chart := pdf.Chart{
		Unit: "USD for a day", Series: []pdf.Series{{Name: "Input"}, {Name: "Output"}},
		Format: func(v float64) string { return groupDigits(formatTrimmed(v)) },
	}
	for i := range r.Sections.Days {
		v := &r.Sections.Days[i]
		at, err := time.Parse(time.DateOnly, v.Date)
		if err != nil {
			continue
		}
		chart.Labels = append(chart.Labels, at.Format("2 Jan"))
		chart.Series[0].Values = append(chart.Series[0].Values, convertToDollars(v.InputCost))
		chart.Series[1].Values = append(chart.Series[1].Values, convertToDollars(v.OutputCost))
	}
	d.WriteHeading("Cost by day")
	if len(chart.Labels) > 0 {
		if len(chart.Labels) > 100 { // columns would be hairlines
			d.DrawLines(chart)
		} else {
			d.DrawColumns(chart)
		}
	}
	t := newCostTable("Date")
	for i := range r.Sections.Days {
		v := &r.Sections.Days[i]
		if v.Requests > 0 {
			t.Rows = append(t.Rows, formatCostRow([]string{v.Date}, &v.Share))
		}
	}
	t.Empty, t.Total = "Nothing was spent in this span.", formatCostRow([]string{"Total"}, &r.Sections.Total)
	d.DrawTable(t)
}

// drawParts draws one division of the costs: the most expensive as bars, all of them as a table.
func drawParts[T any](d *pdf.Document, title string, columns []string, list []T, total *Share, of func(*T) ([]string, *Share)) {
	d.WriteHeading(title)
	var bars []pdf.Bar
	t := newCostTable(columns...)
	var rest Share
	left := 0
	for i := range list {
		names, s := of(&list[i])
		if i < pdfBars && s.Cost > 0 {
			bars = append(bars, pdf.Bar{Label: names[0], Value: convertToDollars(s.Cost), Text: "USD " + groupDigits(s.Cost.FormatFixed(2))})
		}
		if i < pdfRows {
			t.Rows = append(t.Rows, formatCostRow(names, s))
			continue
		}
		left++
		rest.add(s)
	}
	if left > 0 {
		t.Rows = append(t.Rows, formatCostRow(padColumns(fmt.Sprintf("%s others", formatCount(int64(left))), len(columns)), &rest))
	}
	t.Empty, t.Total = "None had costs in this span.", formatCostRow(padColumns("Total", len(columns)), total)
	if len(bars) > 1 {
		d.DrawBars(bars)
	}
	d.DrawTable(t)
}

func (s *Share) add(o *Share) {
	s.InputCost += o.InputCost
	s.OutputCost += o.OutputCost
	s.Cost += o.Cost
	s.Requests += o.Requests
	s.InputTokens += o.InputTokens
	s.OutputTokens += o.OutputTokens
	s.Pct += o.Pct
}

func padColumns(first string, n int) []string {
	row := make([]string, n)
	row[0] = first
	return row
}

// newCostTable returns a table of parts whose first columns hold names.
func newCostTable(names ...string) pdf.Table {
	t := pdf.Table{}
	for i, n := range names {
		w := 3.2
		if i > 0 {
			w = 2
		}
		t.Columns = append(t.Columns, pdf.Column{Title: n, Width: w, Wrap: true})
	}
	for _, c := range []struct {
		title string
		width float64
	}{{"Requests", 1.6}, {"Tokens", 2}, {"Input USD", 1.9}, {"Output USD", 1.9}, {"Cost USD", 1.9}, {"Share", 1.4}} {
		t.Columns = append(t.Columns, pdf.Column{Title: c.title, Width: c.width, Align: pdf.Right})
	}
	return t
}

func formatCostRow(names []string, s *Share) []string {
	return append(
		append([]string(nil), names...),
		formatCount(s.Requests),
		formatCount(s.InputTokens+s.OutputTokens),
		groupDigits(
			s.InputCost.FormatFixed(4),
		),
		groupDigits(s.OutputCost.FormatFixed(4)),
		groupDigits(s.Cost.FormatFixed(4)),
		strconv.FormatFloat(s.Pct, 'f', 1, 64)+" %",
	)
}

// drawOutlook draws the forecasts and the anomalies.
func (r *ChargebackReport) drawOutlook(d *pdf.Document) {
	s := r.Sections
	for _, f := range []struct {
		days int
		list []Forecast
	}{{7, s.Forecast.Week}, {30, s.Forecast.Month}} {
		d.WriteHeading(fmt.Sprintf("Forecast from the last %d days", f.days))
		t := pdf.Table{Empty: "No costs in these days or in this month.", Columns: []pdf.Column{
			{Title: "Tenant", Width: 3},
			{Title: "Model", Width: 3},
			{Title: "Daily average USD", Width: 2.4, Align: pdf.Right},
			{Title: "Month end USD", Width: 2.2, Align: pdf.Right},
			{Title: "Trend", Width: 1.6},
		}}
		for i := range f.list {
			if i == pdfRows {
				break
			}
			v := &f.list[i]
			daily, monthly := groupDigits(v.DailyAverage.FormatFixed(4)), groupDigits(v.MonthEnd.FormatFixed(2))
			t.Rows = append(t.Rows, []string{v.Tenant, v.Model, daily, monthly, v.Trend})
		}
		d.DrawTable(t)
	}
	d.WriteHeading("Anomalies")
	t := pdf.Table{Empty: "None: no rate of the last 24 hours is far above its baseline.", Columns: []pdf.Column{
		{Title: "Tenant", Width: 3},
		{Title: "Model", Width: 3},
		{Title: "Last 24 h USD", Width: 2, Align: pdf.Right},
		{Title: "Baseline USD", Width: 2, Align: pdf.Right},
		{Title: "Above by", Width: 1.4, Align: pdf.Right},
	}}
	for i := range s.Anomalies {
		v := &s.Anomalies[i]
		t.Rows = append(
			t.Rows,
			[]string{
				v.Tenant,
				v.Model,
				groupDigits(v.Current.FormatFixed(4)),
				groupDigits(v.Baseline.FormatFixed(4)),
				strconv.FormatFloat(v.DeviationPct, 'f', 1, 64) + " %",
			},
		)
	}
	d.DrawTable(t)
	d.WriteNote("Forecasts and anomalies are as of the time when the report was generated, whatever its span.")
}

// convertToDollars converts an amount for drawing only.
func convertToDollars(a money.Amount) float64 { return float64(a) / float64(money.USD) }

// formatTrimmed formats the number at a grid line.
func formatTrimmed(v float64) string { return strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', -1, 64) }

// joinNameAndID returns a name with its id, because names are not unique.
func joinNameAndID(name, id string) string {
	if name == "" || name == id {
		return id
	}
	return name + " (" + id + ")"
}

func formatCount(n int64) string { return groupDigits(strconv.FormatInt(n, 10)) }

// groupDigits puts commas between thousands.
func groupDigits(s string) string {
	sign, digits := "", s
	if s != "" && s[0] == '-' {
		sign, digits = "-", s[1:]
	}
	end := len(digits)
	for i := range len(digits) {
		if digits[i] == '.' {
			end = i
			break
		}
	}
	out := digits[end:]
	for end > 3 {
		out = "," + digits[end-3:end] + out
		end -= 3
	}
	return sign + digits[:end] + out
}
