package console

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// complianceHandlers serve compliance reports.
type complianceHandlers struct {
	now func() time.Time
}

// compliance mounts the compliance reports.
func (h *complianceHandlers) mount(c *Console) {
	c.get("/compliance", auth.ReportsRead, h.listReports)
	c.post("/compliance", auth.ReportsWrite, h.createReport)
	c.get("/compliance/:report", auth.ReportsRead, h.showReport)
	c.get("/compliance/:report/pdf", auth.ReportsRead, h.downloadReport)
	c.post("/compliance/:report/delete", auth.ReportsWrite, h.deleteReport)
}

// reportList is what the list of reports shows.
type reportList struct {
	Form       *Form
	Workspaces []Option
	Reports    list[admin.ComplianceReport]
	Names      *names
	People     *admin.People
	Unlicensed bool
}

func (h *complianceHandlers) listReports(r *request) error {
	now := h.now().UTC()
	month := now.AddDate(0, 0, 1-now.Day())
	return h.reportsPage(r, newForm("from", month.AddDate(0, -1, 0).Format("2006-01-02"), "to", month.Format("2006-01-02")), nil)
}

func (h *complianceHandlers) reportsPage(r *request, f *Form, refused error) (err error) {
	p := &reportList{Form: f, Names: r.names(), People: r.service().People(r.ctx(), r.who)}
	if p.Workspaces, err = r.workspaceChoices("All workspaces"); err != nil {
		return err
	}
	reports, err := r.service().Reports().List(r.ctx(), r.who, "", r.page())
	if p.Reports, err = collect(r, reports, err); unlicensed(err, admin.CodeNoCompliance) {
		p.Unlicensed, err = true, nil
	}
	switch {
	case err != nil:
		return err
	case refused != nil && !p.Unlicensed:
		return r.again("compliance", "Compliance", p, f, refused)
	}
	return r.show("compliance", "Compliance", p)
}

// unlicensed reports whether an operation was refused for want of a licence, with its code.
func unlicensed(err error, code string) bool {
	var e *core.Error
	return errors.As(err, &e) && e.Code == code
}

func (h *complianceHandlers) createReport(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	n := admin.NewComplianceReport{Type: f.text("type"), TenantID: f.opt("tenant"), From: f.text("from"), To: f.text("to")}
	for name, end := range map[string]string{"from": n.From, "to": n.To} {
		if _, err := admin.ParseTime(name, end); err != nil {
			f.refuse(core.AsError(err))
		} else if end == "" {
			f.wrong(name, "Write a date, as 2026-01-31.")
		}
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(n)
	}
	var made admin.ComplianceReport
	if err == nil {
		made, err = r.service().Reports().Create(r.ctx(), r.who, n)
	}
	if err != nil {
		return h.reportsPage(r, f, err)
	}
	return r.done(reportPath(made.ID), "The report is made.")
}

func reportPath(id string) string { return "/compliance/" + url.PathEscape(id) }

// reportPage is what the page of one report shows.
type reportPage struct {
	Report admin.ComplianceReport
	Names  *names
	People *admin.People
}

func (h *complianceHandlers) showReport(r *request) error {
	v, err := r.service().Reports().Get(r.ctx(), r.who, r.Param("report"))
	if err != nil {
		return err
	}
	return r.show("compliance-report", v.Type+" report", &reportPage{v, r.names(), r.service().People(r.ctx(), r.who)})
}

func (h *complianceHandlers) downloadReport(r *request) error {
	file, name, err := r.service().Reports().PDF(r.ctx(), r.who, r.Param("report"))
	if err != nil {
		return err
	}
	r.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	r.Data(http.StatusOK, "application/pdf", file)
	return nil
}

func (h *complianceHandlers) deleteReport(r *request) error {
	if err := r.service().Reports().Delete(r.ctx(), r.who, r.Param("report")); err != nil {
		return err
	}
	return r.done("/compliance", "The report is deleted.")
}
