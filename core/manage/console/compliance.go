package console

import (
	"cmp"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// reportPages serves compliance reports.
type reportPages struct {
	*resource[admin.ComplianceReport]
}

// newReportPages declares the pages of compliance reports.
func newReportPages(now func() time.Time) *reportPages {
	h := &reportPages{}
	h.resource = &resource[admin.ComplianceReport]{
		path: "/compliance", param: "report", title: "Compliance", read: auth.ReportsRead, write: auth.ReportsWrite,
		intro: "A report shows for a period whether the audit chains are intact, who was admitted and who was rejected, what policies denied, " +
			"and which models were used. Its PDF maps the events to controls of SOC 2, HIPAA or GDPR.",
		empty: "There are no reports yet. Create the first one below.",
		columns: []column[admin.ComplianceReport]{
			{"Type", "", func(_ *request, v admin.ComplianceReport) part { return newLinkPart(buildReportPath(v.ID), v.Type) }},
			{"From", "", func(_ *request, v admin.ComplianceReport) part { return newTimePart(v.From) }},
			{"To", "", func(_ *request, v admin.ComplianceReport) part { return newTimePart(v.To) }},
			{"Workspace", "", func(r *request, v admin.ComplianceReport) part { return newWorkspacePart(r, v.TenantID) }},
			{"Created", "", func(_ *request, v admin.ComplianceReport) part { return newTimePart(v.GeneratedAt) }},
			{"Created by", "", func(r *request, v admin.ComplianceReport) part {
				return newTextPart(cmp.Or(r.openUserNames().NameOf(v.GeneratedBy), v.GeneratedBy))
			}},
			newActionsColumn("Files", func(_ *request, v admin.ComplianceReport) part { return part{"report-file", buildReportPath(v.ID)} }),
		},
		list: func(r *request) (list[admin.ComplianceReport], error) {
			reports, err := r.service().Reports().List(r.ctx(), r.who, "", r.readWindow())
			return readPage(r, reports, err)
		},
		feature:    admin.FeatureReports,
		unlicensed: "Compliance reports need a valid licence, and this installation has none.",
		form: func(r *request) (part, error) {
			workspaces, err := r.listWorkspaceChoices("All workspaces")
			from, to := findLastMonth(now())
			return r.newFormPart(formView{
				ID: "new", Heading: "New report", Action: "/compliance", Button: "Create report",
				Hint: "This reads all audit records, which takes a while if there are many.",
			}, newForm("from", from, "to", to),
				newChoice("type", "Type", newOptions("SOC2", "SOC 2", "HIPAA", "HIPAA", "GDPR", "GDPR")), newChoice("tenant", "Workspace", workspaces),
				newInput("from", "From", "required", "placeholder=2026-10-01", "hint=A date or a time in UTC."),
				newInput("to", "To", "required", "placeholder=2026-11-01", "hint=A date or a time in UTC, not included.")), err
		},
		create: createReport,
		page:   showReport,
		remove: func(r *request, id string) error { return r.service().Reports().Delete(r.ctx(), r.who, id) },
		told:   "Report deleted.",
	}
	return h
}

func (h *reportPages) mount(c *Console) {
	h.resource.mount(c)
	c.mountGet("/compliance/:report/pdf", auth.ReportsRead, h.downloadReport)
}

func buildReportPath(id string) string { return "/compliance/" + url.PathEscape(id) }

func createReport(r *request, f *Form) error {
	n := admin.NewComplianceReport{
		Type: f.readText("type"), TenantID: f.readOptionalText("tenant"), From: f.readText("from"),
		To: f.readText("to"),
	}
	f.checkTimes(n.From, n.To)
	for name, end := range map[string]string{"from": n.From, "to": n.To} {
		if end == "" {
			f.addError(name, "Write a date, such as 2026-01-31.")
		}
	}
	n, err := checkChange(f, n)
	if err != nil {
		return err
	}
	created, err := r.service().Reports().Create(r.ctx(), r.who, n)
	if err != nil {
		return err
	}
	return r.redirectWithNotice(buildReportPath(created.ID), "Report created.")
}

// checkTimes records the errors of the fields from and to.
func (f *Form) checkTimes(from, to string) {
	for name, end := range map[string]string{"from": from, "to": to} {
		if _, err := admin.ParseTime(name, end); err != nil {
			f.addRefusal(core.ConvertError(err))
		}
	}
}

// reportPage is the data of the page of one report.
type reportPage struct {
	Report admin.ComplianceReport
	Names  *names
	People *admin.People
}

func showReport(r *request) error {
	v, err := r.service().Reports().Get(r.ctx(), r.who, r.Param("report"))
	if err != nil {
		return err
	}
	return r.show("compliance-report", v.Type+" report", &reportPage{v, r.openWorkspaceNames(), r.openUserNames()})
}

func (h *reportPages) downloadReport(r *request) error {
	file, name, err := r.service().Reports().FormatPDF(r.ctx(), r.who, r.Param("report"))
	if err != nil {
		return err
	}
	r.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	r.Data(http.StatusOK, "application/pdf", file)
	return nil
}
