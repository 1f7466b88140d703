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

// usagePage is what the monthly usage report shows: a month by workspace, and the months around it.
type usagePage struct {
	Form   *Form
	Usage  meter.MonthlyUsage
	Months []meter.MonthlyUsage // the newest first
	Names  *names
	Before string
	After  string // "": the month runs still
}

// monthForm is how a month is written.
const monthForm = "2006-01"

// mostMonths is how many months the report compares.
const mostMonths = 12

func (h *usageHandlers) mount(c *Console) {
	c.get("/license/usage", auth.UsageRead, h.showUsage)
}

func (h *usageHandlers) showUsage(r *request) error {
	f := r.query()
	p := &usagePage{Form: f, Names: r.names()}
	month := f.text("month")
	if month == "" {
		month = h.now().UTC().Format(monthForm)
		f.Values.Set("month", month)
	}
	usage, err := h.month(r, month)
	if err != nil {
		return r.again("usage", "Monthly usage", p, f, err)
	}
	if f.text("format") == "csv" {
		return r.usageFile(usage)
	}
	p.Usage = usage
	p.Before = usage.From.AddDate(0, -1, 0).Format(monthForm)
	if now := h.now(); !usage.To.After(now) {
		p.After = usage.To.Format(monthForm)
	}
	for n := range mostMonths {
		of := usage
		if n > 0 {
			of, err = h.month(r, usage.From.AddDate(0, -n, 0).Format(monthForm))
			if e := core.AsError(err); err != nil && e.HTTPStatus() < http.StatusInternalServerError {
				break // before there were months
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

// month is the usage of a month, of all workspaces or the reader's, kept a little while: a page compares twelve of them.
func (h *usageHandlers) month(r *request, month string) (meter.MonthlyUsage, error) {
	u, _, err := h.months.get(r.ctx(), r.who.Tenant+" "+month, h.now, func(ctx context.Context) (meter.MonthlyUsage, error) {
		return r.service().Costs().MonthlyUsage(ctx, r.who, "", month)
	})
	return u, err
}

// usageFile is the report as a file for spreadsheets.
func (r *request) usageFile(u meter.MonthlyUsage) error {
	name := "usage-" + u.Month + ".csv"
	r.Header("Content-Disposition", `attachment; filename="`+name+`"`)
	r.Header("Content-Type", "text/csv; charset=utf-8")
	r.Status(http.StatusOK)
	w := csv.NewWriter(r.Writer)
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	_ = w.Write([]string{"month", "workspace_id", "workspace", "governed_calls", "requests", "input_tokens", "output_tokens", "cost_usd"}) // an error stays with the writer
	names := r.names()
	for i := range u.Tenants {
		t := &u.Tenants[i]
		_ = w.Write([]string{
			u.Month, cell(t.Tenant), cell(names.Of(t.Tenant)), number(t.Calls), number(t.Requests), number(t.InputTokens), number(t.OutputTokens), t.Cost.String(),
		}) // an error stays with the writer
	}
	w.Flush()
	if w.Error() != nil {
		panic(http.ErrAbortHandler) // half a file must not look whole
	}
	return nil
}

// cell puts a single quote before a text that a spreadsheet would take for a formula.
func cell(text string) string {
	if text != "" && (text[0] == '=' || text[0] == '+' || text[0] == '-' || text[0] == '@' || text[0] == '\t' || text[0] == '\r') {
		return "'" + text
	}
	return text
}

// Title is the month in words.
func (p *usagePage) Title() string { return p.Usage.From.Format("January 2006") }

// Running reports whether the month is not over.
func (p *usagePage) Running() bool { return p.After == "" }

// Month is a month in words.
func (usagePage) Month(u meter.MonthlyUsage) string { return u.From.Format("January 2006") }
