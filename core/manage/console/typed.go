package console

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
)

// typedField is the field in which the reader repeats the name of what a form destroys.
const typedField = "typed"

// newTypedConfirmPart asks for confirmation, and for the name of what is destroyed. The handler of the form must call
// checkTypedName.
func (r *request) newTypedConfirmPart(c confirmation, name string) part {
	return newConfirmPart(r.newTypedConfirmation(c, name))
}

// newTypedConfirmation adds the field for the name.
func (r *request) newTypedConfirmation(c confirmation, name string) confirmation {
	c.Danger = true
	sent := r.chooseForm(c.Action, nil)
	c.Open = sent.Refused()
	r.typed++
	typed := newInput(typedField, "Type "+name+" to confirm", "required", "autocomplete=off",
		"id=typed-"+strconv.Itoa(r.typed)).bind(sent)
	c.Typed = &typed
	return c
}

// checkTypedName refuses a form in which the name of what it destroys was not repeated. Pages collapse spaces, so their
// number does not matter.
func (f *Form) checkTypedName(name string) error {
	if strings.Join(strings.Fields(f.Values.Get(typedField)), " ") != strings.Join(strings.Fields(name), " ") {
		f.addError(typedField, "The name does not match, and nothing was changed. Type "+name+".")
	}
	return f.reportErrors()
}

// mountTyped mounts a form that destroys the thing whose name find returns. If the reader typed another name, page shows
// the form again.
func (c *Console) mountTyped(path string, p auth.Permission, find func(*request) (string, error), do, page func(*request) error) {
	c.mountPost(path, p, func(r *request) error {
		f, err := r.parseForm()
		if err != nil {
			return err
		}
		name, err := find(r)
		if err != nil {
			return err
		}
		if err := f.checkTypedName(name); err != nil {
			return r.refuse(f, err, page)
		}
		return do(r)
	})
}
