package console

// formView is a form to draw.
type formView struct {
	ID, Heading  string
	Intro        part
	Action       string
	Anchor       string // the anchor to which the answer scrolls
	Form         *Form
	Fields       []Field
	Extra        part // below the fields
	Button       string
	Plain        bool   // the button is not the page's first
	Tag          string // of the version that the form changes
	Once         bool   // the form can be sent once
	Hint         string // beside the button
	Autocomplete string
}

// newFormPart draws a form. If the form was sent to its action and refused, it contains what was sent; otherwise initial.
func (r *request) newFormPart(v formView, initial *Form, fields ...field) part {
	r.fillForm(&v, initial, fields...)
	return part{"form", v}
}

// fillForm sets the values, the fields and the version of a form. A refused form keeps the version that it was opened with:
// with the current one, sending it again would overwrite what somebody else has saved meanwhile.
func (r *request) fillForm(v *formView, initial *Form, fields ...field) {
	v.Form = r.chooseForm(v.Action, initial)
	if tag := v.Form.Values.Get("tag"); v.Form == r.sent && v.Tag != "" && tag != "" {
		v.Tag = tag
	}
	v.Fields = drawFields(v.Form, fields)
}

func drawFields(f *Form, fields []field) []Field {
	out := make([]Field, len(fields))
	for i := range fields {
		out[i] = fields[i].bind(f)
	}
	return out
}

// filterView is a form that narrows a list.
type filterView struct {
	Action string
	Button string
	Fields []Field
	Reset  bool // a link shows the whole list again
}

// handleForm returns a handler that reads a form and carries it out. page shows a refused form again; without it, the
// answer is an error page.
func handleForm(do func(*request, *Form) error, page func(*request) error) func(*request) error {
	return func(r *request) error {
		f, err := r.parseForm()
		if err != nil {
			return err
		}
		if err = do(r, f); err == nil || page == nil {
			return err
		}
		return r.refuse(f, err, page)
	}
}

// handleFormOnce is submit for a form that can be sent once, because it shows what it creates only once.
func handleFormOnce(do func(*request, *Form) error, page func(*request) error) func(*request) error {
	return func(r *request) error {
		f, err := r.parseForm()
		if err == nil {
			err = r.claimForm(f)
		}
		if err != nil {
			return err
		}
		if err = do(r, f); err == nil || page == nil {
			return err
		}
		return r.refuse(f, err, page)
	}
}
