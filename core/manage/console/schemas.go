package console

import (
	"net/url"
	"strconv"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// firstSchema is the initial content of the field of a new schema.
const firstSchema = `{
  "type": "object",
  "required": ["answer"],
  "properties": {
    "answer": {"type": "string"}
  }
}`

// schemas declares the pages of output schemas.
func schemas() *resource[admin.OutputSchema] {
	s := &resource[admin.OutputSchema]{
		path: "/schemas", param: "id", title: "Output schemas", read: auth.SchemasRead, write: auth.SchemasWrite,
		intro: "JSON answers of a model are validated against a JSON Schema. The model is asked again for an answer that does not match, " +
			"and after the last retry the answer is refused.",
		empty: "There are no output schemas yet. Create one below to validate the answers of a model.",
		columns: []column[admin.OutputSchema]{
			{"Models", "", func(_ *request, v admin.OutputSchema) part { return linkPart(schemaPath(v.ID), schemaName(v)) }},
			{"Status", "", func(_ *request, v admin.OutputSchema) part { return statePart(enabledState(v.Enabled)) }},
			{"Retries", "num", func(_ *request, v admin.OutputSchema) part { return textPart(count(v.MaxRetries)) }},
			{"Created", "", func(_ *request, v admin.OutputSchema) part { return datePart(v.CreatedAt) }},
			{"Updated", "", func(_ *request, v admin.OutputSchema) part { return datePart(v.UpdatedAt) }},
		},
		feature: admin.FeatureSchemas, unlicensed: "Output schemas need a licence, and this installation has none that covers them. Answers " +
			"are not validated.",
		list: func(r *request) (list[admin.OutputSchema], error) {
			schemas, err := r.service().OutputSchemas().List(r.ctx(), r.who, r.listWindow())
			return collect(r, schemas, err)
		},
		form: func(r *request) (part, error) {
			v := formView{ID: "new", Heading: "New output schema", Action: "/schemas", Anchor: "new", Button: "Create output schema"}
			return r.formPart(v, newForm("schema", firstSchema, "maxRetries", "1", "enabled", "on"), schemaFields()...), nil
		},
		create: func(r *request, f *Form) error {
			change, err := schemaChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().OutputSchemas().Create(r.ctx(), r.who, change)
			return r.finish(err, "/schemas", "Output schema created. It applies within seconds.")
		},
		update: func(r *request, id string, f *Form) error {
			change, err := schemaChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().OutputSchemas().Update(r.ctx(), r.who, id, change, f.matchTag())
			return r.finish(err, schemaPath(id), "Output schema saved.")
		},
		remove: func(r *request, id string) error { return r.service().OutputSchemas().Delete(r.ctx(), r.who, id, "") },
		told:   "Output schema deleted.",
	}
	s.page = func(r *request) error { return showSchema(r, s) }
	return s
}

func schemaPath(id string) string { return "/schemas/" + url.PathEscape(id) }

// schemaName returns what a schema applies to.
func schemaName(v admin.OutputSchema) string {
	if v.ModelPattern == "" {
		return "Route " + v.RouteID
	}
	return v.ModelPattern
}

// schemaFields are the fields of a new schema and of one that is changed.
func schemaFields() []field {
	return []field{
		input("modelPattern", "Models", "mono", "placeholder=gpt-*",
			"hint=A name, or a pattern: * matches anything. Fill in this field or the route."),
		input("routeId", "Route", "mono", "hint=The id of a route."),
		input("maxRetries", "Retries", "type=number", "min=0", "max=10", "required", "hint=How often the model is asked again."),
		textarea("schema", "JSON Schema", "required", "mono", "rows=12"),
		textarea("correctionPrompt", "Correction prompt", "rows=2", "hint=What the model is told when it is asked again."),
		checkbox("enabled", "Enabled", "wide"),
	}
}

func schemaChange(f *Form) (admin.OutputSchemaChange, error) {
	pattern, route, prompt, enabled := f.text("modelPattern"), f.text("routeId"), f.text("correctionPrompt"), f.isChecked("enabled")
	retries := int(f.number("maxRetries"))
	var schema map[string]any
	if says := readJSON(f.Values.Get("schema"), &schema); says != "" {
		f.addError("schema", says)
	} else if schema == nil {
		f.addError("schema", "Write a JSON object.")
	}
	return checkChange(f, admin.OutputSchemaChange{
		ModelPattern: &pattern, RouteID: &route, CorrectionPrompt: &prompt, MaxRetries: &retries, Enabled: &enabled, Schema: &schema,
	})
}

func showSchema(r *request, s *resource[admin.OutputSchema]) error {
	v, err := r.service().OutputSchemas().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	text, err := pretty(v.Schema)
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: "/schemas", Text: s.title}}, State: enabledState(v.Enabled)}
	p.add(part{"facts", []fact{{"Id", codePart(v.ID)}, {"Created", timePart(v.CreatedAt)}, {"Updated", timePart(v.UpdatedAt)}}})
	if r.who.Can(s.write) {
		initial := newForm("modelPattern", v.ModelPattern, "routeId", v.RouteID, "schema", text, "maxRetries", strconv.Itoa(v.MaxRetries),
			"correctionPrompt", v.CorrectionPrompt)
		initial.setChecked("enabled", v.Enabled)
		p.add(r.formPart(formView{Action: schemaPath(v.ID), Button: "Save output schema", Tag: admin.Tag(v)}, initial, schemaFields()...),
			s.deletion(v.ID, "Delete output schema…", "Answers are no longer validated against it. This cannot be undone.",
				"Delete "+schemaName(v)))
	} else {
		p.add(part{"pre", text})
	}
	return r.show("record", schemaName(v), p)
}
