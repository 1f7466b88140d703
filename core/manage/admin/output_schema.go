package admin

import (
	"context"
	"encoding/json"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/schemas"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CodeSchemasUnlicensed is the code of refusing output schemas without a licence.
const CodeSchemasUnlicensed = "OUTPUT_SCHEMAS_NOT_AVAILABLE"

// OutputSchema is a JSON Schema that answers must match.
type OutputSchema struct {
	ID               string          `json:"id"`
	ModelPattern     string          `json:"modelPattern"`
	RouteID          string          `json:"routeId"`
	Schema           json.RawMessage `json:"schema"`
	MaxRetries       int             `json:"maxRetries"`
	CorrectionPrompt string          `json:"correctionPrompt"`
	Enabled          bool            `json:"enabled"`
	CreatedAt        time.Time       `json:"createdAt"`
	UpdatedAt        time.Time       `json:"updatedAt"`
}

// OutputSchemaChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new
// schema.
type OutputSchemaChange struct {
	ModelPattern     *string         `json:"modelPattern,omitempty" maxLength:"200" doc:"A glob that matches the requested or the routed model name."`
	RouteID          *string         `json:"routeId,omitempty" maxLength:"200" doc:"The id of a route. Set modelPattern, routeId or both."`
	Schema           *map[string]any `json:"schema,omitempty" doc:"The JSON Schema: any draft from 4 to 2020-12."`
	MaxRetries       *int            `json:"maxRetries,omitempty" minimum:"0" maximum:"10" doc:"How often to retry an invalid answer. Default: 0."`
	CorrectionPrompt *string         `json:"correctionPrompt,omitempty" maxLength:"10000" doc:"The message that a retry sends to the model."`
	Enabled          *bool           `json:"enabled,omitempty" doc:"true by default."`
}

func (c *OutputSchemaChange) apply(o *store.OutputSchema) error {
	for _, f := range []struct{ to, from *string }{
		{&o.ModelPattern, c.ModelPattern}, {&o.RouteID, c.RouteID}, {&o.CorrectionPrompt, c.CorrectionPrompt},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if c.Schema != nil {
		b, err := json.Marshal(*c.Schema)
		if err != nil {
			return newInvalidValueError("schema", "write a JSON object")
		}
		o.Schema = string(b)
	}
	if c.MaxRetries != nil {
		o.MaxRetries = *c.MaxRetries
	}
	if c.Enabled != nil {
		o.Enabled = *c.Enabled
	}
	return nil
}

// authorize checks the permission before the licence, so that only actors with the permission learn about licences.
func (s OutputSchemas) authorize(ctx context.Context, who *auth.Actor, p auth.Permission) error {
	if _, err := s.svc.authorize(ctx, who, p, ""); err != nil {
		return err
	}
	return s.svc.requireFeature(FeatureSchemas, CodeSchemasUnlicensed, "validating answers against output schemas")
}

// check refuses an invalid schema and names the invalid part.
func (s OutputSchemas) check(o *store.OutputSchema) error {
	switch {
	case o.ModelPattern == "" && o.RouteID == "":
		return newInvalidValueError("modelPattern", "write modelPattern or routeId, or it matches nothing")
	case o.Schema == "":
		return newMissingFieldError("schema")
	}
	err := s.svc.CheckSchema(schemas.Record{ModelPattern: o.ModelPattern, RouteID: o.RouteID, Schema: o.Schema, MaxRetries: o.MaxRetries})
	if err != nil {
		return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "schema", Public: err.Error()}
	}
	return nil
}

// Create creates a schema.
func (s OutputSchemas) Create(ctx context.Context, who *auth.Actor, c OutputSchemaChange) (OutputSchema, error) {
	if err := s.authorize(ctx, who, auth.SchemasWrite); err != nil {
		return OutputSchema{}, err
	}
	o := store.OutputSchema{ID: s.svc.NewID(), Enabled: true}
	if err := c.apply(&o); err != nil {
		return OutputSchema{}, err
	}
	if err := s.check(&o); err != nil {
		return OutputSchema{}, err
	}
	o, err := s.svc.Store.OutputSchemas().Insert(ctx, o)
	if err != nil {
		return OutputSchema{}, err
	}
	return viewSchema(&o), s.svc.publishChange(ctx, who, created, "schema", o.ID, "", nil, viewSchema(&o))
}

// List lists schemas in the order in which they are matched.
func (s OutputSchemas) List(ctx context.Context, who *auth.Actor, page Page) (List[OutputSchema], error) {
	if err := s.authorize(ctx, who, auth.SchemasRead); err != nil {
		return List[OutputSchema]{}, err
	}
	after, err := page.parseCursor()
	return List[OutputSchema]{
		Cursor: func(o OutputSchema) string { return formatCursor(o.CreatedAt, o.ID) },
		All:    viewRecords(s.svc.Store.OutputSchemas().Iterate(ctx, after, page.Limit), viewSchema),
	}, err
}

// Get returns a schema.
func (s OutputSchemas) Get(ctx context.Context, who *auth.Actor, id string) (OutputSchema, error) {
	if err := s.authorize(ctx, who, auth.SchemasRead); err != nil {
		return OutputSchema{}, err
	}
	o, err := s.svc.Store.OutputSchemas().Get(ctx, id)
	if err != nil {
		return OutputSchema{}, mapNotFound(err, "output schema")
	}
	return viewSchema(&o), nil
}

// Update changes the given fields.
func (s OutputSchemas) Update(ctx context.Context, who *auth.Actor, id string, c OutputSchemaChange, m Match) (OutputSchema, error) {
	var was changedRecord
	if err := s.authorize(ctx, who, auth.SchemasWrite); err != nil {
		return OutputSchema{}, err
	}
	o, err := s.svc.Store.OutputSchemas().Change(ctx, id, func(o *store.OutputSchema) error {
		if err := m.Check(was.storeView(viewSchema(o))); err != nil {
			return err
		}
		if err := c.apply(o); err != nil {
			return err
		}
		return s.check(o)
	})
	if err != nil {
		return OutputSchema{}, mapNotFound(err, "output schema")
	}
	return viewSchema(&o), s.svc.publishChange(ctx, who, updated, "schema", id, "", was.view, viewSchema(&o))
}

// Delete removes a schema.
func (s OutputSchemas) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	if err := s.authorize(ctx, who, auth.SchemasWrite); err != nil {
		return err
	}
	err := s.svc.Store.OutputSchemas().Delete(ctx, id, func(o store.OutputSchema) error { return m.Check(was.storeView(viewSchema(&o))) })
	if err != nil {
		return mapNotFound(err, "output schema")
	}
	return s.svc.publishChange(ctx, who, deleted, "schema", id, "", was.view, nil)
}

func viewSchema(o *store.OutputSchema) OutputSchema {
	return OutputSchema{
		ID: o.ID, ModelPattern: o.ModelPattern, RouteID: o.RouteID, Schema: json.RawMessage(o.Schema), MaxRetries: o.MaxRetries,
		CorrectionPrompt: o.CorrectionPrompt, Enabled: o.Enabled, CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt,
	}
}
