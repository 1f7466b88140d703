package spending

// The notices of stages. A notice with the name of an audit event is also recorded as that event.
const (
	NoticeBudgetExceeded = "BUDGET_EXCEEDED"   // an exchange was refused because a budget was exhausted
	NoticeCostAnomaly    = "COST_ANOMALY"      // a model costs a tenant far more than usual
	NoticeSoftLimit      = "BUDGET_SOFT_LIMIT" // a budget reached its soft limit; once per period
	NoticePluginLimit    = "PLUGIN_THRESHOLD"  // a limit that a plugin keeps has reached a share of itself
)

// Notice informs an operator of something beyond the records of an exchange. It never holds text of a prompt.
type Notice struct {
	Type   string
	Tenant string // "" if it concerns no single tenant
	Facts  []Fact
}

// Fact is one detail of a notice.
type Fact struct{ Name, Value string }
