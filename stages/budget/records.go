package budget

import "github.com/headgate-dev/headgate/core"

// recorded is the stage in a chain whose configuration does not name it. It takes part only while there are budgets.
type recorded struct{ *Stage }

var (
	_ core.Selective = recorded{}
	_ core.Finisher  = recorded{}
)

// ForRecords returns the stage for a chain whose configuration does not name it.
func (s *Stage) ForRecords() core.Stage { return recorded{s} }

// IsIdle reports whether there is no budget.
func (s recorded) IsIdle() bool { return len(s.spending.List()) == 0 }

// Applies reports whether there may be a budget for the exchange.
func (s recorded) Applies(*core.Exchange) bool { return !s.IsIdle() }
