package dsl

import (
	"strings"
	"time"
)

// Limits of a policy's text.
const (
	MaxSource  = 256 << 10 // bytes
	MaxRules   = 1000
	MaxMessage = 500 // bytes of a deny_message
)

// Policy is one parsed policy. It is immutable once it is in use.
type Policy struct {
	ID          string // given by the caller; by default the name
	Name        string
	Description string
	Tenant      string // empty for a policy of the platform
	Scoped      bool   // the text says whose it is
	Replaces    string // id or name of the policy that a shadow replaces
	Rules       []*Rule
	Version     int       // of the record
	Created     time.Time // older policies are reported first
}

// IsPlatform reports whether the policy applies to every tenant.
func (p *Policy) IsPlatform() bool { return p.Tenant == "" }

// Scope returns the owner of the policy as text.
func (p *Policy) Scope() string {
	if p.IsPlatform() {
		return scopePlatform
	}
	return scopeTenant + p.Tenant
}

const (
	scopePlatform = "platform"
	scopeTenant   = "tenant:"
)

// Phase is when a rule runs.
type Phase uint8

// Phases of rules. A rule without a phase runs as early as its inputs allow.
const (
	AnyPhase Phase = iota
	OnRequest
	OnResponse
)

// Rule is one rule.
type Rule struct {
	ID          string
	Line        int
	Phase       Phase
	Priority    int
	Any         bool // one condition is enough
	Conditions  []Condition
	Unless      []Condition // when all of them hold, the rule does not fire
	When        string      // CEL; optional
	Action      Action
	Params      Params
	DenyMessage string
	SkipOnError bool
	Label       string // policy/rule
	Revision    string // of the policy's text

	cel   *expression
	needs Attrs
}

// Needs returns the inputs of the rule's conditions.
func (r *Rule) Needs() Attrs { return r.needs }

// Effective returns the inputs that the rule needs to take effect: a requirement depends on more than the conditions,
// and redaction on the findings.
func (r *Rule) Effective() Attrs { return r.needs | r.Action.listInputs() }

// IsAboutResponse reports whether the rule is about the answer.
func (r *Rule) IsAboutResponse() bool { return r.Phase == OnResponse || r.needs&Answers != 0 }

// Denial returns the message for the client of a denied request.
func (r *Rule) Denial() string {
	if r.DenyMessage != "" {
		return r.DenyMessage
	}
	if r.Action.Requires() {
		return "the policy rule " + r.Label + " asks for what this request does not meet: " + strings.ToLower(string(r.Action))
	}
	return "the policy rule " + r.Label + " does not allow this request"
}

// Eval returns whether the rule fires. An error comes from its CEL expression.
func (r *Rule) Eval(f *Facts) (Truth, error) {
	t, err := r.eval(f)
	if t == Unknown && f.Whole && err == nil {
		return False, nil
	}
	return t, err
}

func (r *Rule) eval(f *Facts) (Truth, error) {
	t := r.match(f)
	if t == False {
		return False, nil
	}
	if len(r.Unless) > 0 {
		if t = conjoinTruths(t, negateTruth(evalAll(r.Unless, f))); t == False {
			return False, nil
		}
	}
	if r.cel == nil {
		return t, nil
	}
	w, err := r.cel.eval(f)
	if err != nil {
		return Unknown, err
	}
	return conjoinTruths(t, w), nil
}

func (r *Rule) match(f *Facts) Truth {
	if !r.Any || len(r.Conditions) == 0 {
		return evalAll(r.Conditions, f)
	}
	t := False
	for i := range r.Conditions {
		if t = disjoinTruths(t, r.Conditions[i].eval(f)); t == True {
			break
		}
	}
	return t
}

func evalAll(list []Condition, f *Facts) Truth {
	t := True
	for i := range list {
		if t = conjoinTruths(t, list[i].eval(f)); t == False {
			break
		}
	}
	return t
}
