package console

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// chargebackPages serves chargeback reports.
type chargebackPages struct {
	*resource[*meter.ChargebackReport]
}

// newChargebackPages declares the pages of chargeback reports.
func newChargebackPages(now func() time.Time) *chargebackPages {
	h := &chargebackPages{}
	h.resource = &resource[*meter.ChargebackReport]{
		path: "/chargeback", param: "id", title: "Chargeback", read: auth.Chargeback, write: auth.Chargeback,
		intro: "A report splits the costs of a period by workspace, key, model, provider and day, as a page, a PDF and a CSV file.",
		empty: "There are no reports yet. Create the first one below: last month is filled in.",
		columns: []column[*meter.ChargebackReport]{
			{"Period", "", func(_ *request, v *meter.ChargebackReport) part {
				return newLinkPart(buildChargebackPath(v.ID), formatChargebackName(v))
			}},
			{"Workspace", "", func(r *request, v *meter.ChargebackReport) part { return newWorkspacePart(r, v.Tenant) }},
			{"Created", "", func(_ *request, v *meter.ChargebackReport) part { return newTimePart(v.At) }},
			{"Created by", "break", func(r *request, v *meter.ChargebackReport) part {
				return newTextPart(cmp.Or(r.openUserNames().NameOf(v.By), v.By))
			}},
			{"Files", "", func(_ *request, v *meter.ChargebackReport) part {
				return part{"chargeback-files", buildChargebackPath(v.ID)}
			}},
		},
		list: func(r *request) (list[*meter.ChargebackReport], error) {
			reports, err := r.service().Chargebacks().List(r.ctx(), r.who, "", r.readWindow())
			return readPage(r, reports, err)
		},
		feature: admin.FeatureChargeback,
		unlicensed: "Chargeback reports need a valid licence, and this installation has none. Costs are recorded all the same, and later " +
			"reports include them.",
		form: func(r *request) (part, error) {
			workspaces, err := r.listWorkspaceChoices("All workspaces")
			from, to := findLastMonth(now())
			return r.newFormPart(formView{ID: "new", Heading: "New report", Action: "/chargeback", Button: "Create report"},
				newForm("from", from, "to", to),
				newChoice("tenant_id", "Workspace", workspaces), newInput("from", "From", "required", "hint=A date in UTC, included."),
				newInput("to", "To", "required", "hint=A date in UTC, not included.")), err
		},
		create: func(r *request, f *Form) error {
			n := admin.ChargebackRequest{Tenant: f.readOptionalText("tenant_id"), From: f.readOptionalText("from"), To: f.readOptionalText("to")}
			created, err := r.service().Chargebacks().Create(r.ctx(), r.who, n)
			if err != nil {
				return err
			}
			return r.redirectWithNotice(buildChargebackPath(created.ID), "Report created.")
		},
		page:   showChargeback,
		remove: func(r *request, id string) error { return r.service().Chargebacks().Delete(r.ctx(), r.who, id) },
		told:   "Report deleted.",
	}
	return h
}

func (h *chargebackPages) mount(c *Console) {
	h.resource.mount(c)
	c.mountGet("/chargeback/:id/pdf", auth.Chargeback, h.downloadPDF)
	c.mountGet("/chargeback/:id/csv", auth.Chargeback, h.downloadCSV)
}

func buildChargebackPath(id string) string { return "/chargeback/" + url.PathEscape(id) }

// formatChargebackName returns the period of a report.
func formatChargebackName(v *meter.ChargebackReport) string {
	return v.From.Format(time.DateOnly) + " to " + v.To.Format(time.DateOnly)
}

// findLastMonth returns the first day of the last month and of this one, in UTC.
func findLastMonth(now time.Time) (from, to string) {
	now = now.UTC()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, -1, 0).Format(time.DateOnly), first.Format(time.DateOnly)
}

// maxReportKeys limits the keys that the page lists. The files contain all.
const maxReportKeys = 100

// chargebackPage is the data of the page of a report.
type chargebackPage struct {
	Report *meter.ChargebackReport
	Keys   []meter.KeyShare
	Names  *names
}

func showChargeback(r *request) error {
	report, err := r.service().Chargebacks().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	data := &chargebackPage{report, report.Sections.Keys[:min(len(report.Sections.Keys), maxReportKeys)], r.openWorkspaceNames()}
	return r.show("chargeback-report", "Chargeback "+formatChargebackName(report), data)
}

func (h *chargebackPages) downloadPDF(r *request) error {
	file, err := r.service().Chargebacks().FormatPDF(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	r.setDownloadName("chargeback-" + r.Param("id") + ".pdf")
	r.Data(http.StatusOK, "application/pdf", file)
	return nil
}

func (h *chargebackPages) downloadCSV(r *request) error {
	focus := r.Query("columns") == "focus"
	write, err := r.service().Chargebacks().FormatCSV(r.ctx(), r.who, r.Param("id"), focus)
	if err != nil {
		return err
	}
	r.setDownloadName("chargeback-" + r.Param("id") + ".csv")
	r.Header("Content-Type", "text/csv; charset=utf-8")
	return write(r.Writer)
}

// setDownloadName makes the browser save the answer under a name.
func (r *request) setDownloadName(name string) {
	r.Header("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
}
