package chain

import (
	"fmt"
	"runtime"

	"github.com/headgate-dev/headgate/core"
)

// describePanic describes a panic without its value, which may contain a prompt. Texts of the runtime itself are safe.
func describePanic(r any) error {
	if e, ok := r.(runtime.Error); ok {
		return fmt.Errorf("panic: %w", e)
	}
	return fmt.Errorf("panic with a value of type %T", r)
}

type panicError struct{ error }

// badEdit is a fault of the stage: its edits do not fit the text.
type badEdit struct{ err error }

func (e badEdit) Error() string { return e.err.Error() }

func (e badEdit) Unwrap() error { return e.err }

func (panicError) Fault() core.Fault { return core.FaultPanic }

func (badEdit) Fault() core.Fault { return core.FaultVerdict }
