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

// reports declares the pages of compliance reports.
func reports(now func() time.Time) *reportPages {
	h := &reportPages{}
	h.resource = &resource[admin.ComplianceReport]{
		path: "/compliance", param: "report", title: "Compliance", read: auth.ReportsRead, write: auth.ReportsWrite,
		intro: "A report shows for a period whether the audit chains are intact, who was admitted and who was rejected, what policies denied, " +
			"and which models were used. Its PDF maps the events to controls of SOC 2, HIPAA or GDPR.",
		empty: "There are no reports yet. Create the first one below.",
		columns: []column[admin.ComplianceReport]{
			{"Type", "", func(_ *request, v admin.ComplianceReport) part { return linkPart(reportPath(v.ID), v.Type) }},
			{"From", "", func(_ *request, v admin.ComplianceReport) part { return timePart(v.From) }},
			{"To", "", func(_ *request, v admin.ComplianceReport) part { return timePart(v.To) }},
			{"Workspace", "", func(r *request, v admin.ComplianceReport) part { return workspacePart(r, v.TenantID) }},
			{"Created", "", func(_ *request, v admin.ComplianceReport) part { return timePart(v.GeneratedAt) }},
			{"Created by", "", func(r *request, v admin.ComplianceReport) part {
				return textPart(cmp.Or(r.userNames().NameOf(v.GeneratedBy), v.GeneratedBy))
			}},
			actions("Files", func(_ *request, v admin.ComplianceReport) part { return part{"report-file", reportPath(v.ID)} }),
		},
		list: func(r *request) (list[admin.ComplianceReport], error) {
			reports, err := r.service().Reports().List(r.ctx(), r.who, "", r.listWindow())
			return collect(r, reports, err)
		},
		feature:    admin.FeatureReports,
		unlicensed: "Compliance reports need a valid licence, and this installation has none.",
		form: func(r *request) (part, error) {
			workspaces, err := r.workspaceChoices("All workspaces")
			from, to := lastMonth(now())
			return r.formPart(formView{
				ID: "new", Heading: "New report", Action: "/compliance", Button: "Create report",
				Hint: "This reads all audit records, which takes a while if there are many.",
			}, newForm("from", from, "to", to),
				choice("type", "Type", options("SOC2", "SOC 2", "HIPAA", "HIPAA", "GDPR", "GDPR")), choice("tenant", "Workspace", workspaces),
				input("from", "From", "required", "placeholder=2026-10-01", "hint=A date or a time in UTC."),
				input("to", "To", "required", "placeholder=2026-11-01", "hint=A date or a time in UTC, not included.")), err
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
	c.get("/compliance/:report/pdf", auth.ReportsRead, h.downloadReport)
}

func reportPath(id string) string { return "/compliance/" + url.PathEscape(id) }

func createReport(r *request, f *Form) error {
	n := admin.NewComplianceReport{Type: f.text("type"), TenantID: f.optionalText("tenant"), From: f.text("from"), To: f.text("to")}
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
	return r.redirectWithNotice(reportPath(created.ID), "Report created.")
}

// checkTimes records the errors of the fields from and to.
func (f *Form) checkTimes(from, to string) {
	for name, end := range map[string]string{"from": from, "to": to} {
		if _, err := admin.ParseTime(name, end); err != nil {
			f.addRefusal(core.AsError(err))
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
	return r.show("compliance-report", v.Type+" report", &reportPage{v, r.workspaceNames(), r.userNames()})
}

func (h *reportPages) downloadReport(r *request) error {
	file, name, err := r.service().Reports().PDF(r.ctx(), r.who, r.Param("report"))
	if err != nil {
		return err
	}
	r.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	r.Data(http.StatusOK, "application/pdf", file)
	return nil
}
