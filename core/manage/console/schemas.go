package console

import (
	"net/url"
	"strconv"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// schemas mounts output schemas.
func (c *Console) schemas() {
	c.get("/schemas", auth.SchemasRead, c.listSchemas)
	c.post("/schemas", auth.SchemasWrite, c.createSchema)
	c.get("/schemas/:id", auth.SchemasRead, c.showSchema)
	c.post("/schemas/:id", auth.SchemasWrite, c.updateSchema)
	c.post("/schemas/:id/delete", auth.SchemasWrite, c.deleteSchema)
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

func (c *Console) listSchemas(r *request) error {
	return c.schemasPage(r, newForm("schema", firstSchema, "maxRetries", "1", "enabled", "on"), nil)
}

func (c *Console) schemasPage(r *request, f *Form, refused error) error {
	p := schemaList{Form: f}
	l, err := r.service().OutputSchemas(r.ctx(), r.who, r.page())
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

func (c *Console) createSchema(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change := schemaChange(f)
	if err = f.ok(); err == nil {
		err = admin.Bounded(change)
	}
	if err == nil {
		_, err = r.service().CreateOutputSchema(r.ctx(), r.who, change)
	}
	if err != nil {
		return c.schemasPage(r, f, err)
	}
	return r.done("/schemas", "The output schema is made. Answers are held to it within seconds.")
}

// schemaPage is what the page of one schema shows.
type schemaPage struct {
	Schema admin.OutputSchema
	Tag    string
	Form   *Form
}

func (c *Console) schemaPage(r *request) (schemaPage, error) {
	v, err := r.service().OutputSchema(r.ctx(), r.who, r.Param("id"))
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

func (c *Console) showSchema(r *request) error {
	p, err := c.schemaPage(r)
	if err != nil {
		return err
	}
	return r.show("schema", p.Name(), p)
}

func (c *Console) updateSchema(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change := schemaChange(f)
	if err = f.ok(); err == nil {
		err = admin.Bounded(change)
	}
	if err == nil {
		_, err = r.service().UpdateOutputSchema(r.ctx(), r.who, r.Param("id"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		p, unread := c.schemaPage(r)
		if unread != nil {
			return unread
		}
		p.Form = f
		return r.again("schema", p.Name(), p, f, err)
	}
	return r.done(schemaPath(r.Param("id")), "The output schema is changed.")
}

func (c *Console) deleteSchema(r *request) error {
	if err := r.service().DeleteOutputSchema(r.ctx(), r.who, r.Param("id"), ""); err != nil {
		return err
	}
	return r.done("/schemas", "The output schema is deleted.")
}
