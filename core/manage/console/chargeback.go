package console

import (
	"net/http"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// chargebackHandlers serve chargeback reports.
type chargebackHandlers struct {
	now func() time.Time
}

// chargeback mounts chargeback reports.
func (h *chargebackHandlers) mount(c *Console) {
	c.get("/chargeback", auth.Chargeback, func(r *request) error { return h.chargebackPage(r, nil, nil) })
	c.post("/chargeback", auth.Chargeback, h.createChargeback)
	c.get("/chargeback/:id", auth.Chargeback, h.showChargeback)
	c.get("/chargeback/:id/pdf", auth.Chargeback, h.chargebackPDF)
	c.get("/chargeback/:id/csv", auth.Chargeback, h.chargebackCSV)
	c.post("/chargeback/:id/delete", auth.Chargeback, func(r *request) error {
		if err := r.service().Chargebacks().Delete(r.ctx(), r.who, r.Param("id")); err != nil {
			return err
		}
		return r.done("/chargeback", "The report is deleted.")
	})
}

// chargebackList is what the list shows.
type chargebackList struct {
	Reports    list[*meter.ChargebackReport]
	Form       *Form
	Workspaces []Option
	Names      *names
	Licensed   bool
}

// licensed reports whether a feature is unlocked.
func (r *request) licensed(feature string) bool { return r.service().License.Licensed(feature) }

func (h *chargebackHandlers) chargebackPage(r *request, f *Form, refused error) error {
	data := &chargebackList{Form: f, Names: r.names(), Licensed: r.licensed(admin.FeatureChargeback)}
	var err error
	if data.Workspaces, err = r.workspaceChoices("All workspaces"); err != nil {
		return err
	}
	if data.Licensed {
		reports, err := r.service().Chargebacks().List(r.ctx(), r.who, "", r.page())
		if data.Reports, err = collect(r, reports, err); err != nil {
			return err
		}
	}
	if refused != nil {
		return r.again("chargeback", "Chargeback", data, f, refused)
	}
	first := time.Date(h.now().UTC().Year(), h.now().UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	data.Form = newForm("from", first.AddDate(0, -1, 0).Format(time.DateOnly), "to", first.Format(time.DateOnly))
	return r.show("chargeback", "Chargeback", data)
}

func (h *chargebackHandlers) createChargeback(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	made, err := r.service().Chargebacks().Create(r.ctx(), r.who, admin.ChargebackRequest{Tenant: f.opt("tenant_id"), From: f.opt("from"), To: f.opt("to")})
	if err != nil {
		return h.chargebackPage(r, f, err)
	}
	return r.done("/chargeback/"+url.PathEscape(made.ID), "The report is made.")
}

// mostKeys is how many keys a report's page lists; its files hold all.
const mostKeys = 100

func (h *chargebackHandlers) showChargeback(r *request) error {
	report, err := r.service().Chargebacks().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	data := struct {
		Report *meter.ChargebackReport
		Keys   []meter.KeyShare
		Names  *names
	}{report, report.Sections.Keys[:min(len(report.Sections.Keys), mostKeys)], r.names()}
	return r.show("chargeback-report", "Chargeback "+report.From.Format(time.DateOnly)+" to "+report.To.Format(time.DateOnly), data)
}

func (h *chargebackHandlers) chargebackPDF(r *request) error {
	file, err := r.service().Chargebacks().PDF(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	r.file("chargeback-" + r.Param("id") + ".pdf")
	r.Data(http.StatusOK, "application/pdf", file)
	return nil
}

func (h *chargebackHandlers) chargebackCSV(r *request) error {
	focus := r.Query("columns") == "focus"
	write, err := r.service().Chargebacks().CSV(r.ctx(), r.who, r.Param("id"), focus)
	if err != nil {
		return err
	}
	r.file("chargeback-" + r.Param("id") + ".csv")
	r.Header("Content-Type", "text/csv; charset=utf-8")
	return write(r.Writer)
}

// file says that the answer is to be kept under a name.
func (r *request) file(name string) {
	r.Header("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
}
