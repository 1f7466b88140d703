package webhook

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// crowdedError returns the fault of a Check that got no slot.
func (s *Stage) crowdedError(parent context.Context) *Error {
	if parent.Err() != nil {
		return s.lateError(parent)
	}
	return s.fault(core.FaultOverload, "too many calls are under way")
}
