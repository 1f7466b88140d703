package dsl

// Result is a decision as people and the administrative API read it.
type Result struct {
	Status  Status   `json:"status"`
	Reason  string   `json:"reason,omitempty"`
	RuleID  string   `json:"rule_id,omitempty"`
	Millis  float64  `json:"evaluation_time_ms"`
	Matched []string `json:"matched"` // policy/rule
	Effects Effects  `json:"effects"`
	Trace   []Step   `json:"trace,omitempty"`
	Unknown []string `json:"unknown_inputs"`
	Notes   []string `json:"warnings"`
}

// Effects are what rules that fired ask for.
type Effects struct {
	Route    *Routed  `json:"route,omitempty"`
	Cap      int64    `json:"cap,omitempty"`
	Redact   []string `json:"redact,omitempty"`
	Warnings []Said   `json:"warnings,omitempty"`
	Flags    []Said   `json:"flags,omitempty"`
}

// Routed is where a ROUTE rule leads.
type Routed struct {
	RuleID            string `json:"rule_id"`
	Model             string `json:"model,omitempty"`
	Provider          string `json:"provider,omitempty"`
	Region            string `json:"region,omitempty"`
	KeepIfUnavailable bool   `json:"keep_if_unavailable,omitempty"`
}

// Said is a warning or a flag.
type Said struct {
	RuleID   string `json:"rule_id"`
	Message  string `json:"message,omitempty"`
	Severity string `json:"severity,omitempty"`
}

// Decide evaluates all rules of a set at once, as far as the facts are known.
func Decide(s *Set, f *Facts) *Result {
	var d Decision
	d.Begin(s)
	d.Ask(f, s.Everything())
	r := &Result{Status: d.Status(f), Matched: []string{}, Unknown: []string{}, Notes: []string{}}
	if r.Status == Denied && d.Denier >= 0 {
		r.RuleID, r.Reason = s.Rules[d.Denier].ID, d.Reason(d.Denier)
	}
	for i := range s.Rules {
		if err := d.Error(i); err != nil {
			r.Notes = append(r.Notes, s.Rules[i].Label+": "+err.Error())
		}
	}
	r.Effects.Cap, r.Effects.Redact = d.Cap, d.RedactTypes()
	if d.Route >= 0 {
		x := s.Rules[d.Route]
		p := x.Params
		r.Effects.Route = &Routed{RuleID: x.ID, Model: p.Model, Provider: p.Provider, Region: p.Region, KeepIfUnavailable: p.KeepIfUnavailable}
	}
	for _, i := range d.Matched {
		x := s.Rules[i]
		r.Matched = append(r.Matched, x.Label)
		switch x.Action {
		case WarnAgent:
			r.Effects.Warnings = append(r.Effects.Warnings, Said{RuleID: x.ID, Message: x.Params.Message})
		case Flag:
			r.Effects.Flags = append(r.Effects.Flags, Said{RuleID: x.ID, Severity: x.Params.Severity})
		}
	}
	var missing Attrs
	for i := range s.Rules {
		if d.State(i) == Unknown || d.State(i) == True && s.Rules[i].Action.Requires() {
			missing |= s.Rules[i].Effective() &^ f.Known
		}
	}
	r.Unknown = missing.Names()
	return r
}
