package policydoc

// Result is the decision of policies for one request, as shown to people and in the administrative API.
type Result struct {
	Status  string   `json:"status"` // ALLOWED, DENIED, or UNDETERMINED if an unknown input could deny
	Reason  string   `json:"reason,omitempty"`
	RuleID  string   `json:"rule_id,omitempty"`
	Millis  float64  `json:"evaluation_time_ms"`
	Matched []string `json:"matched"` // policy/rule of the rules that fired
	Effects Effects  `json:"effects"`
	Trace   []Step   `json:"trace,omitempty"`
	Unknown []string `json:"unknown_inputs"`
	Notes   []string `json:"warnings"`
	Cases   []Case   `json:"cases,omitempty"`
}

// Effects are the effects of the rules that fired.
type Effects struct {
	Route    *Route    `json:"route,omitempty"`
	Cap      int64     `json:"cap,omitempty"`    // tokens
	Redact   []string  `json:"redact,omitempty"` // types or patterns of types
	Warnings []Message `json:"warnings,omitempty"`
	Flags    []Message `json:"flags,omitempty"`
}

// Route is the target of a ROUTE rule.
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

// Step is one line of a trace: the result of a rule or of one of its conditions.
type Step struct {
	Rule      string `json:"rule"`
	Condition string `json:"condition,omitempty"` // "" for the rule as a whole
	Input     string `json:"input,omitempty"`
	Result    bool   `json:"result"`
	Unknown   bool   `json:"unknown,omitempty"`
	Error     string `json:"error,omitempty"`
}

// Case is the result of one policy test.
type Case struct {
	ID     string   `json:"id"`
	Passed bool     `json:"passed"`
	Faults []string `json:"faults,omitempty"` // expected and actual values that differ
}

// DryRun is a request to evaluate a policy without effect.
type DryRun struct {
	DSL     string
	Tenant  string
	Model   string
	Context map[string]any // further inputs; omitted ones are unknown
	Cases   []any          // tests, each with a context and an expectation
}

// Language parses and evaluates policies. The policy stage implements it; core must not import the stage.
type Language interface {
	// Check returns the faults in one policy's text.
	Check(r Record) []Issue
	// FindConflicts returns the conflicts within and between the active policies.
	FindConflicts(active []Record) []Issue
	// DryRun evaluates a text. The error concerns the text or the context.
	DryRun(d DryRun) (*Result, error)
}
