package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

type SchemaPath struct {
	ID string `path:"id" maxLength:"128" doc:"The schema's id."`
}

// schemas adds the operations on output schemas.
func (a *API) schemas() {
	const tag, list, item = "Output schemas", "/schemas", "/schemas/{id}"
	s := a.Service
	handle(a, Operation{
		ID: "createOutputSchema", Method: http.MethodPost, Path: list, Tag: tag, Summary: "Make an output schema",
		Permission: auth.SchemasWrite, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.OutputSchemaChange }) (*made[admin.OutputSchema], error) {
		o, err := s.OutputSchemas().Create(ctx, who, in.Body)
		return showNew(list+"/"+o.ID, o, err)
	})
	handleBare(a, Operation{
		ID: "listOutputSchemas", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List output schemas, in the order in which they are looked at",
		Permission: auth.SchemasRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[admin.OutputSchema], error) {
		return s.OutputSchemas().List(ctx, who, p)
	})
	handle(a, Operation{
		ID: "getOutputSchema", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Read an output schema", Permission: auth.SchemasRead,
	}, func(ctx context.Context, who *auth.Actor, in *SchemaPath) (*one[admin.OutputSchema], error) {
		return show(s.OutputSchemas().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updateOutputSchema", Method: http.MethodPut, Path: item, Tag: tag, Summary: "Change the fields of an output schema that are sent",
		Permission: auth.SchemasWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		SchemaPath
		Match
		Body admin.OutputSchemaChange
	},
	) (*one[admin.OutputSchema], error) {
		return show(s.OutputSchemas().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deleteOutputSchema", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Remove an output schema",
		Permission: auth.SchemasWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		SchemaPath
		Match
	},
	) (*none, error) {
		return done(s.OutputSchemas().Delete(ctx, who, in.ID, in.of()))
	})
}
