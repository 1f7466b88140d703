package meter

import "fmt"

// Reasons of a Refused. They are stable and suitable for logs and metrics.
const (
	ReasonMalformed   = "malformed module"
	ReasonUnsupported = "unsupported feature"
	ReasonTooLarge    = "limit exceeded"
	ReasonImport      = "import not allowed"
	ReasonIndex       = "index out of range"
)

// RefusedError is the error of Rewrite for a module that must not be loaded.
type RefusedError struct {
	// Reason is one of the Reason constants.
	Reason string
	// Detail describes what was found: counts, limits and opcode numbers, never bytes or names from the module.
	Detail string
}

var _ error = (*RefusedError)(nil)

func (r *RefusedError) Error() string { return "wasm module refused: " + r.Reason + ": " + r.Detail }

// refuseModule aborts the parsing of the module. Rewrite recovers exactly this value: a parser of nested structures
// stays readable if its leaves can abort it.
func refuseModule(reason, format string, args ...any) {
	panic(&RefusedError{Reason: reason, Detail: fmt.Sprintf(format, args...)})
}

// requireAtMost refuses a count above its bound.
func requireAtMost(what string, n, most int) {
	if n > most {
		refuseModule(ReasonTooLarge, "%d %s, at most %d are allowed", n, what, most)
	}
}
