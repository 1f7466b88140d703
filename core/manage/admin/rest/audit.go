package rest

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// AuditQuery filters audit events.
type AuditQuery struct {
	Tenant string `query:"tenant_id" maxLength:"128" doc:"Only events of this tenant."`
	Type   string `query:"event_type" maxLength:"64" doc:"Only events of this type." example:"GATEWAY_REQUEST"`
	From   string `query:"from" maxLength:"64" doc:"The start, inclusive: a date or a time with its zone in ISO 8601." example:"2026-01-01T00:00:00Z"`
	To     string `query:"to" maxLength:"64" doc:"The end, exclusive." example:"2026-02-01T00:00:00Z"`
}

func (q *AuditQuery) convert() admin.AuditQuery {
	return admin.AuditQuery{Tenant: q.Tenant, Type: q.Type, From: q.From, To: q.To}
}

// download is an answer that clients save as a file. It is written while it is generated.
type download struct {
	Type        string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition" doc:"The name of the file."`
	Body        func(huma.Context)
}

// answerFile answers with a file. A failed write breaks the connection.
func answerFile(a *API, kind, name string, write func(context.Context, io.Writer) error) *download {
	return &download{Type: kind, Disposition: "attachment; filename=" + strconv.Quote(name), Body: func(hc huma.Context) {
		if err := write(hc.Context(), hc.BodyWriter()); err != nil {
			if hc.Context().Err() == nil {
				a.Failed(hc.Context(), err)
			}
			panic(http.ErrAbortHandler) // a part of a file must not look complete
		}
	}}
}

// answerExport answers with an export of audit events.
func answerExport(a *API) func(admin.ExportFile, error) (*download, error) {
	return func(f admin.ExportFile, err error) (*download, error) {
		if err != nil {
			return nil, err
		}
		return answerFile(a, f.Type, f.Name, f.Write), nil
	}
}

// registerFile adds an operation that answers with a file of the media type.
func registerFile[I any](a *API, o Operation, kind string, do func(ctx context.Context, who *auth.Actor, in *I) (*download, error)) {
	op := a.declare(o)
	schema := &huma.Schema{Type: "string"}
	switch kind {
	case "application/pdf":
		schema.Format = "binary"
	case "application/json":
		schema = huma.SchemaFromType(a.huma.OpenAPI().Components.Schemas, reflect.TypeFor[[]admin.AuditEvent]())
	}
	op.Responses = map[string]*huma.Response{strconv.Itoa(http.StatusOK): {
		Description: "The file.",
		Headers:     map[string]*huma.Param{"Content-Disposition": {Description: "The name of the file.", Schema: &huma.Schema{Type: "string"}}},
		Content:     map[string]*huma.MediaType{kind: {Schema: schema}},
	}}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*download, error) {
		out, err := do(ctx, findActor(ctx), in)
		if err != nil {
			return nil, a.reportError(ctx, err)
		}
		return out, nil
	})
	a.removeUnusedResponses(o)
}

// addAuditLog adds the operations on the audit log.
func (a *API) addAuditLog() {
	const tag = "Audit"
	s, export := a.Service.AuditLog(), answerExport(a)
	registerArray(a, Operation{
		ID:         "listAuditEvents",
		Method:     http.MethodGet,
		Path:       "/audit/events",
		Tag:        tag,
		Summary:    "List audit events, newest first",
		Permission: auth.AuditRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		AuditQuery
		Page
	}, p admin.Page,
	) (admin.List[admin.AuditEvent], error) {
		return s.List(ctx, who, in.AuditQuery.convert(), p)
	})
	registerFile(a, Operation{
		ID:         "exportAuditEvents",
		Method:     http.MethodGet,
		Path:       "/audit/events/export",
		Tag:        tag,
		Summary:    "Export audit events as CSV",
		Permission: auth.AuditRead,
	}, "text/csv", func(ctx context.Context, who *auth.Actor, in *struct{ AuditQuery }) (*download, error) {
		return export(s.Export(ctx, who, in.AuditQuery.convert(), true))
	})
	registerFile(a, Operation{
		ID:         "exportAuditEventsJSON",
		Method:     http.MethodGet,
		Path:       "/audit/events/export/json",
		Tag:        tag,
		Summary:    "Export audit events as JSON",
		Permission: auth.AuditRead,
	}, "application/json", func(ctx context.Context, who *auth.Actor, in *struct{ AuditQuery }) (*download, error) {
		return export(s.Export(ctx, who, in.AuditQuery.convert(), false))
	})
	registerOperation(a, Operation{
		ID:         "verifyAudit",
		Method:     http.MethodGet,
		Path:       "/audit/verify",
		Tag:        tag,
		Summary:    "Verify the audit chains of all nodes and return the first broken records",
		Permission: auth.AuditRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*recordAnswer[admin.AuditProof], error) {
		return answerRecord(s.Verify(ctx, who))
	})
}
