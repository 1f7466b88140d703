package importtool

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// variable is an environment variable that the result refers to.
type variable struct {
	name string
	path string // the first field that needs it
	// value is the literal secret of the source; set says that there is one. It is written to the file of variables and nowhere else.
	value string
	set   bool
}

type variables struct {
	byName map[string]*variable
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// formatReference returns ${NAME}.
func (v *variables) formatReference(name, path string) string {
	if v.byName[name] == nil {
		v.byName[name] = &variable{name: name, path: path}
	}
	return "${" + name + "}"
}

// store keeps a literal secret under a new name and returns the reference to it. Equal secrets share a name.
func (v *variables) store(hint, path, value string) string {
	base := "IMPORTED_" + hint
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name += "_" + strconv.Itoa(i)
		}
		have := v.byName[name]
		if have == nil {
			v.byName[name] = &variable{name: name, path: path, value: value, set: true}
			return "${" + name + "}"
		}
		if have.set && have.value == value {
			return "${" + name + "}"
		}
	}
}

// listByName returns the variables by name.
func (v *variables) listByName() []*variable {
	out := make([]*variable, 0, len(v.byName))
	for _, x := range v.byName {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b *variable) int { return cmp.Compare(a.name, b.name) })
	return out
}

// findReference returns the name of the variable to which a text refers. LiteLLM writes os.environ/NAME, Bifrost env.NAME.
func (im *importer) findReference(text string) (name string, ok bool) {
	name, ok = strings.CutPrefix(text, im.prefix)
	return name, ok && im.prefix != "" && variableName.MatchString(name)
}

// importValue returns the text of a scalar for the result: a reference, or the text with its own ${ escaped.
func (im *importer) importValue(n *node) string {
	if name, ok := im.findReference(n.readString()); ok {
		return im.vars.formatReference(name, n.path)
	}
	return escapeVariables(n.readString())
}

// escapeVariables writes a text so that the gateway's file takes it as it is: ${ would begin a variable.
func escapeVariables(text string) string { return strings.ReplaceAll(text, "${", "$${") }

// importSecret returns a reference for a secret. moved reports that the source holds the secret itself, which is now a variable.
func (im *importer) importSecret(n *node, hint string) (text string, moved bool) {
	if name, ok := im.findReference(n.readString()); ok {
		return im.vars.formatReference(name, n.path), false
	}
	if n.readString() == "" {
		return "", false
	}
	return im.vars.store(hint, n.path, n.readString()), true
}

const whyMoved = "the source holds the secret itself: the result refers to a variable, whose value is in the file of " +
	"variables (--out writes it)"

// newSecretImport returns a rule's action that writes a secret to the place that into returns.
func newSecretImport(hint string, into func(*importer) *string) func(*importer, *node) verdict {
	return func(im *importer, n *node) verdict {
		if n.kind != scalar {
			return newRefusal("is not a text")
		}
		text, moved := im.importSecret(n, hint)
		*into(im) = text
		switch {
		case text == "":
			return newChange("is empty, so no credential is sent")
		case moved:
			return newChange(whyMoved)
		}
		return verdict{}
	}
}

// newTextImport returns a rule's action that writes a text to the place that into returns.
func newTextImport(into func(*importer) *string) func(*importer, *node) verdict {
	return func(im *importer, n *node) verdict {
		if n.kind != scalar {
			return newRefusal("is not a text")
		}
		*into(im) = im.importValue(n)
		return verdict{}
	}
}

// quoteShell quotes a value for shells and systemd. Values with line breaks cannot be written: ok is false.
func quoteShell(value string) (text string, ok bool) {
	if strings.ContainsAny(value, "\n\r\x00") {
		return "", false
	}
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./:@+=,", r)
	}
	if !strings.ContainsFunc(value, func(r rune) bool { return !plain(r) }) {
		return value, true
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'", true
}
