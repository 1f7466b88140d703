package meter

import (
	"slices"
	"strings"
)

// Signature is the type of a function.
type Signature struct{ Params, Results []ValType }

// Fits reports whether e is a function of exactly this type.
func (s Signature) Fits(e Extern) bool {
	return e.Kind == KindFunc && slices.Equal(e.Params, s.Params) && slices.Equal(e.Results, s.Results)
}

// String returns the type as in "(i32, i32) -> (i64)".
func (s Signature) String() string { return listTypes(s.Params) + " -> " + listTypes(s.Results) }

func listTypes(types []ValType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	return "(" + strings.Join(names, ", ") + ")"
}
