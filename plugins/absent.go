package plugins

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// Absent is the stage of a link whose file cannot be used: each call of it is a
// fault, so that the link's fault rule decides, and nobody takes silence for
// consent.
type Absent struct{ err *Unusable }

var _ core.StreamStage = Absent{}

// NewAbsent makes the stage of a file that cannot be used.
func NewAbsent(err *Unusable) Absent { return Absent{err} }

// Fault tells that nothing could be loaded.
func (*Unusable) Fault() core.Fault { return core.FaultLoad }

// Check fails.
func (a Absent) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{}, a.err
}

// Stream fails.
func (a Absent) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return nil, a.err
}
