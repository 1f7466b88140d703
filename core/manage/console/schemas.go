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

// newSchemaResource declares the pages of output schemas.
func newSchemaResource() *resource[admin.OutputSchema] {
	s := &resource[admin.OutputSchema]{
		path: "/schemas", param: "id", title: "Output schemas", read: auth.SchemasRead, write: auth.SchemasWrite,
		intro: "JSON answers of a model are validated against a JSON Schema. The model is asked again for an answer that does not match, " +
			"and after the last retry the answer is refused.",
		empty: "There are no output schemas yet. Create one below to validate the answers of a model.",
		columns: []column[admin.OutputSchema]{
			{"Models", "", func(_ *request, v admin.OutputSchema) part { return newLinkPart(buildSchemaPath(v.ID), nameSchema(v)) }},
			{"Status", "", func(_ *request, v admin.OutputSchema) part { return newStatePart(nameEnabledState(v.Enabled)) }},
			{"Retries", "num", func(_ *request, v admin.OutputSchema) part { return newTextPart(formatCount(v.MaxRetries)) }},
			{"Created", "", func(_ *request, v admin.OutputSchema) part { return newDatePart(v.CreatedAt) }},
			{"Updated", "", func(_ *request, v admin.OutputSchema) part { return newDatePart(v.UpdatedAt) }},
		},
		feature: admin.FeatureSchemas, unlicensed: "Output schemas need a licence, and this installation has none that covers them. Answers " +
			"are not validated.",
		list: func(r *request) (list[admin.OutputSchema], error) {
			schemas, err := r.service().OutputSchemas().List(r.ctx(), r.who, r.readWindow())
			return readPage(r, schemas, err)
		},
		form: func(r *request) (part, error) {
			v := formView{ID: "new", Heading: "New output schema", Action: "/schemas", Anchor: "new", Button: "Create output schema"}
			return r.newFormPart(v, newForm("schema", firstSchema, "maxRetries", "1", "enabled", "on"), listSchemaFields()...), nil
		},
		create: func(r *request, f *Form) error {
			change, err := readSchemaChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().OutputSchemas().Create(r.ctx(), r.who, change)
			return r.finish(err, "/schemas", "Output schema created. It applies within seconds.")
		},
		update: func(r *request, id string, f *Form) error {
			change, err := readSchemaChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().OutputSchemas().Update(r.ctx(), r.who, id, change, f.readTag())
			return r.finish(err, buildSchemaPath(id), "Output schema saved.")
		},
		remove: func(r *request, id string) error { return r.service().OutputSchemas().Delete(r.ctx(), r.who, id, "") },
		told:   "Output schema deleted.",
	}
	s.page = func(r *request) error { return showSchema(r, s) }
	return s
}

func buildSchemaPath(id string) string { return "/schemas/" + url.PathEscape(id) }

// nameSchema returns what a schema applies to.
func nameSchema(v admin.OutputSchema) string {
	if v.ModelPattern == "" {
		return "Route " + v.RouteID
	}
	return v.ModelPattern
}

// listSchemaFields returns the fields of a new schema and of one that is changed.
func listSchemaFields() []field {
	return []field{
		newInput("modelPattern", "Models", "mono", "placeholder=gpt-*",
			"hint=A name, or a pattern: * matches anything. Fill in this field or the route."),
		newInput("routeId", "Route", "mono", "hint=The id of a route."),
		newInput("maxRetries", "Retries", "type=number", "min=0", "max=10", "required", "hint=How often the model is asked again."),
		newTextarea("schema", "JSON Schema", "required", "mono", "rows=12"),
		newTextarea("correctionPrompt", "Correction prompt", "rows=2", "hint=What the model is told when it is asked again."),
		newCheckbox("enabled", "Enabled", "wide"),
	}
}

func readSchemaChange(f *Form) (admin.OutputSchemaChange, error) {
	pattern, route, prompt, enabled := f.readText("modelPattern"), f.readText("routeId"), f.readText("correctionPrompt"),
		f.isChecked("enabled")
	retries := int(f.readNumber("maxRetries"))
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
	text, err := formatJSON(v.Schema)
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: "/schemas", Text: s.title}}, State: nameEnabledState(v.Enabled)}
	p.add(part{"facts", []fact{{"Id", newCodePart(v.ID)}, {"Created", newTimePart(v.CreatedAt)}, {"Updated", newTimePart(v.UpdatedAt)}}})
	if r.who.Can(s.write) {
		initial := newForm("modelPattern", v.ModelPattern, "routeId", v.RouteID, "schema", text, "maxRetries", strconv.Itoa(v.MaxRetries),
			"correctionPrompt", v.CorrectionPrompt)
		initial.setChecked("enabled", v.Enabled)
		p.add(r.newFormPart(formView{Action: buildSchemaPath(v.ID), Button: "Save output schema", Tag: admin.ComputeTag(v)}, initial,
			listSchemaFields()...),
			s.newDeletion(v.ID, "Delete output schema…", "Answers are no longer validated against it. This cannot be undone.",
				"Delete "+nameSchema(v)))
	} else {
		p.add(part{"pre", text})
	}
	return r.show("record", nameSchema(v), p)
}
