package compliance

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/pdf"
)

// Paper contains the data of a PDF.
type Paper struct {
	ID, Type    string
	Scope       Scope
	GeneratedAt time.Time
	GeneratedBy string
	Sections    Sections
	Proof       Proof
	Version     string // of the program
	// Expired marks each page, because the licence is DEGRADED.
	Expired bool
}

// titles are the titles of the reports.
var titles = map[string]string{
	SOC2:  "SOC 2 evidence report",
	HIPAA: "HIPAA Security Rule evidence report",
	GDPR:  "GDPR evidence report",
}

// ExpiredNotice is the footer of reports rendered while the licence is DEGRADED.
const ExpiredNotice = "The licence of this installation has expired, and its grace period is over."

// Render returns the report as a PDF.
func Render(p *Paper) ([]byte, error) {
	controls, source, err := ListControls(p.Type)
	if err != nil {
		return nil, err
	}
	o := pdf.Options{
		Title: titles[p.Type], Subtitle: p.formatScope() + ", " + p.formatSpan(), By: p.GeneratedBy, Created: p.GeneratedAt,
	}
	if p.Expired {
		o.Notice = ExpiredNotice
	}
	d := pdf.New(o)
	p.drawSummary(d)
	p.drawMethod(d, source)
	p.drawIntegrity(d)
	p.drawControls(d, controls)
	p.drawAccess(d)
	p.drawEvents(d)
	p.drawTokens(d)
	return d.Finish()
}

func (p *Paper) formatScope() string {
	if p.Scope.Tenant == "" {
		return "All tenants"
	}
	return "Tenant " + p.Scope.Tenant
}

const dayForm = "2006-01-02 15:04"

func (p *Paper) formatSpan() string {
	return p.Scope.From.UTC().Format(dayForm) + " to " + p.Scope.To.UTC().Format(dayForm) + " UTC"
}

func (p *Paper) drawSummary(d *pdf.Document) {
	s := &p.Sections
	verdict := "intact"
	if !s.Integrity.Valid {
		verdict = "BROKEN"
	}
	d.WriteFigures([]pdf.Fact{
		{Label: "Audit chains", Value: verdict},
		{Label: "Records verified", Value: formatCount(s.Integrity.Verified)},
		{Label: "Failed authentications", Value: formatCount(s.Access.Failure)},
		{Label: "Denied by policy", Value: formatCount(s.Policy.Denied)},
	})
	d.WriteFacts([]pdf.Fact{
		{Label: "Report", Value: p.Type + ", " + p.ID},
		{Label: "Scope", Value: p.formatScope()},
		{Label: "Span", Value: p.formatSpan() + ", end excluded"},
		{Label: "Generated", Value: p.GeneratedAt.UTC().Format("2006-01-02 15:04:05") + " UTC by " + p.GeneratedBy},
		{Label: "System", Value: "Headgate " + p.Version + ", " + formatPlural(len(p.Proof.Chains), "node")},
	})
}

func (p *Paper) drawControls(d *pdf.Document, list []Control) {
	d.WriteHeading("Controls and evidence")
	t := pdf.Table{Columns: []pdf.Column{
		{Title: "Requirement", Width: 26},
		{Title: "Control", Width: 45, Wrap: true},
		{Title: "Evidence: records in the span", Width: 60, Wrap: true},
		{Title: "Sum", Align: pdf.Right, Width: 14},
	}}
	for _, c := range list {
		var parts, none []string
		sum := int64(0)
		for _, kind := range c.Evidence {
			n := p.Sections.Events[kind]
			sum += n
			if n == 0 {
				none = append(none, kind)
			} else {
				parts = append(parts, kind+": "+formatCount(n))
			}
		}
		if len(none) > 0 {
			parts = append(parts, "none of "+strings.Join(none, ", "))
		}
		t.Rows = append(t.Rows, []string{c.ID, c.Title, strings.Join(parts, "; "), formatCount(sum)})
	}
	d.DrawTable(t)
	d.WriteNote(
		"A sum of 0 means that nothing of the kind has happened in the span, or that the function is not in use; it does not show that a control has failed.",
	)
}

func (p *Paper) drawAccess(d *pdf.Document) {
	s := &p.Sections
	d.WriteHeading("Access control and enforcement")
	d.WriteFacts([]pdf.Fact{
		{
			Label: "Authenticated",
			Value: formatCount(
				s.Access.Success,
			) + " (governed calls " + formatCount(
				s.Events["GATEWAY_REQUEST"],
			) + ", administrators signed in " + formatCount(
				s.Events["AUTH_SUCCESS"],
			) + ")",
		},
		{Label: "Refused", Value: formatCount(s.Access.Failure) + " without a valid credential"},
		{Label: "Foreign tenant named", Value: formatCount(s.Events["TENANT_SCOPE_VIOLATION"])},
		{Label: "Denied by policy", Value: formatCount(s.Policy.Denied) + " of " + formatPlural64(s.Events["POLICY_DECISION"], "decision")},
		{Label: "Refused by budget", Value: formatCount(s.Events["BUDGET_EXCEEDED"])},
	})
	drawBars(d, "Redacted personal data, by type", p.Proof.Redacted)
	drawBars(d, "Policy rules that took part in denials", p.Proof.Denied)
}

// maxBars limits a chart to its largest bars.
const maxBars = 12

func drawBars(d *pdf.Document, title string, counts map[string]int64) {
	if len(counts) == 0 {
		return
	}
	d.WriteParagraph(title + ":")
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	var list []pdf.Bar
	for _, n := range names[:min(len(names), maxBars)] {
		list = append(list, pdf.Bar{Label: n, Value: float64(counts[n]), Text: formatCount(counts[n])})
	}
	d.DrawBars(list)
	d.AddSpace(3)
	if more := len(names) - maxBars; more > 0 {
		d.WriteNote("and " + formatCount(int64(more)) + " more")
	}
}

func (p *Paper) drawEvents(d *pdf.Document) {
	d.WriteHeading("Records by type")
	t := pdf.Table{
		Columns: []pdf.Column{
			{Title: "Type of event", Width: 45},
			{Title: "Meaning", Width: 75, Wrap: true},
			{Title: "Records", Align: pdf.Right, Width: 18},
		},
		Empty: "There are no records in the span.",
	}
	total := int64(0)
	for _, kind := range slices.Sorted(maps.Keys(p.Sections.Events)) {
		n := p.Sections.Events[kind]
		total += n
		t.Rows = append(t.Rows, []string{kind, describeEvent(kind), formatCount(n)})
	}
	t.Total = []string{"All", "", formatCount(total)}
	d.DrawTable(t)
}

func (p *Paper) drawTokens(d *pdf.Document) {
	d.WriteHeading("Use of models")
	t := pdf.Table{
		Columns: []pdf.Column{
			{Title: "Tenant", Width: 30},
			{Title: "Provider", Width: 22},
			{Title: "Model", Width: 36},
			{Title: "Requests", Align: pdf.Right, Width: 18},
			{Title: "Input tokens", Align: pdf.Right, Width: 22},
			{Title: "Output tokens", Align: pdf.Right, Width: 25},
			{Title: "All tokens", Align: pdf.Right, Width: 21},
		},
		Empty: "There are no usage records in the span.",
	}
	var sum ModelTokens
	for i := range p.Sections.Tokens {
		u := &p.Sections.Tokens[i]
		t.Rows = append(t.Rows, []string{
			u.TenantID,
			cmp.Or(u.Provider, "–"),
			cmp.Or(u.Model, "–"),
			formatCount(u.Requests),
			formatCount(u.Input),
			formatCount(u.Output),
			formatCount(u.Total),
		})
		sum.Requests, sum.Input, sum.Output, sum.Total = sum.Requests+u.Requests, sum.Input+u.Input, sum.Output+u.Output, sum.Total+u.Total
	}
	t.Total = []string{"All", "", "", formatCount(sum.Requests), formatCount(sum.Input), formatCount(sum.Output), formatCount(sum.Total)}
	d.DrawTable(t)
	d.WriteNote(
		"– : the call was refused before a provider was chosen, or answered from the cache. Tokens are as the providers count them; where they did not, the gateway's own estimate.",
	)
}

// formatCount formats a number with thousands separators.
func formatCount(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func formatPlural(n int, what string) string { return formatPlural64(int64(n), what) }

func formatPlural64(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return formatCount(n) + " " + what + "s"
}
