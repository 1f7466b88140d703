package plugins

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// UnusableStage is the stage of a link whose file cannot be used. Each call fails, so that the link's fault rule decides what
// happens; silence must not be taken for consent.
type UnusableStage struct{ err *UnusableError }

var _ core.StreamStage = UnusableStage{}

// NewUnusableStage returns the stage of a file that cannot be used.
func NewUnusableStage(err *UnusableError) UnusableStage { return UnusableStage{err} }

// Fault classifies the error: no module could be loaded.
func (*UnusableError) Fault() core.Fault { return core.FaultLoad }

// Check fails.
func (a UnusableStage) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{}, a.err
}

// Stream fails.
func (a UnusableStage) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return nil, a.err
}
