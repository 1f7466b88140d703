package console

import (
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// Form is what somebody has written into a form, and what is wrong with it.
type Form struct {
	Values url.Values
	Errors map[string]string // by the name of the field
	Error  string            // what no single field is to blame for
}

// newForm is a form with what it holds at first: name, value, name, value.
func newForm(pairs ...string) *Form {
	f := &Form{Values: url.Values{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Values.Add(pairs[i], pairs[i+1])
	}
	return f
}

// text is a field without the spaces around it.
func (f *Form) text(name string) string { return strings.TrimSpace(f.Values.Get(name)) }

// opt is a field that may be left empty: nil.
func (f *Form) opt(name string) *string {
	if v := f.text(name); v != "" {
		return &v
	}
	return nil
}

// on reports whether a box is checked.
func (f *Form) on(name string) bool { return f.Values.Get(name) != "" }

// words are what a field holds between spaces and commas.
func (f *Form) words(name string) []string {
	return strings.FieldsFunc(f.Values.Get(name), func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// words is what a field holds that words reads.
func words(all []string) string { return strings.Join(all, ", ") }

// number is a field that holds a whole number; one that is empty is 0.
func (f *Form) number(name string) int64 {
	v := f.text(name)
	if v == "" {
		return 0
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		f.wrong(name, "Write a whole number.")
	}
	return n
}

// wrong notes what is wrong with a field.
func (f *Form) wrong(name, says string) {
	if f.Errors == nil {
		f.Errors = map[string]string{}
	}
	if f.Errors[name] == "" {
		f.Errors[name] = says
	}
}

// ok reports whether nothing is wrong so far; otherwise the error to answer with.
func (f *Form) ok() error {
	if len(f.Errors) == 0 && f.Error == "" {
		return nil
	}
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: ""}
}

// refuse puts an error beside the field that it names, or above the form.
func (f *Form) refuse(e *core.Error) {
	if e.Public == "" {
		return // it stands beside its field
	}
	if e.Code == admin.CodePrecondition {
		f.Error = "Somebody has changed this since you opened it. Open the page again to see how it is now, then decide again."
		return
	}
	if e.Param != "" {
		name := e.Param[strings.LastIndexByte(e.Param, '.')+1:]
		if _, sent := f.Values[name]; sent {
			f.wrong(name, sentence(strings.TrimPrefix(strings.TrimPrefix(e.Public, e.Param), ": ")))
			return
		}
	}
	f.Error = sentence(e.Public)
}

// Field is what a template draws of one field.
type Field struct {
	Name, Label, Value, Error, Hint string
	ID                              string
	Type                            string // of an input
	Placeholder, Autocomplete       string
	Pattern, Min, Max, Step         string
	Rows                            int
	Required, Mono, Checked, Wide   bool
	Options                         []Option
}

// Option is one choice of a field.
type Option struct {
	Value, Label string
	Chosen       bool
}

// In is a field of the form. What it is more than text, its settings say: "required", "mono", "wide", or one of hint=,
// type=, placeholder=, autocomplete=, pattern=, min=, max=, step=, rows= and id= with its value.
func (f *Form) In(name, label string, settings ...string) Field {
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
		case "id":
			d.ID = v
		case "rows":
			if n, err := strconv.Atoi(v); err == nil {
				d.Rows = n
			}
		}
	}
	if d.Type == "password" || d.Type == "file" {
		d.Value = "" // it is not sent back
	}
	return d
}

// Choose is a field with choices: value, label, value, label.
func (f *Form) Choose(name, label string, options []Option, settings ...string) Field {
	d := f.In(name, label, settings...)
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

// options are choices: value, label, value, label.
func options(pairs ...string) []Option {
	var out []Option
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Option{Value: pairs[i], Label: pairs[i+1]})
	}
	return out
}

// used remembers forms that were sent, so that a page that is loaded again, or a button that is pressed twice, makes
// nothing twice where what is made is shown but once.
type used struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

const (
	usedLife = time.Hour
	mostUsed = 10_000
)

// first reports whether a form of somebody is sent for the first time.
func (u *used) first(session, nonce string, now time.Time) bool {
	if nonce == "" || len(nonce) > 64 {
		return true // a form without one is the sender's own
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen == nil {
		u.seen = map[string]time.Time{}
	}
	key := session + " " + nonce
	if at, ok := u.seen[key]; ok && now.Sub(at) < usedLife {
		return false
	}
	if len(u.seen) >= mostUsed {
		for k, at := range u.seen {
			if now.Sub(at) >= usedLife {
				delete(u.seen, k)
			}
		}
		if len(u.seen) >= mostUsed {
			clear(u.seen)
		}
	}
	u.seen[key] = now
	return true
}

// once refuses a form that was sent before.
func (r *request) once(f *Form) error {
	if r.c.once.first(r.session.Actor.ID, f.Values.Get("once"), r.c.Now()) {
		return nil
	}
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Status: 409,
		Public: "This form was sent already, and what it made was shown then. Open the page again to make another one.",
	}
}
