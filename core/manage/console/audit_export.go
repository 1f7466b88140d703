package console

import (
	"errors"
	"mime"
	"net/http"
	"net/url"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// exportPage is what the page of exports shows: a form that asks for one, and what the reader has asked for before.
type exportPage struct {
	Form       *Form
	Workspaces []Option
	Own        []admin.Approval
	Names      *names
}

// Types are the choices of an event's type.
func (exportPage) Types() []Option { return eventTypes() }

func (h *auditHandlers) listExports(r *request) error { return h.exportsPage(r, r.query(), nil) }

func (h *auditHandlers) exportsPage(r *request, f *Form, refused error) (err error) {
	if f.Values.Get("format") == "" {
		f.Values.Set("format", "csv")
	}
	p := &exportPage{Form: f, Names: r.names()}
	if p.Workspaces, err = r.workspaceChoices("All workspaces"); err != nil {
		return err
	}
	if p.Own, err = r.service().AuditLog().ListExports(r.ctx(), r.who); err != nil {
		return err
	}
	if refused != nil {
		return r.again("audit-exports", "Audit exports", p, f, refused)
	}
	return r.show("audit-exports", "Audit exports", p)
}

func (h *auditHandlers) requestExport(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	e := admin.ExportRequest{
		Format: f.text("format"), TenantID: f.text("tenant"), EventType: f.text("type"), From: f.text("from"), To: f.text("to"), Reason: f.text("reason"),
	}
	for name, end := range map[string]string{"from": e.From, "to": e.To} {
		if _, err := admin.ParseTime(name, end); err != nil {
			f.refuse(core.AsError(err))
		}
	}
	if e.Reason == "" {
		f.wrong("reason", "Write why you need it: whoever decides reads this.")
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(e)
	}
	if err == nil {
		_, err = r.service().AuditLog().RequestExport(r.ctx(), r.who, e)
	}
	if err != nil {
		return h.exportsPage(r, f, err)
	}
	return r.done("/audit/exports", "The export is asked for. Somebody else has to approve it; then you can download it here.")
}

// downloadExport answers an export that a second person has approved: the one that approval names, or one with just these
// filters and this format.
func (h *auditHandlers) downloadExport(r *request) error {
	f := r.query()
	var file admin.ExportFile
	var err error
	switch id, format := f.text("approval"), f.text("format"); {
	case id != "":
		file, err = r.service().AuditLog().DownloadExport(r.ctx(), r.who, id)
	case format != "" && format != "csv" && format != "json":
		f.wrong("format", "Write csv or json.")
		err = f.ok()
	default:
		q := admin.AuditQuery{Type: f.text("type"), Tenant: f.text("tenant"), From: f.text("from"), To: f.text("to")}
		file, err = r.service().AuditLog().ExportApproved(r.ctx(), r.who, q, format != "json")
	}
	if err != nil {
		return h.exportsPage(r, f, unconsented(err, f))
	}
	r.Header("Content-Type", file.Type)
	r.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	r.Status(http.StatusOK)
	if err := file.Write(r.ctx(), r.Writer); err != nil {
		if r.Request.Context().Err() == nil {
			r.c.Failed(r.Request.Context(), r.c.trace(r.Context), err)
		}
		panic(http.ErrAbortHandler) // half a file must not look whole
	}
	return nil
}

// unconsented says on the page what is to be done for an export that nobody has approved.
func unconsented(err error, f *Form) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Code != admin.CodeApprovalRequired || f.text("approval") != "" {
		return err
	}
	own := *e
	own.Public = "An export needs the approval of a second person. Ask for it below; once it is approved, the file is here"
	return &own
}

// exportPath is the page that asks for an export with the filters of a list.
func exportPath(f *Form) string {
	q := url.Values{}
	for _, name := range []string{"type", "tenant", "from", "to"} {
		if v := f.text(name); v != "" {
			q.Set(name, v)
		}
	}
	if len(q) == 0 {
		return "/audit/exports"
	}
	return "/audit/exports?" + q.Encode()
}

// Export is where an export with the filters of the list is asked for.
func (p *auditPage) Export() string { return exportPath(p.Form) }
