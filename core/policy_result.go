package core

// PolicyResult is what policies come to for one request, as people and the
// administrative API read it.
type PolicyResult struct {
	Status  string        `json:"status"` // ALLOWED, DENIED, or UNDETERMINED: an input that is not known could deny
	Reason  string        `json:"reason,omitempty"`
	RuleID  string        `json:"rule_id,omitempty"`
	Millis  float64       `json:"evaluation_time_ms"`
	Matched []string      `json:"matched"` // policy/rule of those that fired
	Effects PolicyEffects `json:"effects"`
	Trace   []PolicyStep  `json:"trace,omitempty"`
	Unknown []string      `json:"unknown_inputs"`
	Notes   []string      `json:"warnings"`
	Cases   []PolicyCase  `json:"cases,omitempty"`
}

// PolicyEffects are what rules that fired ask for.
type PolicyEffects struct {
	Route    *PolicyRoute `json:"route,omitempty"`
	Cap      int64        `json:"cap,omitempty"`    // tokens
	Redact   []string     `json:"redact,omitempty"` // types, or patterns of such
	Warnings []PolicySaid `json:"warnings,omitempty"`
	Flags    []PolicySaid `json:"flags,omitempty"`
}

// PolicyRoute is where a ROUTE rule leads.
type PolicyRoute struct {
	RuleID            string `json:"rule_id"`
	Model             string `json:"model,omitempty"`
	Provider          string `json:"provider,omitempty"`
	Region            string `json:"region,omitempty"`
	KeepIfUnavailable bool   `json:"keep_if_unavailable,omitempty"`
}

// PolicySaid is a warning or a flag.
type PolicySaid struct {
	RuleID   string `json:"rule_id"`
	Message  string `json:"message,omitempty"`
	Severity string `json:"severity,omitempty"`
}

// PolicyStep is one line of a trace: what a rule, or one of its conditions, came
// to.
type PolicyStep struct {
	Rule      string `json:"rule"`
	Condition string `json:"condition,omitempty"` // "": the rule as a whole
	Input     string `json:"input,omitempty"`
	Result    bool   `json:"result"`
	Unknown   bool   `json:"unknown,omitempty"`
	Error     string `json:"error,omitempty"`
}

// PolicyCase is how a test of policies ended.
type PolicyCase struct {
	ID     string   `json:"id"`
	Passed bool     `json:"passed"`
	Faults []string `json:"faults,omitempty"` // what was expected, and what came
}

// DryRun asks what a policy would come to.
type DryRun struct {
	DSL     string
	Tenant  string
	Model   string
	Context map[string]any // further inputs; what is left out is not known
	Cases   []any          // tests, each with a context and what is expected
}

// PolicyLanguage reads policies. It is implemented by the policy stage, which the
// core does not know.
type PolicyLanguage interface {
	// Check finds the faults in one policy's text.
	Check(r PolicyRecord) []PolicyIssue
	// Conflicts finds what is at odds between the policies that are active
	// together, and within each.
	Conflicts(active []PolicyRecord) []PolicyIssue
	// DryRun evaluates a text. The error is about the text or the context.
	DryRun(d DryRun) (*PolicyResult, error)
}
