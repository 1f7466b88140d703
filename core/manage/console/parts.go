package console

// A page is declared in Go from parts: each names a template and what it draws. The templates are in templates/parts*.html.

// part is a piece of a page: the template part-NAME draws it, with its data under .Data.
type part struct {
	Name string
	Data any
}

func newTextPart(text string) part { return part{"text", text} }

func newCodePart(text string) part { return part{"code", text} }

// newCopyPart draws an id with a button that copies it.
func newCopyPart(text string) part { return part{"copied", text} }

func newStatePart(state string) part { return part{"state", state} }

func newHintPart(text string) part { return part{"hint", text} }

func newLinkPart(path, text string) part { return part{"link", link{Path: path, Text: text}} }

// newTimePart, newDatePart and drawAge draw the types of times that at accepts.
func newTimePart(t any) part { return newMomentPart("time", t) }

func newDatePart(t any) part { return newMomentPart("date", t) }

func newMomentPart(name string, t any) part {
	m, err := newMoment(t)
	if err != nil || m == nil {
		return part{"text", "–"}
	}
	return part{name, m}
}

// drawAge draws how long ago a time was.
func (r *request) drawAge(t any) part {
	m, err := newAgo(r.c.Now(), t)
	if err != nil {
		return part{"text", "–"}
	}
	return part{"ago", m}
}

// link leads to a page.
type link struct {
	Path, Text string
	Class      string
	Of         string // read aloud after the text: the row that a button acts on
	Code       bool
}

// newSecretPart draws a secret that is shown once.
func newSecretPart(label, value string) part {
	return part{"secret", map[string]any{"Label": label, "Value": value}}
}

// fact is a name and a value of a record.
type fact struct {
	Name  string
	Value part
}

// cardView is a figure with its heading. Filled is the percentage of a bar below it; a negative value draws no bar.
type cardView struct {
	Heading, Figure string
	Filled          int
}

// confirmation asks before it sends a form without fields.
type confirmation struct {
	Opens  string // the button that opens it
	Class  string // of that button, for example "small"
	Says   string
	Action string
	Button string
	Danger bool
	Once   bool
	Hidden [][2]string // fields: name, value
	Left   bool
	Typed  *Field // a field for the name of the thing; optional
	Open   bool   // the typed name was wrong
}

func newConfirmPart(c confirmation) part { return part{"confirm", c} }

func newUSDPart(v any) part { return newTextPart(formatUSDText(v)) }

// newSourcePart draws where a record is stored.
func newSourcePart(source string) part {
	if source == "file" {
		return newTextPart("configuration file")
	}
	return newTextPart("database")
}

// nameEnabledState returns the state of a record that can be switched off.
func nameEnabledState(enabled bool) string {
	if enabled {
		return "Enabled"
	}
	return "Disabled"
}

// dashIfEmpty returns a text, or a dash for an empty one.
func dashIfEmpty(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
