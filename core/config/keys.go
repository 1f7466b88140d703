package config

import (
	"reflect"
	"strings"
)

// listKeys lists the dotted keys of a type, and those of the elements in the tree, for suggestions about misspelled flags
// and variables.
func (l *layers) listKeys() []string {
	var out []string
	r := resolver{spelling: dotted}
	var walk func(t reflect.Type, v *value, path string, depth int)
	walk = func(t reflect.Type, v *value, path string, depth int) {
		if len(out) > 500 || depth > 8 {
			return
		}
		options := r.listCandidates(t, v, "")
		if len(options) == 0 && path != "" {
			out = append(out, path)
		}
		for _, c := range options {
			walk(c.typ, c.current, strings.TrimPrefix(path+"."+c.name, "."), depth+1)
		}
	}
	walk(reflect.TypeFor[Config](), l.buildValue(), "", 0)
	return out
}

func (l *layers) suggestKey(name string) string {
	if near := suggestWord(brackets.Replace(name), l.listKeys()); near != "" {
		return "did you mean " + near + "?"
	}
	root, _, _ := strings.Cut(name, ".")
	return formatSuggestion(root, listNames(listFields(reflect.TypeFor[Config]())))
}

func (l *layers) suggestVariable(variable string) string {
	if near := suggestWord(strings.TrimPrefix(variable, prefix), l.listKeys()); near != "" {
		return "did you mean " + prefix + formatEnvName(near) + "?"
	}
	return ""
}
