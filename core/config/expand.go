package config

import (
	"fmt"
	"strings"
)

// maxExpanded limits the text that the variables of one file add up to, in bytes: a file of 1 MiB can name a long
// variable very often.
const maxExpanded = 4 << 20

// variables looks up ${VAR} in the environment and remembers which were used.
type variables struct {
	values map[string]string
	used   map[string]bool
	grown  int
}

func newVariables(environ []string) *variables {
	v := &variables{values: map[string]string{}, used: map[string]bool{}}
	for _, entry := range environ {
		if name, text, ok := strings.Cut(entry, "="); ok {
			v.values[name] = text
		}
	}
	return v
}

// fault describes an invalid reference, without any value.
type fault struct{ message, hint string }

// expand replaces variables in text: ${VAR}, ${VAR:-default} (used if VAR is unset or empty) and $${ for a literal ${.
// It returns the name of the first variable, which messages show instead of its value. A variable's value is not
// expanded again: it adds neither variables nor structure.
func (v *variables) expand(text string) (out, from string, faults []fault) {
	if !strings.Contains(text, "${") {
		return text, "", nil
	}
	var b strings.Builder
	for text != "" {
		i := strings.Index(text, "${")
		if i < 0 {
			break
		}
		if i > 0 && text[i-1] == '$' {
			b.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		b.WriteString(text[:i])
		body, rest, closed := strings.Cut(text[i+2:], "}")
		if !closed {
			return "", from, append(faults, fault{"a ${ is not closed by }", "write ${NAME}, or $${ for the two characters themselves"})
		}
		text = rest
		got, name, bad := v.lookup(body)
		if bad != nil {
			faults = append(faults, *bad)
			continue
		}
		if from == "" {
			from = name
		}
		if v.grown += len(got); v.grown > maxExpanded {
			return "", from, append(
				faults,
				fault{fmt.Sprintf("the variables of this file add up to more than %s", ByteSize(maxExpanded)), "use fewer or shorter variables"},
			)
		}
		b.WriteString(got)
	}
	b.WriteString(text)
	return b.String(), from, faults
}

func (v *variables) lookup(body string) (got, name string, bad *fault) {
	name, fallback, hasDefault := strings.Cut(body, ":-")
	if !isVariableName(name) {
		return "", "", &fault{
			"a ${ is not followed by the name of a variable",
			"write ${NAME} or ${NAME:-default}, or $${ for the two characters themselves",
		}
	}
	v.used[name] = true
	got, set := v.values[name]
	switch {
	case hasDefault && got == "":
		return fallback, name, nil
	case set:
		return got, name, nil
	}
	return "", name, &fault{fmt.Sprintf("${%s} is not set", name), fmt.Sprintf("write ${%s:-default} or set %s", name, name)}
}

func isVariableName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
