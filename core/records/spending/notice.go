package spending

// Notices that stages give. Those that have the name of an audit event become one.
const (
	NoticeBudgetExceeded = "BUDGET_EXCEEDED"   // an exchange was refused for want of money or tokens
	NoticeCostAnomaly    = "COST_ANOMALY"      // a model costs a tenant far more than usual
	NoticeSoftLimit      = "BUDGET_SOFT_LIMIT" // a budget has come to its soft limit, once in a period
)

// Notice is something that an operator wants to hear of, beyond the records of the
// exchange. It never holds text of a prompt.
type Notice struct {
	Type   string
	Tenant string // "": it concerns no single one
	Facts  []Fact
}

// Fact is one detail of a notice.
type Fact struct{ Name, Value string }
