package policydoc

import (
	"time"
)

// States of a policy.
const (
	Draft    = "DRAFT"
	Active   = "ACTIVE"
	Shadow   = "SHADOW" // evaluated beside the active ones, and changes nothing
	Archived = "ARCHIVED"
)

// Record is a policy as it is stored, or written in the configuration.
type Record struct {
	ID, Name    string
	Tenant      string // "": of the platform, for every tenant
	Description string
	DSL         string // the text, in YAML
	Status      string
	Version     int64
	Source      string // where it is kept: "file" for the configuration
	Created     time.Time
	Updated     time.Time
}

// Issue is what was found in policies: a fault in the text of one, or a
// conflict between rules.
type Issue struct {
	Code    string            `json:"code"`
	Level   string            `json:"level"` // error, warning or info
	Policy  string            `json:"policy,omitempty"`
	Rule    string            `json:"rule,omitempty"`
	Line    int               `json:"line,omitempty"`
	Column  int               `json:"column,omitempty"`
	Other   string            `json:"other,omitempty"` // policy/rule of the other side
	Text    string            `json:"text"`
	Witness map[string]string `json:"witness,omitempty"` // a request that shows it
}

func (i Issue) String() string { return i.Code + ": " + i.Text }

// Levels of issues.
const (
	IssueError   = "error"
	IssueWarning = "warning"
	IssueInfo    = "info"
)

// ShadowEvent is what a policy in shadow would have come to for one exchange.
type ShadowEvent struct {
	Policy     string    `json:"policy_id"`
	Rule       string    `json:"rule_id"` // the one that made the difference, or decided
	Request    string    `json:"request_id"`
	Tenant     string    `json:"tenant_id"`
	Model      string    `json:"model"`
	Active     string    `json:"active_decision"`
	Shadow     string    `json:"shadow_decision"`
	Diverged   bool      `json:"diverged"`
	Divergence string    `json:"divergence_type,omitempty"` // shadow_deny_active_allow and so on
	At         time.Time `json:"timestamp"`
}
