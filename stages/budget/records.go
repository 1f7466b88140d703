package budget

import "github.com/headgate-dev/headgate/core"

// recordedStage is the stage in a chain whose configuration does not name it. It takes part only while there are budgets.
type recordedStage struct{ *Stage }

var (
	_ core.ConditionalStage = recordedStage{}
	_ core.Finisher         = recordedStage{}
)

// ForRecords returns the stage for a chain whose configuration does not name it.
func (s *Stage) ForRecords() core.Stage { return recordedStage{s} }

// IsIdle reports whether there is no budget.
func (s recordedStage) IsIdle() bool { return len(s.spending.List()) == 0 }

// Applies reports whether there may be a budget for the exchange.
func (s recordedStage) Applies(*core.Exchange) bool { return !s.IsIdle() }
