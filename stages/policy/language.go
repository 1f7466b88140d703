package policy

import (
	"errors"
	"time"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/conflict"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// Language parses policies for the control plane. It is the same parser that serves requests.
type Language struct {
	Now func() time.Time
	// Providers returns the names that policies may use. Optional: without it, names are not checked.
	Providers func() []string
	// Findings reports whether a policy link follows all detectors. Optional: without it, no chain is known.
	Findings func() conflict.Findings
}

var _ policydoc.Language = Language{}

// Check returns the faults in one policy's text.
func (l Language) Check(r policydoc.Record) []policydoc.Issue {
	p, err := parseRecord(&r)
	if err != nil {
		return ListIssues(err)
	}
	return conflict.Find([]*dsl.Policy{p}, l.buildOptions())
}

// FindConflicts returns conflicts between policies that are active together. A text that does not parse is reported, and
// the others are compared.
func (l Language) FindConflicts(active []policydoc.Record) []policydoc.Issue {
	var list []*dsl.Policy
	out := []policydoc.Issue{}
	for i := range active {
		p, err := parseRecord(&active[i])
		if err != nil {
			out = append(out, ListIssues(err)...)
			continue
		}
		list = append(list, p)
	}
	return append(out, conflict.Find(list, l.buildOptions())...)
}

func (l Language) buildOptions() conflict.Options {
	var o conflict.Options
	if l.Providers != nil {
		o.Providers = l.Providers()
	}
	if l.Findings != nil {
		o.Findings = l.Findings()
	}
	return o
}

// ListIssues returns the faults in a parser's error, one by one.
func ListIssues(err error) []policydoc.Issue {
	var list dsl.Problems
	if !errors.As(err, &list) {
		return []policydoc.Issue{{Code: dsl.CodeInvalid, Level: policydoc.IssueError, Text: err.Error()}}
	}
	out := make([]policydoc.Issue, len(list))
	for i, p := range list {
		out[i] = policydoc.Issue{
			Code: p.Code, Level: conflict.FindLevel(p.Code), Policy: p.Policy, Rule: p.Rule, Line: p.Line, Column: p.Column, Text: p.String(),
		}
	}
	return out
}

// DryRun evaluates a text with the known facts about a request.
func (l Language) DryRun(d policydoc.DryRun) (*policydoc.Result, error) {
	p, err := dsl.Parse([]byte(d.DSL), "dry-run", "")
	if err != nil {
		return nil, err
	}
	if !p.Scoped {
		p.Tenant = d.Tenant
	}
	known := map[string]any{}
	if d.Tenant != "" {
		known["tenant_id"] = d.Tenant
	}
	if d.Model != "" {
		known["model"] = d.Model
	}
	for k, v := range d.Context {
		known[k] = v
	}
	f, err := dsl.ParseContext(known, false, l.Now())
	if err != nil {
		return nil, err
	}
	began := time.Now()
	set := dsl.NewSet([]*dsl.Policy{p})
	r := dsl.Decide(set, f)
	r.Millis = float64(time.Since(began).Microseconds()) / 1000
	r.Trace = dsl.TraceRules(set, f)
	for _, i := range conflict.Find([]*dsl.Policy{p}, l.buildOptions()) {
		r.Notes = append(r.Notes, i.String())
	}
	if len(d.Cases) > 0 {
		if r.Cases, err = dsl.RunCases(set, d.Cases, l.Now()); err != nil {
			return nil, err
		}
	}
	return r, nil
}
