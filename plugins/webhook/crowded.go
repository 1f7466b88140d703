package webhook

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// crowded is the fault of a Check that got no slot.
func (s *Stage) crowded(parent context.Context) *Error {
	if parent.Err() != nil {
		return s.late(parent)
	}
	return s.fault(core.FaultOverload, "too many calls are under way")
}
