package policies

import (
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

var states = []string{policydoc.Draft, policydoc.Active, policydoc.Shadow, policydoc.Archived}

// Activation is a policy that has a new state, and what that is at odds with.
type Activation struct {
	Policy policydoc.Record
	Issues []policydoc.Issue
}

// Warnings are the issues as lines, "CODE: text".
func (a Activation) Warnings() []string {
	out := make([]string, len(a.Issues))
	for i := range a.Issues {
		out[i] = a.Issues[i].String()
	}
	return out
}

// SetStatus changes the state of a policy. One that becomes active is held
// against the others that are; what is found never stops it.
func (s *Service) SetStatus(ctx context.Context, id, status string) (a Activation, err error) {
	if !slices.Contains(states, status) {
		return a, invalid("status", "%q is not one of DRAFT, ACTIVE, SHADOW and ARCHIVED", status)
	}
	if err := s.changeable(id); err != nil {
		return a, err
	}
	a.Policy, err = s.Store.Policies().Change(ctx, id, func(p *policydoc.Record) error {
		if err := s.Before(*p); err != nil {
			return err
		}
		p.Status = status
		if status == policydoc.Active || status == policydoc.Shadow {
			return s.check(*p) // the language may have grown stricter since it was saved
		}
		return nil
	})
	if err != nil {
		return a, unwrapStoreError(err)
	}
	if status == policydoc.Active {
		a.Issues, err = s.conflicts(ctx, a.Policy)
	}
	return a, err
}

// Promote makes a policy in shadow active, as a new version, and lets go of its
// events.
func (s *Service) Promote(ctx context.Context, id string) (a Activation, err error) {
	if err := s.changeable(id); err != nil {
		return a, err
	}
	a.Policy, err = s.Store.Policies().Change(ctx, id, func(p *policydoc.Record) error {
		if err := s.Before(*p); err != nil {
			return err
		}
		if p.Status != policydoc.Shadow {
			return invalid("", "only a policy in SHADOW can be promoted; this one is %s", p.Status)
		}
		p.Status = policydoc.Active
		p.Version++
		return s.check(*p)
	})
	if err != nil {
		return a, unwrapStoreError(err)
	}
	if err := s.Store.ShadowEvents().Delete(ctx, id); err != nil {
		return a, err
	}
	s.Mutated(ctx, a.Policy)
	a.Issues, err = s.conflicts(ctx, a.Policy)
	return a, err
}

// conflicts finds what is at odds because a policy is active.
func (s *Service) conflicts(ctx context.Context, p policydoc.Record) ([]policydoc.Issue, error) {
	all, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	return s.because(p, slices.DeleteFunc(all, func(o policydoc.Record) bool { return o.ID == p.ID })), nil
}

// because finds what is at odds because a policy is active beside others. Issues name policies as their texts do, which
// may not be the name of the record, so they are told by what is at odds without it.
func (s *Service) because(p policydoc.Record, others []policydoc.Record) []policydoc.Issue {
	without, own := s.Language.Conflicts(others), []policydoc.Issue{}
	for _, i := range s.Language.Conflicts(append(slices.Clone(others), p)) {
		if !slices.ContainsFunc(without, func(o policydoc.Issue) bool { return o.Code == i.Code && o.Text == i.Text }) {
			own = append(own, i)
		}
	}
	return own
}

// Checked is what was found in the text of a policy.
type Checked struct {
	// Issues are those of the text itself, Conflicts those with policies that are active.
	Issues, Conflicts []policydoc.Issue
}

// Try checks a text, and what it would be at odds with if it were active. Nothing is stored.
func (s *Service) Try(ctx context.Context, p policydoc.Record) (c Checked, err error) {
	c.Issues = s.Language.Check(p)
	if slices.ContainsFunc(c.Issues, func(i policydoc.Issue) bool { return i.Level == policydoc.IssueError }) {
		return c, nil // there are no rules to hold against others
	}
	p.Status = policydoc.Active
	found, err := s.conflicts(ctx, p)
	for _, i := range found {
		if !slices.ContainsFunc(c.Issues, func(o policydoc.Issue) bool { return o.Code == i.Code && o.Text == i.Text }) {
			c.Conflicts = append(c.Conflicts, i)
		}
	}
	return c, err
}

// Conflicts finds what is at odds between all policies that are active.
func (s *Service) Conflicts(ctx context.Context) ([]policydoc.Issue, error) {
	all, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	return s.Language.Conflicts(all), nil
}

func (s *Service) active(ctx context.Context) ([]policydoc.Record, error) {
	all, err := s.All(ctx)
	return slices.DeleteFunc(all, func(p policydoc.Record) bool { return p.Status != policydoc.Active }), err
}
