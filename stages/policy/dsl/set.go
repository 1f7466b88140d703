package dsl

import (
	"slices"
	"strings"
)

// Set contains the policies that apply to a request together: those of the platform, then those of its tenant. It is
// immutable.
type Set struct {
	Policies []*Policy
	Rules    []PlacedRule
	needs    Attrs
}

// PlacedRule is a rule with its policy.
type PlacedRule struct {
	*Rule
	Policy *Policy
	// exempts are the places of the rules from which an ALLOW rule exempts.
	exempts []int
	allowed []int // the places of the ALLOW rules that exempt from this rule
}

// NewSet sorts policies: the platform's first, older before younger.
func NewSet(list []*Policy) *Set {
	s := &Set{Policies: slices.Clone(list)}
	slices.SortStableFunc(s.Policies, func(a, b *Policy) int {
		if a.IsPlatform() != b.IsPlatform() {
			if a.IsPlatform() {
				return -1
			}
			return 1
		}
		return a.Created.Compare(b.Created)
	})
	for _, p := range s.Policies {
		for _, r := range p.Rules {
			s.Rules = append(s.Rules, PlacedRule{Rule: r, Policy: p})
			s.needs |= r.Effective()
		}
	}
	for i := range s.Rules {
		for _, name := range s.Rules[i].Params.Exempts {
			for j := range s.Rules {
				if i != j && Exempts(&s.Rules[i], name, &s.Rules[j]) {
					s.Rules[i].exempts = append(s.Rules[i].exempts, j)
					s.Rules[j].allowed = append(s.Rules[j].allowed, i)
				}
			}
		}
	}
	return s
}

// Needs returns the inputs of all rules.
func (s *Set) Needs() Attrs { return s.needs }

// Exempts reports whether the ALLOW rule a may exempt from rule b by that name. It may if both belong to the same
// tenant, or if a is a rule of the platform.
func Exempts(a *PlacedRule, name string, b *PlacedRule) bool {
	return (a.Policy.IsPlatform() || a.Policy.Tenant == b.Policy.Tenant) && Names(name, b)
}

// Names reports whether name refers to rule b: its id, or policy/id.
func Names(name string, b *PlacedRule) bool {
	if policy, id, ok := strings.Cut(name, "/"); ok {
		return id == b.ID && (policy == b.Policy.Name || policy == b.Policy.ID)
	}
	return name == b.ID
}

// ListExemptions returns the places of the rules from which rule i exempts.
func (s *Set) ListExemptions(i int) []int { return s.Rules[i].exempts }

// Precedes reports whether a is reported rather than b if both deny: the platform's rule, then the one of higher
// priority, then the older, then the first in its file.
func (s *Set) Precedes(a, b int) bool {
	x, y := &s.Rules[a], &s.Rules[b]
	if x.Policy.IsPlatform() != y.Policy.IsPlatform() {
		return x.Policy.IsPlatform()
	}
	if x.Priority != y.Priority {
		return x.Priority > y.Priority
	}
	return a < b
}
