package console

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// Form holds the values of a form and its errors.
type Form struct {
	Values url.Values
	Errors map[string]string // by the name of the field
	Error  string            // of the form as a whole
}

// newForm returns a form with initial values: name, value, name, value.
func newForm(pairs ...string) *Form {
	f := &Form{Values: url.Values{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Values.Add(pairs[i], pairs[i+1])
	}
	return f
}

// text returns the value of a field, without surrounding spaces.
func (f *Form) text(name string) string { return strings.TrimSpace(f.Values.Get(name)) }

// optionalText returns the value of a field, or nil if it is empty.
func (f *Form) optionalText(name string) *string {
	if v := f.text(name); v != "" {
		return &v
	}
	return nil
}

// isChecked reports whether a box is checked.
func (f *Form) isChecked(name string) bool { return f.Values.Get(name) != "" }

// list returns all values of a field. It is never nil.
func (f *Form) list(name string) []string { return append([]string{}, f.Values[name]...) }

// words splits a field at spaces and commas.
func (f *Form) words(name string) []string {
	return strings.FieldsFunc(f.Values.Get(name), func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// joinWords returns the text that words splits.
func joinWords(all []string) string { return strings.Join(all, ", ") }

// number returns the whole number in a field, or 0 if it is empty.
func (f *Form) number(name string) int64 {
	v := f.text(name)
	if v == "" {
		return 0
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		f.addError(name, "Write a whole number.")
	}
	return n
}

// optionalNumber returns the whole number in a field, or nil if it is empty.
func (f *Form) optionalNumber(name string) *int64 {
	if f.text(name) == "" {
		return nil
	}
	n := f.number(name)
	return &n
}

// addError records an error of a field. The first one is shown.
func (f *Form) addError(name, says string) {
	if f.Errors == nil {
		f.Errors = map[string]string{}
	}
	if f.Errors[name] == "" {
		f.Errors[name] = says
	}
}

// Refused reports whether the form or a field of it has an error.
func (f *Form) Refused() bool { return f != nil && (f.Error != "" || len(f.Errors) > 0) }

// checkChange returns a change with the errors of its form, or of its bounds.
func checkChange[C any](f *Form, change C) (C, error) {
	err := f.err()
	if err == nil {
		err = admin.CheckBounds(change)
	}
	return change, err
}

// err returns an error if the form has errors. Its text is empty, since the page shows them beside the fields.
func (f *Form) err() error {
	if len(f.Errors) == 0 && f.Error == "" {
		return nil
	}
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: ""}
}

// addRefusal records an error of an operation, beside the field that it names or above the form.
func (f *Form) addRefusal(e *core.Error) {
	if e.Public == "" {
		return // it is shown beside its field
	}
	if e.Code == admin.CodePrecondition {
		f.Error = "Somebody else changed this after you opened it. Reload the page to see the current version, then make your change again."
		return
	}
	if e.Param != "" {
		name := e.Param[strings.LastIndexByte(e.Param, '.')+1:]
		if _, sent := f.Values[name]; sent {
			f.addError(name, sentence(strings.TrimPrefix(strings.TrimPrefix(e.Public, e.Param), ": ")))
			return
		}
	}
	f.Error = sentence(e.Public)
}

// setChecked checks a box.
func (f *Form) setChecked(name string, checked bool) {
	if checked {
		f.Values.Set(name, "on")
	}
}

// matchTag returns the version that a form was opened with.
func (f *Form) matchTag() admin.Match { return admin.Match(f.Values.Get("tag")) }
