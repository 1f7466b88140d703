package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxFlaws is how many flaws are described to a model at once.
const maxFlaws = 10

// describeFlaws names the parts of the schema that an answer does not match. It repeats nothing of the answer, not even
// property names, because the answer may contain restored values that the provider must not see.
func describeFlaws(v *jsonschema.ValidationError) []string {
	found := map[string]bool{}
	collectFlaws(v, found)
	out := slices.Sorted(maps.Keys(found)) // the order of the library is random
	return out[:min(len(out), maxFlaws)]
}

func collectFlaws(v *jsonschema.ValidationError, found map[string]bool) {
	if len(v.Causes) == 0 {
		found[describeFlaw(v)] = true
		return
	}
	for _, cause := range v.Causes {
		collectFlaws(cause, found)
	}
}

// describeFlaw returns one line: the position in the schema, the keyword, and what it requires.
func describeFlaw(v *jsonschema.ValidationError) string {
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
