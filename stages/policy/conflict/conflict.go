package conflict

import (
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// Options contain the names that exist, and where policies are evaluated. Names are not checked against a nil list.
type Options struct {
	Providers []string
	Findings  Findings
}

// Findings reports whether policies are evaluated after the detectors and before a target is chosen.
type Findings uint8

// The chain for which policies are checked.
const (
	FindingsUnknown Findings = iota // no chain is known
	FindingsInTime                  // a policy link follows all detectors
	FindingsLate                    // none does
)

// finder collects issues.
type finder struct {
	Options
	set   *dsl.Set
	rules []*rule
	out   []policydoc.Issue
}

// Find returns conflicts between policies that are active together, and within each of them.
func Find(list []*dsl.Policy, o Options) []policydoc.Issue {
	f := &finder{Options: o, set: dsl.NewSet(list)}
	for i := range f.set.Rules {
		f.rules = append(f.rules, newRule(&f.set.Rules[i], i))
	}
	for _, r := range f.rules {
		f.checkRule(r)
	}
	for i, a := range f.rules {
		for _, b := range f.rules[i+1:] {
			if !a.vacant && !b.vacant {
				f.comparePair(a, b)
			}
		}
	}
	f.findCycles()
	f.checkReplacements()
	return f.out
}

// addIssue adds an issue about a, and about b if it is set.
func (f *finder) addIssue(code string, a, b *rule, witness map[string]string, format string, args ...any) {
	i := policydoc.Issue{
		Code: code, Level: FindLevel(code), Policy: a.Policy.Name, Rule: a.ID, Line: a.Line, Text: fmt.Sprintf(format, args...), Witness: witness,
	}
	if b != nil {
		i.Other = b.Label
	}
	if witness != nil && (a.loose || b != nil && b.loose) { // an expression may keep them apart
		i.Level = policydoc.IssueInfo
	}
	f.out = append(f.out, i)
}

// checkRule checks a single rule.
func (f *finder) checkRule(r *rule) {
	if r.vacant {
		f.addIssue(NeverMatches, r, nil, nil, "rule %s never fires: its conditions contradict each other", r.Label)
	} else if r.Action == dsl.Deny && r.firesAlways() {
		f.addIssue(MatchesEverything, r, nil, nil, "rule %s denies every request that its policy is about", r.Label)
	}
	f.findRoutesByFindings(r)
	f.findLists(r, r)
	for _, list := range [][]dsl.Condition{r.Conditions, r.Unless} {
		for _, c := range list {
			for _, t := range c.Tests {
				f.checkNames(r, &t)
			}
		}
	}
	for _, g := range r.Params.Types {
		f.checkPIIType(r, g)
	}
	if p := r.Params.Provider; p != "" {
		f.checkProvider(r, p)
	}
	for _, name := range r.Params.Exempts {
		f.checkExemption(r, name)
	}
}

func (f *finder) checkNames(r *rule, t *dsl.Test) {
	for _, g := range t.Globs {
		switch t.Attr {
		case dsl.PIITypes, dsl.ResponsePII:
			if t.Op == dsl.OpAny {
				f.checkPIIType(r, g)
			}
		case dsl.Provider:
			if g.IsExact() {
				f.checkProvider(r, g.Text)
			}
		case dsl.KeyID:
			if !match.CanBeID(g.Text) {
				f.addIssue(KeyByName, r, nil, nil, "rule %s compares ids of keys with %q, which no id matches; names do not count:"+
					" write the id that `headgate keys list` shows", r.Label, g.Text)
			}
		}
	}
}

func (f *finder) checkPIIType(r *rule, g dsl.Glob) {
	for _, known := range dsl.PIITypeNames {
		if g.Matches(known) {
			return
		}
	}
	f.addIssue(UnknownReference, r, nil, nil, "rule %s names the type %q, which is none of personal data that is built in", r.Label, g.Text)
}

func (f *finder) checkProvider(r *rule, name string) {
	if f.Providers != nil && !slices.Contains(f.Providers, name) {
		f.addIssue(UnknownReference, r, nil, nil, "rule %s names the provider %q, which is unknown", r.Label, name)
	}
}

// checkExemption checks a name in an ALLOW rule.
func (f *finder) checkExemption(r *rule, name string) {
	var platform *rule
	for _, b := range f.rules {
		if b == r || !dsl.Names(name, b.PlacedRule) {
			continue
		}
		if dsl.Exempts(r.PlacedRule, name, b.PlacedRule) {
			if b.IsAboutResponse() != r.IsAboutResponse() && !b.IsAboutResponse() {
				f.addIssue(
					dsl.CodeStageConflict,
					r,
					b,
					nil,
					"rule %s would exempt from %s when that has been decided already: it waits for the answer",
					r.Label,
					b.Label,
				)
			}
			return
		}
		if b.Policy.IsPlatform() {
			platform = b
		}
	}
	if platform != nil {
		f.addIssue(ExemptsPlatform, r, platform, nil, "rule %s of a tenant cannot exempt from %s, which is the platform's", r.Label, platform.Label)
		return
	}
	f.addIssue(UnknownReference, r, nil, nil, "rule %s exempts from %q, and there is no such rule", r.Label, name)
}

// checkReplacements looks for policies that a shadow policy would replace.
func (f *finder) checkReplacements() {
	for _, p := range f.set.Policies {
		if p.Replaces == "" || len(p.Rules) == 0 {
			continue
		}
		if !slices.ContainsFunc(f.set.Policies, func(o *dsl.Policy) bool { return o != p && (o.ID == p.Replaces || o.Name == p.Replaces) }) {
			f.out = append(f.out, policydoc.Issue{
				Code: UnknownReference, Level: FindLevel(UnknownReference), Policy: p.Name,
				Text: fmt.Sprintf("policy %s replaces %q, and there is no such policy", p.Name, p.Replaces),
			})
		}
	}
}
