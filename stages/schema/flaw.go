package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// mostFlaws is how many flaws a model is told at once.
const mostFlaws = 10

// describe names the places of the schema that an answer does not meet. Nothing of
// the answer itself is told, its property names neither: values may have been put
// back into it that the provider must not see.
func describe(v *jsonschema.ValidationError) []string {
	found := map[string]bool{}
	collect(v, found)
	out := slices.Sorted(maps.Keys(found)) // the library's order is another one each time
	return out[:min(len(out), mostFlaws)]
}

func collect(v *jsonschema.ValidationError, found map[string]bool) {
	if len(v.Causes) == 0 {
		found[flaw(v)] = true
		return
	}
	for _, cause := range v.Causes {
		collect(cause, found)
	}
}

// flaw is one line: where in the schema, which keyword, and what that asks for.
func flaw(v *jsonschema.ValidationError) string {
	at := "#"
	if _, fragment, ok := strings.Cut(v.SchemaURL, "#"); ok {
		at += fragment
	}
	for _, k := range v.ErrorKind.KeywordPath() {
		at += "/" + k
	}
	switch k := v.ErrorKind.(type) {
	case *kind.Type:
		return at + ": the value must be of type " + strings.Join(k.Want, " or ")
	case *kind.Required:
		return at + ": missing " + strings.Join(k.Missing, ", ")
	case *kind.DependentRequired:
		return at + ": missing " + strings.Join(k.Missing, ", ")
	case *kind.Dependency:
		return at + ": missing " + strings.Join(k.Missing, ", ")
	case *kind.AdditionalProperties, *kind.FalseSchema:
		return at + ": there is something that the schema does not allow"
	}
	return at + ": not met"
}
