package plugins

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// Absent is the stage of a link whose file cannot be used. Each call fails, so that the link's fault rule decides what
// happens; silence must not be taken for consent.
type Absent struct{ err *Unusable }

var _ core.StreamStage = Absent{}

// NewAbsent returns the stage of a file that cannot be used.
func NewAbsent(err *Unusable) Absent { return Absent{err} }

// Fault classifies the error: no module could be loaded.
func (*Unusable) Fault() core.Fault { return core.FaultLoad }

// Check fails.
func (a Absent) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{}, a.err
}

// Stream fails.
func (a Absent) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return nil, a.err
}
