package policy

import "github.com/headgate-dev/headgate/core"

// recordedStage is the stage in a chain whose configuration does not name it. It takes part only in exchanges for which a
// policy is active or in shadow mode.
type recordedStage struct{ *Stage }

var (
	_ core.ConditionalStage = recordedStage{}
	_ core.StreamStage      = recordedStage{}
	_ core.Finisher         = recordedStage{}
	_ core.ModelChecker     = recordedStage{}
)

// ForRecords returns the stage for a chain whose configuration does not name it.
func (s *Stage) ForRecords() core.Stage { return recordedStage{s} }

// IsIdle reports whether no policy is active or in shadow mode.
func (s recordedStage) IsIdle() bool {
	p := s.plans.Load()
	return len(p.tenants) == 0 && p.others.isEmpty()
}

// Applies reports whether a policy is active or in shadow mode for the exchange's tenant.
func (s recordedStage) Applies(x *core.Exchange) bool {
	return !s.plans.Load().findPlan(findCaller(x).Tenant).isEmpty()
}
