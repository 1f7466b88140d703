package policydoc

import (
	"time"
)

// The states of a policy.
const (
	Draft    = "DRAFT"
	Active   = "ACTIVE"
	Shadow   = "SHADOW" // evaluated beside the active policies without effect
	Archived = "ARCHIVED"
)

// Record is a policy in the store or in the configuration.
type Record struct {
	ID, Name    string
	Tenant      string // "" for the platform, which applies to every tenant
	Description string
	DSL         string // the YAML text
	Status      string
	Version     int64
	Source      string // origin; "file" for the configuration
	Created     time.Time
	Updated     time.Time
}

// Issue is a finding: a fault in the text of one policy, or a conflict between rules.
type Issue struct {
	Code    string            `json:"code"`
	Level   string            `json:"level"` // error, warning or info
	Policy  string            `json:"policy,omitempty"`
	Rule    string            `json:"rule,omitempty"`
	Line    int               `json:"line,omitempty"`
	Column  int               `json:"column,omitempty"`
	Other   string            `json:"other,omitempty"` // policy/rule on the other side of a conflict
	Text    string            `json:"text"`
	Witness map[string]string `json:"witness,omitempty"` // a request that demonstrates it
}

func (i Issue) String() string { return i.Code + ": " + i.Text }

// The levels of issues.
const (
	IssueError   = "error"
	IssueWarning = "warning"
	IssueInfo    = "info"
)

// ShadowEvent is what a policy in shadow mode would have decided for one exchange.
type ShadowEvent struct {
	Policy     string    `json:"policy_id"`
	Rule       string    `json:"rule_id"` // the rule that made the difference or decided
	Request    string    `json:"request_id"`
	Tenant     string    `json:"tenant_id"`
	Model      string    `json:"model"`
	Active     string    `json:"active_decision"`
	Shadow     string    `json:"shadow_decision"`
	Diverged   bool      `json:"diverged"`
	Divergence string    `json:"divergence_type,omitempty"` // such as shadow_deny_active_allow
	At         time.Time `json:"timestamp"`
}
