package dsl

import "github.com/headgate-dev/headgate/core/records/policies/policydoc"

// The parts of results.
type (
	Result  = policydoc.Result
	Effects = policydoc.Effects
	Routed  = policydoc.Route
	Said    = policydoc.Message
	Step    = policydoc.Step
)

// Decide evaluates all rules of a set at once, on the facts that are known.
func Decide(s *Set, f *Facts) *Result {
	var d Decision
	d.Begin(s)
	d.EvaluateRules(f, s.ListRules())
	r := &Result{Status: d.FindStatus(f), Matched: []string{}, Unknown: []string{}, Notes: []string{}}
	if r.Status == Denied && d.Denier >= 0 {
		r.RuleID, r.Reason = s.Rules[d.Denier].ID, d.FindReason(d.Denier)
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
		if d.FindState(i) == Unknown || d.FindState(i) == True && s.Rules[i].Action.Requires() {
			missing |= s.Rules[i].Effective() &^ f.Known
		}
	}
	r.Unknown = missing.Names()
	return r
}
