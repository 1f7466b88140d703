package rest

import (
	"bufio"
	"context"
	"io"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// addChargebacks adds the operations on chargeback reports.
func (a *API) addChargebacks() {
	const tag, list, item = "Chargeback", "/chargeback", "/chargeback/{id}"
	s := a.Service.Chargebacks()
	addCreate(a, Operation{
		ID: "createChargeback", Path: list, Tag: tag, Summary: "Create a chargeback report of a period; requires a licence",
		Permission: auth.Chargeback, Errors: []int{http.StatusNotFound},
	}, func(r *meter.ChargebackReport) string { return r.ID }, s.Create)
	registerPagedList(a, Operation{
		ID:         "listChargebacks",
		Method:     http.MethodGet,
		Path:       list,
		Tag:        tag,
		Summary:    "List chargeback reports without their sections, newest first; requires a licence",
		Permission: auth.Chargeback,
	}, adaptTenantList(s.List))
	addGet(
		a,
		Operation{ID: "getChargeback", Path: item, Tag: tag, Summary: "Get a chargeback report; requires a licence", Permission: auth.Chargeback},
		s.Get,
	)
	registerOperation(a, Operation{
		ID: "deleteChargeback", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Delete a chargeback report; requires a licence",
		Permission: auth.Chargeback, Status: http.StatusNoContent,
	}, func(ctx context.Context, who *auth.Actor, in *RecordPath) (*emptyAnswer, error) {
		return answerEmpty(s.Delete(ctx, who, in.ID))
	})
	registerOperation(a, Operation{
		ID:         "getChargebackPDF",
		Method:     http.MethodGet,
		Path:       item + "/pdf",
		Tag:        tag,
		Summary:    "Get a chargeback report as a PDF; requires a licence",
		Permission: auth.Chargeback,
		Content:    "application/pdf",
	}, func(ctx context.Context, who *auth.Actor, in *RecordPath) (*download, error) {
		b, err := s.FormatPDF(ctx, who, in.ID)
		if err != nil {
			return nil, err
		}
		return answerBytes(a, "application/pdf", "chargeback-report-"+in.ID+".pdf", b), nil
	})
	registerOperation(a, Operation{
		ID:         "getChargebackCSV",
		Method:     http.MethodGet,
		Path:       item + "/csv",
		Tag:        tag,
		Summary:    "Get a chargeback report as CSV; requires a licence",
		Permission: auth.Chargeback,
		Content:    "text/csv",
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordPath
		Format string `query:"format" enum:"focus" doc:"focus: daily charges in the columns of the FinOps Open Cost and Usage Specification, from the current cost records."`
	},
	) (*download, error) {
		write, err := s.FormatCSV(ctx, who, in.ID, in.Format == "focus")
		if err != nil {
			return nil, err
		}
		return answerFile(a, "text/csv", "chargeback-report-"+in.ID+".csv", func(_ context.Context, w io.Writer) error {
			b := bufio.NewWriterSize(w, 32<<10)
			if err := write(b); err != nil {
				return err
			}
			_ = b.Flush() // fails only if the client has disconnected
			return nil
		}), nil
	})
}
