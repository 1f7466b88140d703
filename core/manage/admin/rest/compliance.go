package rest

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addReports adds the operations on compliance reports.
func (a *API) addReports() {
	const tag, list, item = "Compliance reports", "/reports", "/reports/{id}"
	s := a.Service.Reports()
	addCreate(a, Operation{
		ID:         "createReport",
		Path:       list,
		Tag:        tag,
		Summary:    "Create a report: verify the audit chains and count the events of a period",
		Permission: auth.ReportsWrite,
	}, func(r admin.ComplianceReport) string { return r.ID }, s.Create)
	registerPagedList(a, Operation{
		ID:         "listReports",
		Method:     http.MethodGet,
		Path:       list,
		Tag:        tag,
		Summary:    "List reports without their sections, newest first",
		Permission: auth.ReportsRead,
	}, adaptTenantList(s.List))
	addGet(a, Operation{ID: "getReport", Path: item, Tag: tag, Summary: "Get a report", Permission: auth.ReportsRead}, s.Get)
	registerFile(a, Operation{
		ID: "getReportPDF", Method: http.MethodGet, Path: item + "/pdf", Tag: tag, Summary: "Get a report as a PDF", Permission: auth.ReportsRead,
	}, "application/pdf", func(ctx context.Context, who *auth.Actor, in *RecordPath) (*download, error) {
		file, name, err := s.FormatPDF(ctx, who, in.ID)
		if err != nil {
			return nil, err
		}
		return answerBytes(a, "application/pdf", name, file), nil
	})
	registerOperation(a, Operation{
		ID: "deleteReport", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Delete a report",
		Permission: auth.ReportsWrite, Status: http.StatusNoContent,
	}, func(ctx context.Context, who *auth.Actor, in *RecordPath) (*emptyAnswer, error) {
		return answerEmpty(s.Delete(ctx, who, in.ID))
	})
}

// answerBytes answers with a file that is in memory.
func answerBytes(a *API, kind, name string, file []byte) *download {
	return answerFile(a, kind, name, func(_ context.Context, w io.Writer) error {
		_, _ = io.Copy(w, bytes.NewReader(file)) // fails only if the client has disconnected
		return nil
	})
}
