package console

import (
	"net/url"
	"strconv"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// schemaHandlers serve output schemas.
type schemaHandlers struct{}

// schemas mounts output schemas.
func (h *schemaHandlers) mount(c *Console) {
	c.get("/schemas", auth.SchemasRead, h.listSchemas)
	c.post("/schemas", auth.SchemasWrite, h.createSchema)
	c.get("/schemas/:id", auth.SchemasRead, h.showSchema)
	c.post("/schemas/:id", auth.SchemasWrite, h.updateSchema)
	c.post("/schemas/:id/delete", auth.SchemasWrite, h.deleteSchema)
}

func schemaPath(id string) string { return "/schemas/" + url.PathEscape(id) }

// schemaList is what the list shows.
type schemaList struct {
	Schemas    list[admin.OutputSchema]
	Unlicensed bool
	Form       *Form
}

// firstSchema is what the field of a new schema begins with.
const firstSchema = `{
  "type": "object",
  "required": ["answer"],
  "properties": {
    "answer": {"type": "string"}
  }
}`

func (h *schemaHandlers) listSchemas(r *request) error {
	return h.schemasPage(r, newForm("schema", firstSchema, "maxRetries", "1", "enabled", "on"), nil)
}

func (h *schemaHandlers) schemasPage(r *request, f *Form, refused error) error {
	p := schemaList{Form: f}
	l, err := r.service().OutputSchemas().List(r.ctx(), r.who, r.page())
	if p.Unlicensed = unlicensed(err, admin.CodeSchemasUnlicensed); !p.Unlicensed {
		if p.Schemas, err = collect(r, l, err); err != nil {
			return err
		}
	}
	if refused != nil {
		return r.again("schemas", "Output schemas", p, f, refused)
	}
	return r.show("schemas", "Output schemas", p)
}

// schemaChange are the fields that a form sends of a schema.
func schemaChange(f *Form) admin.OutputSchemaChange {
	pattern, route, prompt, enabled := f.text("modelPattern"), f.text("routeId"), f.text("correctionPrompt"), f.on("enabled")
	retries := int(f.number("maxRetries"))
	change := admin.OutputSchemaChange{ModelPattern: &pattern, RouteID: &route, CorrectionPrompt: &prompt, MaxRetries: &retries, Enabled: &enabled}
	var schema map[string]any
	if says := readJSON(f.Values.Get("schema"), &schema); says != "" {
		f.wrong("schema", says)
	} else if schema == nil {
		f.wrong("schema", "Write a JSON object.")
	}
	change.Schema = &schema
	return change
}

func (h *schemaHandlers) createSchema(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change := schemaChange(f)
	if err = f.ok(); err == nil {
		err = admin.Bounded(change)
	}
	if err == nil {
		_, err = r.service().OutputSchemas().Create(r.ctx(), r.who, change)
	}
	if err != nil {
		return h.schemasPage(r, f, err)
	}
	return r.done("/schemas", "The output schema is made. Answers are held to it within seconds.")
}

// schemaPage is what the page of one schema shows.
type schemaPage struct {
	Schema admin.OutputSchema
	Tag    string
	Form   *Form
}

func (h *schemaHandlers) schemaPage(r *request) (schemaPage, error) {
	v, err := r.service().OutputSchemas().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return schemaPage{}, err
	}
	text, err := pretty(v.Schema)
	f := newForm("modelPattern", v.ModelPattern, "routeId", v.RouteID, "schema", text, "maxRetries", strconv.Itoa(v.MaxRetries), "correctionPrompt", v.CorrectionPrompt)
	if v.Enabled {
		f.Values.Set("enabled", "on")
	}
	return schemaPage{v, admin.Tag(v), f}, err
}

// Name is what the schema is for.
func (p schemaPage) Name() string { return schemaName(p.Schema) }

func schemaName(v admin.OutputSchema) string {
	if v.ModelPattern == "" {
		return "Route " + v.RouteID
	}
	return v.ModelPattern
}

func (h *schemaHandlers) showSchema(r *request) error {
	p, err := h.schemaPage(r)
	if err != nil {
		return err
	}
	return r.show("schema", p.Name(), p)
}

func (h *schemaHandlers) updateSchema(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change := schemaChange(f)
	if err = f.ok(); err == nil {
		err = admin.Bounded(change)
	}
	if err == nil {
		_, err = r.service().OutputSchemas().Update(r.ctx(), r.who, r.Param("id"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		p, unread := h.schemaPage(r)
		if unread != nil {
			return unread
		}
		p.Form = f
		return r.again("schema", p.Name(), p, f, err)
	}
	return r.done(schemaPath(r.Param("id")), "The output schema is changed.")
}

func (h *schemaHandlers) deleteSchema(r *request) error {
	if err := r.service().OutputSchemas().Delete(r.ctx(), r.who, r.Param("id"), ""); err != nil {
		return err
	}
	return r.done("/schemas", "The output schema is deleted.")
}
