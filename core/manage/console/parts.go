package console

// A page is declared in Go from parts: each names a template and what it draws. The templates are in templates/parts*.html.

// part is a piece of a page: the template part-NAME draws it, with its data under .Data.
type part struct {
	Name string
	Data any
}

func textPart(text string) part { return part{"text", text} }

func codePart(text string) part { return part{"code", text} }

// drawCopied draws an id with a button that copies it.
func drawCopied(text string) part { return part{"copied", text} }

func statePart(state string) part { return part{"state", state} }

func hintPart(text string) part { return part{"hint", text} }

func linkPart(path, text string) part { return part{"link", link{Path: path, Text: text}} }

// timePart, datePart and drawAge draw the types of times that at accepts.
func timePart(t any) part { return momentPart("time", t) }

func datePart(t any) part { return momentPart("date", t) }

func momentPart(name string, t any) part {
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

// secretPart draws a secret that is shown once.
func secretPart(label, value string) part {
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
}

func confirmPart(c confirmation) part { return part{"confirm", c} }

func usdPart(v any) part { return textPart(usdText(v)) }

// sourcePart draws where a record is stored.
func sourcePart(source string) part {
	if source == "file" {
		return textPart("configuration file")
	}
	return textPart("database")
}

// enabledState returns the state of a record that can be switched off.
func enabledState(enabled bool) string {
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
