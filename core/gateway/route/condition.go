package route

// Condition is a provider's health in one word, for operators.
type Condition string

// The conditions.
const (
	HealthUnknown Condition = "unknown"    // not called recently
	Healthy       Condition = "healthy"    // all circuits are closed
	Degraded      Condition = "degraded"   // the circuits of some of its models are open
	Recovering    Condition = "recovering" // no longer open: the next call is a trial
	Unhealthy     Condition = "unhealthy"  // its own circuit is open, or those of all models that were called recently
)

// ReadCondition returns the condition of a provider.
func (h *Health) ReadCondition(provider string) Condition {
	p, ok := (*h.by.Load())[provider]
	if !ok {
		return HealthUnknown
	}
	switch s, _ := p.State(); s {
	case Open:
		return Unhealthy
	case HalfOpen:
		return Recovering
	}
	var open, trying, served int
	now := h.measureUptime()
	for _, m := range *p.models.Load() {
		switch s, _ := m.State(); s {
		case Open:
			open++
		case HalfOpen:
			trying++
		default:
			if calls, failed := m.failing.Sum(now); calls > failed {
				served++
			}
		}
	}
	if calls, _ := p.others.Sum(now); calls > 0 {
		served++
	}
	switch {
	case open+trying > 0 && served > 0, open > 0 && trying > 0:
		return Degraded
	case open > 0:
		return Unhealthy
	case trying > 0:
		return Recovering
	case served > 0:
		return Healthy
	}
	return HealthUnknown
}
