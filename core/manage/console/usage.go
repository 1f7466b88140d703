package console

import (
	"context"
	"encoding/csv"
	"net/http"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// usageHandlers serve the monthly usage report.
type usageHandlers struct {
	now    func() time.Time
	months memo[meter.MonthlyUsage]
}

// usagePage is the data of the report: a month by workspace, and the months before it.
type usagePage struct {
	Form   *Form
	Usage  meter.MonthlyUsage
	Months []meter.MonthlyUsage // newest first
	Names  *names
	Before string
	After  string // "" if the month is not over
}

// monthLayout is the format of a month.
const monthLayout = "2006-01"

// maxMonths limits the months that the report compares.
const maxMonths = 12

func (h *usageHandlers) mount(c *Console) {
	c.mountGet("/license/usage", auth.UsageRead, h.showUsage)
}

func (h *usageHandlers) showUsage(r *request) error {
	f := r.readQueryForm()
	p := &usagePage{Form: f, Names: r.openWorkspaceNames()}
	month := f.readText("month")
	if month == "" {
		month = h.now().UTC().Format(monthLayout)
		f.Values.Set("month", month)
	}
	usage, err := h.readMonth(r, month)
	if err != nil {
		return r.showRefused("usage", "Monthly usage", p, f, err)
	}
	if f.readText("format") == "csv" {
		return r.sendUsageFile(usage)
	}
	p.Usage = usage
	p.Before = usage.From.AddDate(0, -1, 0).Format(monthLayout)
	if now := h.now(); !usage.To.After(now) {
		p.After = usage.To.Format(monthLayout)
	}
	for n := range maxMonths {
		of := usage
		if n > 0 {
			of, err = h.readMonth(r, usage.From.AddDate(0, -n, 0).Format(monthLayout))
			if e := core.ConvertError(err); err != nil && e.HTTPStatus() < http.StatusInternalServerError {
				break // before the first month
			}
			if err != nil {
				return err
			}
		}
		p.Months = append(p.Months, of)
	}
	for len(p.Months) > 1 && p.Months[len(p.Months)-1].Calls == 0 {
		p.Months = p.Months[:len(p.Months)-1]
	}
	return r.show("usage", "Monthly usage", p)
}

// readMonth returns the usage of a month, for all workspaces or the reader's own. It is cached, since a page compares twelve.
func (h *usageHandlers) readMonth(r *request, month string) (meter.MonthlyUsage, error) {
	u, _, err := h.months.get(r.ctx(), r.who.Tenant+" "+month, h.now, func(ctx context.Context) (meter.MonthlyUsage, error) {
		return r.service().Costs().ReadMonthlyUsage(ctx, r.who, "", month)
	})
	return u, err
}

// sendUsageFile answers with the report as CSV.
func (r *request) sendUsageFile(u meter.MonthlyUsage) error {
	name := "usage-" + u.Month + ".csv"
	r.Header("Content-Disposition", `attachment; filename="`+name+`"`)
	r.Header("Content-Type", "text/csv; charset=utf-8")
	r.Status(http.StatusOK)
	w := csv.NewWriter(r.Writer)
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	_ = w.Write([]string{
		"month", "workspace_id", "workspace", "governed_calls", "requests", "input_tokens", "output_tokens",
		"cost_usd",
	}) // the writer keeps the error
	names := r.openWorkspaceNames()
	for i := range u.Tenants {
		t := &u.Tenants[i]
		_ = w.Write([]string{
			u.Month, escapeCSV(t.Tenant), escapeCSV(names.NameOf(t.Tenant)), number(t.Calls), number(t.Requests), number(t.InputTokens),
			number(t.OutputTokens), t.Cost.String(),
		}) // the writer keeps the error
	}
	w.Flush()
	if w.Error() != nil {
		panic(http.ErrAbortHandler) // closes the connection, so that half a file does not look complete
	}
	return nil
}

// escapeCSV escapes a text that a spreadsheet would evaluate as a formula.
func escapeCSV(text string) string {
	if text != "" && (text[0] == '=' || text[0] == '+' || text[0] == '-' || text[0] == '@' || text[0] == '\t' || text[0] == '\r') {
		return "'" + text
	}
	return text
}

// Title returns the month in words.
func (p *usagePage) Title() string { return p.Usage.From.Format("January 2006") }

// Running reports whether the month is not over.
func (p *usagePage) Running() bool { return p.After == "" }

// Month returns a month in words.
func (usagePage) Month(u meter.MonthlyUsage) string { return u.From.Format("January 2006") }
