package core

import (
	"context"
	"time"
)

// States of a policy.
const (
	PolicyDraft    = "DRAFT"
	PolicyActive   = "ACTIVE"
	PolicyShadow   = "SHADOW" // evaluated beside the active ones, and changes nothing
	PolicyArchived = "ARCHIVED"
)

// PolicyRecord is a policy as it is stored, or written in the configuration.
type PolicyRecord struct {
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

// PolicyIssue is what was found in policies: a fault in the text of one, or a
// conflict between rules.
type PolicyIssue struct {
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

func (i PolicyIssue) String() string { return i.Code + ": " + i.Text }

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

// PolicySource is where the policy stage finds its policies, and leaves what
// those in shadow came to.
type PolicySource interface {
	// Watch hands the policies that are active or in shadow to use: at once, and
	// again after each change, until stop is called. An error of use keeps what
	// was in force before; at the first call, it is Watch's own.
	Watch(use func([]PolicyRecord) error) (stop func(), err error)
	// Shadowed takes events, and how many others were dropped since the last
	// call because evaluation could not keep up. It may take its time: it is
	// never called on the way of a request.
	Shadowed(ctx context.Context, events []ShadowEvent, dropped int)
}

// ModelChecker is a stage that can say whether a principal may use a model
// without seeing the request: the lines of a batch are asked about so.
type ModelChecker interface {
	// CheckModel is asked with the model's name as the client spells it, and where
	// it is sent. The error is the client's.
	CheckModel(ctx context.Context, p *Principal, model string, t TargetRef) *Error
}
