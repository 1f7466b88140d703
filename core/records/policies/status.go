package policies

import (
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

var states = []string{policydoc.Draft, policydoc.Active, policydoc.Shadow, policydoc.Archived}

// Activation is a policy whose state changed, with the conflicts that this causes.
type Activation struct {
	Policy policydoc.Record
	Issues []policydoc.Issue
}

// Warnings returns the issues as lines, "CODE: text".
func (a Activation) Warnings() []string {
	out := make([]string, len(a.Issues))
	for i := range a.Issues {
		out[i] = a.Issues[i].String()
	}
	return out
}

// SetStatus changes the state of a policy. When a policy becomes active, it is checked against the other active ones.
// Conflicts are reported but do not prevent the change.
func (s *Service) SetStatus(ctx context.Context, id, status string) (a Activation, err error) {
	if !slices.Contains(states, status) {
		return a, newInvalidError("status", "%q is not one of DRAFT, ACTIVE, SHADOW and ARCHIVED", status)
	}
	if err := s.checkChangeable(id); err != nil {
		return a, err
	}
	a.Policy, err = s.Store.Policies().Change(ctx, id, func(p *policydoc.Record) error {
		if err := s.Before(*p); err != nil {
			return err
		}
		p.Status = status
		if status == policydoc.Active || status == policydoc.Shadow {
			return s.check(*p) // the language may have become stricter since it was saved
		}
		return nil
	})
	if err != nil {
		return a, unwrapStoreError(err)
	}
	if status == policydoc.Active {
		a.Issues, err = s.findConflicts(ctx, a.Policy)
	}
	return a, err
}

// Promote activates a policy in shadow mode as a new version and deletes its events.
func (s *Service) Promote(ctx context.Context, id string) (a Activation, err error) {
	if err := s.checkChangeable(id); err != nil {
		return a, err
	}
	a.Policy, err = s.Store.Policies().Change(ctx, id, func(p *policydoc.Record) error {
		if err := s.Before(*p); err != nil {
			return err
		}
		if p.Status != policydoc.Shadow {
			return newInvalidError("", "only a policy in SHADOW can be promoted; this one is %s", p.Status)
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
	a.Issues, err = s.findConflicts(ctx, a.Policy)
	return a, err
}

// findConflicts returns the conflicts that arise because a policy is active.
func (s *Service) findConflicts(ctx context.Context, p policydoc.Record) ([]policydoc.Issue, error) {
	all, err := s.listActive(ctx)
	if err != nil {
		return nil, err
	}
	return s.findAddedConflicts(p, slices.DeleteFunc(all, func(o policydoc.Record) bool { return o.ID == p.ID })), nil
}

// findAddedConflicts returns the conflicts that a policy adds to those of the others. Issues name policies by their texts, which
// may differ from the record's name, so it compares the conflicts with and without the policy.
func (s *Service) findAddedConflicts(p policydoc.Record, others []policydoc.Record) []policydoc.Issue {
	without, own := s.Language.FindConflicts(others), []policydoc.Issue{}
	for _, i := range s.Language.FindConflicts(append(slices.Clone(others), p)) {
		if !slices.ContainsFunc(without, func(o policydoc.Issue) bool { return o.Code == i.Code && o.Text == i.Text }) {
			own = append(own, i)
		}
	}
	return own
}

// CheckResult is the result of checking a policy's text.
type CheckResult struct {
	// Issues are faults of the text itself. Conflicts are with active policies.
	Issues, Conflicts []policydoc.Issue
}

// CheckActivation checks a text and the conflicts that it would cause if it were active. It stores nothing.
func (s *Service) CheckActivation(ctx context.Context, p policydoc.Record) (c CheckResult, err error) {
	c.Issues = s.Language.Check(p)
	if slices.ContainsFunc(c.Issues, func(i policydoc.Issue) bool { return i.Level == policydoc.IssueError }) {
		return c, nil // without valid rules there is nothing to compare
	}
	p.Status = policydoc.Active
	found, err := s.findConflicts(ctx, p)
	for _, i := range found {
		if !slices.ContainsFunc(c.Issues, func(o policydoc.Issue) bool { return o.Code == i.Code && o.Text == i.Text }) {
			c.Conflicts = append(c.Conflicts, i)
		}
	}
	return c, err
}

// FindConflicts returns the conflicts between all active policies.
func (s *Service) FindConflicts(ctx context.Context) ([]policydoc.Issue, error) {
	all, err := s.listActive(ctx)
	if err != nil {
		return nil, err
	}
	return s.Language.FindConflicts(all), nil
}

func (s *Service) listActive(ctx context.Context) ([]policydoc.Record, error) {
	all, err := s.ListAll(ctx)
	return slices.DeleteFunc(all, func(p policydoc.Record) bool { return p.Status != policydoc.Active }), err
}
