package policy

import "github.com/headgate-dev/headgate/core"

// recorded is the stage in a chain whose configuration does not name it. It takes part only in exchanges for which a
// policy is active or in shadow mode.
type recorded struct{ *Stage }

var (
	_ core.Selective    = recorded{}
	_ core.StreamStage  = recorded{}
	_ core.Finisher     = recorded{}
	_ core.ModelChecker = recorded{}
)

// ForRecords returns the stage for a chain whose configuration does not name it.
func (s *Stage) ForRecords() core.Stage { return recorded{s} }

// IsIdle reports whether no policy is active or in shadow mode.
func (s recorded) IsIdle() bool {
	p := s.plans.Load()
	return len(p.tenants) == 0 && p.others.isEmpty()
}

// Applies reports whether a policy is active or in shadow mode for the exchange's tenant.
func (s recorded) Applies(x *core.Exchange) bool {
	return !s.plans.Load().findPlan(findCaller(x).Tenant).isEmpty()
}
