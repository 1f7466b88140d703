package budget

import "github.com/headgate-dev/headgate/core"

// recorded is the stage of a chain that has no link for it: it takes part only while there are budgets.
type recorded struct{ *Stage }

var (
	_ core.Selective = recorded{}
	_ core.Finisher  = recorded{}
)

// ForRecords is the stage for a link that nobody has written.
func (s *Stage) ForRecords() core.Stage { return recorded{s} }

// Idle reports whether there is no budget.
func (s recorded) Idle() bool { return len(s.spending.List()) == 0 }

// Applies reports whether there may be a budget for the exchange.
func (s recorded) Applies(*core.Exchange) bool { return !s.Idle() }
