package conflict

import (
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// listed are the attributes that have both a list of allowed values and one of denied values.
var listed = [...]dsl.Attr{dsl.Model, dsl.Provider, dsl.Region, dsl.ToolNames}

// findLists finds entries that a's list allows by name and b denies. The denial wins, so the entry allows nothing. For a
// single rule, passed as both, it compares its alternatives, and lists that are ANDed.
func (f *finder) findLists(a, b *rule) {
	if a.Action != dsl.Deny || b.Action != dsl.Deny || a.loose || b.loose || a.IsAboutResponse() != b.IsAboutResponse() {
		return
	}
	for _, attr := range listed {
		in := input{attr: attr}
		if a == b && !a.Any {
			f.findAndedLists(a, in)
			continue
		}
		for i, x := range a.boxes {
			for j, y := range b.boxes {
				if a != b || i != j {
					f.findDeniedEntries(a, b, x, y, in)
				}
			}
		}
	}
}

// findDeniedEntries reports the entries of x's list that y denies.
func (f *finder) findDeniedEntries(a, b *rule, x, y *box, in input) {
	allow, deny := x.findOnlyList(in, false), y.findOnlyList(in, true)
	if allow == nil || deny == nil {
		return
	}
	var dead []string
	for _, g := range allow.globs {
		if _, found := findCommon([]texts{{globs: []dsl.Glob{g}, within: true}, deny.complement()}); found == none {
			dead = append(dead, g.Text)
		}
	}
	rest := intersectBoxes(x, y)
	delete(rest.texts, in)
	delete(rest.members, in)
	w, ok := rest.findMember()
	if dead == nil || !ok {
		return
	}
	w[in.String()] = dead[0]
	other := b
	if a == b {
		other = nil
	}
	f.addIssue(
		AllowDenyOverlap,
		a,
		other,
		w,
		"rule %s lists %s of what is allowed as %s, and rule %s denies that: the denial counts; take it off one of the lists",
		a.Label,
		in,
		strings.Join(dead, ", "),
		b.Label,
	)
}

// findOnlyList returns the only list of denied, or allowed, values of an input, or nil if the box has other tests of that
// input.
func (b *box) findOnlyList(in input, denied bool) *texts {
	list := b.texts[in]
	if in.attr == dsl.ToolNames {
		list = b.members[in]
	}
	if len(list) != 1 || list[0].within != denied {
		return nil
	}
	return &list[0]
}

// findAndedLists reports two lists that one rule has about one input: it fires only if both match.
func (f *finder) findAndedLists(r *rule, in input) {
	named := func(list string) bool {
		return slices.ContainsFunc(r.Conditions, func(c dsl.Condition) bool { return strings.HasSuffix(c.Name, list) && isAboutInput(&c, in) })
	}
	if r.vacant || !named("allowlist") || !named("denylist") {
		return
	}
	f.addIssue(
		AllowDenyOverlap,
		r,
		nil,
		nil,
		"rule %s has a list of what is allowed and one of what is denied of %s, and denies only what is on the second and not on the first; for both lists write two rules, or match: any",
		r.Label,
		in,
	)
	f.out[len(f.out)-1].Level = policydoc.IssueInfo // an exception may be meant
}

func isAboutInput(c *dsl.Condition, in input) bool {
	return slices.ContainsFunc(c.Tests, func(t dsl.Test) bool { return t.Attr == in.attr })
}

// findRoutesByFindings reports a rule that chooses a route by what detectors find. If no policy link follows the detectors,
// the findings arrive after the targets were planned.
func (f *finder) findRoutesByFindings(r *rule) {
	if r.Action != dsl.Route || r.IsAboutResponse() || r.Effective()&dsl.Contents == 0 {
		return
	}
	switch f.Findings {
	case FindingsLate:
		f.addIssue(
			RouteTooLate,
			r,
			nil,
			nil,
			"rule %s routes by what detectors find, and no policy link of the chain stands behind all detectors, so it has no effect; write a second policy link behind them",
			r.Label,
		)
	case FindingsUnknown:
		f.addIssue(
			RouteTooLate,
			r,
			nil,
			nil,
			"rule %s routes by what detectors find, which needs a policy link behind all detectors of the chain; without it the rule has no effect",
			r.Label,
		)
		f.out[len(f.out)-1].Level = policydoc.IssueInfo
	case FindingsInTime:
	}
}
