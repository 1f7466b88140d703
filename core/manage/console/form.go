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

// readText returns the value of a field, without surrounding spaces.
func (f *Form) readText(name string) string { return strings.TrimSpace(f.Values.Get(name)) }

// readOptionalText returns the value of a field, or nil if it is empty.
func (f *Form) readOptionalText(name string) *string {
	if v := f.readText(name); v != "" {
		return &v
	}
	return nil
}

// isChecked reports whether a box is checked.
func (f *Form) isChecked(name string) bool { return f.Values.Get(name) != "" }

// readValues returns all values of a field. It is never nil.
func (f *Form) readValues(name string) []string { return append([]string{}, f.Values[name]...) }

// readWords splits a field at spaces and commas.
func (f *Form) readWords(name string) []string {
	return strings.FieldsFunc(f.Values.Get(name), func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// joinWords returns the text that words splits.
func joinWords(all []string) string { return strings.Join(all, ", ") }

// readNumber returns the whole number in a field, or 0 if it is empty.
func (f *Form) readNumber(name string) int64 {
	v := f.readText(name)
	if v == "" {
		return 0
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		f.addError(name, "Write a whole number.")
	}
	return n
}

// readOptionalNumber returns the whole number in a field, or nil if it is empty.
func (f *Form) readOptionalNumber(name string) *int64 {
	if f.readText(name) == "" {
		return nil
	}
	n := f.readNumber(name)
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
	err := f.reportErrors()
	if err == nil {
		err = admin.CheckBounds(change)
	}
	return change, err
}

// reportErrors returns an error if the form has errors. Its text is empty, since the page shows them beside the fields.
func (f *Form) reportErrors() error {
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
		name, _, _ := strings.Cut(e.Param[strings.LastIndexByte(e.Param, '.')+1:], "[") // an element belongs to its list's field
		if _, sent := f.Values[name]; sent {
			f.addError(name, capitalizeSentence(strings.TrimPrefix(strings.TrimPrefix(e.Public, e.Param), ": ")))
			return
		}
	}
	f.Error = capitalizeSentence(e.Public)
}

// setChecked checks a box.
func (f *Form) setChecked(name string, checked bool) {
	if checked {
		f.Values.Set(name, "on")
	}
}

// readTag returns the version that a form was opened with.
func (f *Form) readTag() admin.Match { return admin.Match(f.Values.Get("tag")) }

// copyValues returns the values of some fields that are not empty.
func (f *Form) copyValues(names ...string) url.Values {
	out := url.Values{}
	for _, name := range names {
		if v := f.readText(name); v != "" {
			out.Set(name, v)
		}
	}
	return out
}
