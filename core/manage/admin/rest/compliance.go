package rest

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// ReportPath names a report.
type ReportPath struct {
	ID string `path:"id" maxLength:"128" doc:"The report's id."`
}

// reports adds the operations on compliance reports.
func (a *API) reports() {
	const tag = "Compliance reports"
	s := a.Service
	handle(a, Operation{
		ID: "createReport", Method: http.MethodPost, Path: "/reports", Tag: tag, Summary: "Verify the audit chains, and count what they hold of a span of time",
		Permission: auth.ReportsWrite, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.NewComplianceReport }) (*made[admin.ComplianceReport], error) {
		r, err := s.Reports().Create(ctx, who, in.Body)
		return showNew("/reports/"+r.ID, r, err)
	})
	handleList(a, Operation{
		ID: "listReports", Method: http.MethodGet, Path: "/reports", Tag: tag, Summary: "List reports without their sections, the newest first", Permission: auth.ReportsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Tenant string `query:"tenant_id" maxLength:"128" doc:"Of this tenant alone."`
		Page
	}, p admin.Page,
	) (admin.List[admin.ComplianceReport], error) {
		return s.Reports().List(ctx, who, in.Tenant, p)
	})
	handle(a, Operation{
		ID: "getReport", Method: http.MethodGet, Path: "/reports/{id}", Tag: tag, Summary: "Read a report", Permission: auth.ReportsRead,
	}, func(ctx context.Context, who *auth.Actor, in *ReportPath) (*one[admin.ComplianceReport], error) {
		return show(s.Reports().Get(ctx, who, in.ID))
	})
	handleFile(a, Operation{
		ID: "getReportPDF", Method: http.MethodGet, Path: "/reports/{id}/pdf", Tag: tag, Summary: "Read a report as a PDF", Permission: auth.ReportsRead,
	}, "application/pdf", func(ctx context.Context, who *auth.Actor, in *ReportPath) (*download, error) {
		file, name, err := s.Reports().PDF(ctx, who, in.ID)
		if err != nil {
			return nil, err
		}
		return saved(a, "application/pdf", name, func(_ context.Context, w io.Writer) error {
			_, _ = io.Copy(w, bytes.NewReader(file)) // the client has left
			return nil
		}), nil
	})
	handle(a, Operation{
		ID: "deleteReport", Method: http.MethodDelete, Path: "/reports/{id}", Tag: tag, Summary: "Remove a report",
		Permission: auth.ReportsWrite, Status: http.StatusNoContent,
	}, func(ctx context.Context, who *auth.Actor, in *ReportPath) (*none, error) {
		return done(s.Reports().Delete(ctx, who, in.ID))
	})
}
