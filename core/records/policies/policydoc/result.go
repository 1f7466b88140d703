package policydoc

// Result is what policies come to for one request, as people and the
// administrative API read it.
type Result struct {
	Status  string   `json:"status"` // ALLOWED, DENIED, or UNDETERMINED: an input that is not known could deny
	Reason  string   `json:"reason,omitempty"`
	RuleID  string   `json:"rule_id,omitempty"`
	Millis  float64  `json:"evaluation_time_ms"`
	Matched []string `json:"matched"` // policy/rule of those that fired
	Effects Effects  `json:"effects"`
	Trace   []Step   `json:"trace,omitempty"`
	Unknown []string `json:"unknown_inputs"`
	Notes   []string `json:"warnings"`
	Cases   []Case   `json:"cases,omitempty"`
}

// Effects are what rules that fired ask for.
type Effects struct {
	Route    *Route    `json:"route,omitempty"`
	Cap      int64     `json:"cap,omitempty"`    // tokens
	Redact   []string  `json:"redact,omitempty"` // types, or patterns of such
	Warnings []Message `json:"warnings,omitempty"`
	Flags    []Message `json:"flags,omitempty"`
}

// Route is where a ROUTE rule leads.
type Route struct {
	RuleID            string `json:"rule_id"`
	Model             string `json:"model,omitempty"`
	Provider          string `json:"provider,omitempty"`
	Region            string `json:"region,omitempty"`
	KeepIfUnavailable bool   `json:"keep_if_unavailable,omitempty"`
}

// Message is a warning or a flag.
type Message struct {
	RuleID   string `json:"rule_id"`
	Message  string `json:"message,omitempty"`
	Severity string `json:"severity,omitempty"`
}

// Step is one line of a trace: what a rule, or one of its conditions, came
// to.
type Step struct {
	Rule      string `json:"rule"`
	Condition string `json:"condition,omitempty"` // "": the rule as a whole
	Input     string `json:"input,omitempty"`
	Result    bool   `json:"result"`
	Unknown   bool   `json:"unknown,omitempty"`
	Error     string `json:"error,omitempty"`
}

// Case is how a test of policies ended.
type Case struct {
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

// Language reads policies. It is implemented by the policy stage, which the
// core does not know.
type Language interface {
	// Check finds the faults in one policy's text.
	Check(r Record) []Issue
	// Conflicts finds what is at odds between the policies that are active
	// together, and within each.
	Conflicts(active []Record) []Issue
	// DryRun evaluates a text. The error is about the text or the context.
	DryRun(d DryRun) (*Result, error)
}
