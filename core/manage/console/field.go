package console

import (
	"strconv"
	"strings"
)

// field declares a field of a form.
type field struct {
	kind, name, label string
	options           []Option
	settings          []string // see Form.In
}

func newInput(name, label string, settings ...string) field {
	return field{kind: "input", name: name, label: label, settings: settings}
}

func newTextarea(name, label string, settings ...string) field {
	return field{kind: "textarea", name: name, label: label, settings: settings}
}

func newCheckbox(name, label string, settings ...string) field {
	return field{kind: "checkbox", name: name, label: label, settings: settings}
}

// newChoice declares a field with one of several options, checkboxes a field with any of them.
func newChoice(name, label string, options []Option, settings ...string) field {
	return field{kind: "select", name: name, label: label, options: options, settings: settings}
}

func newCheckboxes(name, label string, options []Option, settings ...string) field {
	return field{kind: "checkboxes", name: name, label: label, options: options, settings: settings}
}

// bind returns the field with the value and the error in a form.
func (d field) bind(f *Form) Field {
	v := f.Choose(d.name, d.label, d.options, d.settings...)
	v.Kind = d.kind
	return v
}

// Field is the data of the template of a field.
type Field struct {
	Kind                            string // the name of its template
	Name, Label, Value, Error, Hint string
	ID                              string
	Type                            string // of an input
	Placeholder, Autocomplete       string
	Pattern, Min, Max, Step         string
	List                            string // the id of the datalist of an input
	Rows                            int
	Required, Mono, Checked, Wide   bool
	Options                         []Option
}

// Option is one choice of a field.
type Option struct {
	Value, Label string
	Chosen       bool
}

// NewField returns a field of the form. Settings are "required", "mono" and "wide", or one of hint=, type=, placeholder=,
// autocomplete=, pattern=, min=, max=, step=, list=, rows= and id= with a value.
func (f *Form) NewField(name, label string, settings ...string) Field {
	d := Field{Name: name, Label: label, ID: "f-" + name, Type: "text", Rows: 3}
	if f != nil {
		d.Value, d.Error = f.Values.Get(name), f.Errors[name]
		d.Checked = d.Value != ""
	}
	for _, s := range settings {
		k, v, _ := strings.Cut(s, "=")
		switch k {
		case "required":
			d.Required = true
		case "mono":
			d.Mono = true
		case "wide":
			d.Wide = true
		case "hint":
			d.Hint = v
		case "type":
			d.Type = v
		case "placeholder":
			d.Placeholder = v
		case "autocomplete":
			d.Autocomplete = v
		case "pattern":
			d.Pattern = v
		case "min":
			d.Min = v
		case "max":
			d.Max = v
		case "step":
			d.Step = v
		case "list":
			d.List = v
		case "id":
			d.ID = v
		case "rows":
			if n, err := strconv.Atoi(v); err == nil {
				d.Rows = n
			}
		}
	}
	if d.Type == "password" || d.Type == "file" {
		d.Value = "" // secrets and files are not sent back
	}
	return d
}

// Choose returns a field with options.
func (f *Form) Choose(name, label string, options []Option, settings ...string) Field {
	d := f.NewField(name, label, settings...)
	for _, o := range options {
		if f != nil {
			for _, v := range f.Values[name] {
				o.Chosen = o.Chosen || v == o.Value
			}
		}
		d.Options = append(d.Options, o)
	}
	return d
}

// newOptions returns choices: value, label, value, label.
func newOptions(pairs ...string) []Option {
	var out []Option
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Option{Value: pairs[i], Label: pairs[i+1]})
	}
	return out
}
