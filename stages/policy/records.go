package policy

import "github.com/headgate-dev/headgate/core"

// recorded is the stage of a chain that has no link for it: it takes part only in exchanges
// that a policy is active or in shadow for.
type recorded struct{ *Stage }

var (
	_ core.Selective    = recorded{}
	_ core.StreamStage  = recorded{}
	_ core.Finisher     = recorded{}
	_ core.ModelChecker = recorded{}
)

// ForRecords returns the stage for a link that the configuration does not name.
func (s *Stage) ForRecords() core.Stage { return recorded{s} }

// Idle reports whether no policy is active or in shadow.
func (s recorded) Idle() bool {
	p := s.plans.Load()
	return len(p.tenants) == 0 && p.others.empty()
}

// Applies reports whether a policy is active or in shadow for the exchange's tenant.
func (s recorded) Applies(x *core.Exchange) bool { return !s.plans.Load().of(caller(x).Tenant).empty() }
