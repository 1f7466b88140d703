package rest

import (
	"bufio"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// ChargebackPath names a chargeback report.
type ChargebackPath struct {
	ID string `path:"id" maxLength:"128" doc:"The report's id."`
}

// attachment answers with a file.
type attachment struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition" doc:"The file's name."`
	Body        func(huma.Context)
}

func attached(contentType, name string, write func(huma.Context)) *attachment {
	return &attachment{ContentType: contentType, Disposition: `attachment; filename="` + name + `"`, Body: write}
}

// chargeback adds the operations on chargeback reports.
func (a *API) chargeback() {
	const tag, list, item = "Chargeback", "/chargeback", "/chargeback/{id}"
	s := a.Service
	handle(a, Operation{
		ID: "createChargeback", Method: http.MethodPost, Path: list, Tag: tag, Summary: "Make a chargeback report of a span of time; takes a licence",
		Permission: auth.Chargeback, Status: http.StatusCreated, Errors: []int{http.StatusNotFound},
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.ChargebackRequest }) (*made[*meter.ChargebackReport], error) {
		r, err := s.Chargebacks().Create(ctx, who, in.Body)
		if err != nil {
			return nil, err
		}
		return showNew(list+"/"+r.ID, r, nil)
	})
	handleList(a, Operation{
		ID: "listChargebacks", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List chargeback reports without their sections, the newest first; takes a licence",
		Permission: auth.Chargeback,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Tenant string `query:"tenant_id" maxLength:"128"`
		Page
	}, p admin.Page,
	) (admin.List[*meter.ChargebackReport], error) {
		return s.Chargebacks().List(ctx, who, in.Tenant, p)
	})
	handle(a, Operation{
		ID: "getChargeback", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Read a chargeback report; takes a licence", Permission: auth.Chargeback,
	}, func(ctx context.Context, who *auth.Actor, in *ChargebackPath) (*one[*meter.ChargebackReport], error) {
		return show(s.Chargebacks().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "deleteChargeback", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Remove a chargeback report; takes a licence",
		Permission: auth.Chargeback, Status: http.StatusNoContent,
	}, func(ctx context.Context, who *auth.Actor, in *ChargebackPath) (*none, error) {
		return done(s.Chargebacks().Delete(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "getChargebackPDF", Method: http.MethodGet, Path: item + "/pdf", Tag: tag, Summary: "Read a chargeback report as PDF; takes a licence", Permission: auth.Chargeback,
		Content: "application/pdf",
	}, func(ctx context.Context, who *auth.Actor, in *ChargebackPath) (*attachment, error) {
		b, err := s.Chargebacks().WritePDF(ctx, who, in.ID)
		if err != nil {
			return nil, err
		}
		return attached("application/pdf", "chargeback-report-"+in.ID+".pdf", func(hc huma.Context) {
			_, _ = hc.BodyWriter().Write(b) // the client has left
		}), nil
	})
	handle(a, Operation{
		ID: "getChargebackCSV", Method: http.MethodGet, Path: item + "/csv", Tag: tag, Summary: "Read a chargeback report as CSV; takes a licence", Permission: auth.Chargeback,
		Content: "text/csv",
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		ChargebackPath
		Format string `query:"format" enum:"focus" doc:"focus: daily charges in the columns of the FinOps Open Cost and Usage Specification, by the records as they are now."`
	},
	) (*attachment, error) {
		write, err := s.Chargebacks().WriteCSV(ctx, who, in.ID, in.Format == "focus")
		if err != nil {
			return nil, err
		}
		return attached("text/csv", "chargeback-report-"+in.ID+".csv", func(hc huma.Context) {
			w := bufio.NewWriterSize(hc.BodyWriter(), 32<<10)
			if err := write(w); err != nil {
				a.Failed(ctx, err)
				panic(http.ErrAbortHandler) // half a table must not look whole
			}
			_ = w.Flush() // the client has left
		}), nil
	})
}
