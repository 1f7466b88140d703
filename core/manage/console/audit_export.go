package console

import (
	"errors"
	"mime"
	"net/http"
	"net/url"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// exportPage is the data of the page of exports: a form that requests one, and the reader's earlier requests.
type exportPage struct {
	Form       *Form
	Workspaces []Option
	Own        []admin.Approval
	Names      *names
}

// Types returns the options of the type filter.
func (exportPage) Types() []Option { return listEventTypes() }

func (h *auditHandlers) listExports(r *request) (err error) {
	f := r.sent
	if f == nil {
		f = r.readQueryForm()
	}
	if f.Values.Get("format") == "" {
		f.Values.Set("format", "csv")
	}
	p := &exportPage{Form: f, Names: r.openWorkspaceNames()}
	if p.Workspaces, err = r.listWorkspaceChoices("All workspaces"); err != nil {
		return err
	}
	if p.Own, err = r.service().AuditLog().ListExports(r.ctx(), r.who); err != nil {
		return err
	}
	return r.show("audit-exports", "Audit exports", p)
}

func (h *auditHandlers) requestExport(r *request, f *Form) error {
	e := admin.ExportRequest{
		Format: f.readText("format"), TenantID: f.readText("tenant"), EventType: f.readText("type"), From: f.readText("from"),
		To:     f.readText("to"),
		Reason: f.readText("reason"),
	}
	f.checkTimes(e.From, e.To)
	if e.Reason == "" {
		f.addError("reason", "Write why you need it: the approver reads this.")
	}
	e, err := checkChange(f, e)
	if err != nil {
		return err
	}
	_, err = r.service().AuditLog().RequestExport(r.ctx(), r.who, e)
	return r.finish(err, "/audit/exports", "Export requested. Once another person approves it, you can download it here.")
}

// downloadExport answers with an approved export: the one with the id in approval, or one with the same filters and format.
func (h *auditHandlers) downloadExport(r *request) error {
	f := r.readQueryForm()
	var file admin.ExportFile
	var err error
	switch id, format := f.readText("approval"), f.readText("format"); {
	case id != "":
		file, err = r.service().AuditLog().DownloadExport(r.ctx(), r.who, id)
	case format != "" && format != "csv" && format != "json":
		f.addError("format", "Write csv or json.")
		err = f.reportErrors()
	default:
		q := admin.AuditQuery{Type: f.readText("type"), Tenant: f.readText("tenant"), From: f.readText("from"), To: f.readText("to")}
		file, err = r.service().AuditLog().DownloadApprovedExport(r.ctx(), r.who, q, format != "json")
	}
	if err != nil {
		return r.refuse(f, explainApproval(err, f), h.listExports)
	}
	r.Header("Content-Type", file.Type)
	r.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	r.Status(http.StatusOK)
	if err := file.Write(r.ctx(), r.Writer); err != nil {
		if r.Request.Context().Err() == nil {
			r.c.ReportError(r.Request.Context(), r.c.readTraceID(r.Context), err)
		}
		panic(http.ErrAbortHandler) // closes the connection, so that half a file does not look complete
	}
	return nil
}

// explainApproval replaces the error of an export that is not approved with the next step on the page.
func explainApproval(err error, f *Form) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Code != admin.CodeApprovalRequired || f.readText("approval") != "" {
		return err
	}
	own := *e
	own.Public = "An export needs the approval of a second person. Request it below; once it is approved, you can download it here"
	return &own
}

// buildExportPath returns the address of the form for an export with the filters of a list.
func buildExportPath(f *Form) string {
	q := url.Values{}
	for _, name := range []string{"type", "tenant", "from", "to"} {
		if v := f.readText(name); v != "" {
			q.Set(name, v)
		}
	}
	if len(q) == 0 {
		return "/audit/exports"
	}
	return "/audit/exports?" + q.Encode()
}

// Export returns the address of the form for an export with the filters of the list.
func (p *auditPage) Export() string { return buildExportPath(p.Form) }
