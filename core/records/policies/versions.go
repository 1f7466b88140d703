package policies

import (
	"context"
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// ListVersions returns the versions of a policy, newest first.
func (s *Service) ListVersions(ctx context.Context, id string) ([]policydoc.Record, error) {
	if p, ok := s.findInFile(id); ok {
		return []policydoc.Record{p}, nil
	}
	list, err := s.Store.Policies().ListVersions(ctx, id)
	return list, mapNotFound(err)
}

// Rollback stores an old version as a new one. The state does not change.
func (s *Service) Rollback(ctx context.Context, id string, version int64) (policydoc.Record, error) {
	if err := s.checkChangeable(id); err != nil {
		return policydoc.Record{}, err
	}
	list, err := s.ListVersions(ctx, id)
	if err != nil {
		return policydoc.Record{}, err
	}
	for _, old := range list {
		if old.Version == version {
			return s.Update(ctx, id, Fields{Name: &old.Name, Description: &old.Description, DSL: &old.DSL})
		}
	}
	return policydoc.Record{}, &core.Error{
		Kind:   core.NotFound,
		Code:   core.CodeNotFound,
		Public: fmt.Sprintf("the policy has no version %d; it may have been removed", version),
	}
}

// Delete deletes a policy with its versions and events.
func (s *Service) Delete(ctx context.Context, id string) error {
	if err := s.checkChangeable(id); err != nil {
		return err
	}
	return unwrapStoreError(s.Store.Policies().Delete(ctx, id, s.Before))
}

// DryRun evaluates a text. If the tenant exists, it adds what is known of it to the inputs.
func (s *Service) DryRun(ctx context.Context, d policydoc.DryRun) (*policydoc.Result, error) {
	if d.Tenant != "" && d.Context["tenant_metadata"] == nil && d.Context["tenant_md"] == nil && d.Context["tenant"] == nil {
		tenants, err := s.Store.Tenants().List(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range tenants {
			if t.ID == d.Tenant {
				c := map[string]any{"tenant_metadata": t.Metadata}
				for k, v := range d.Context {
					c[k] = v
				}
				d.Context = c
			}
		}
	}
	r, err := s.Language.DryRun(d)
	if err != nil {
		return nil, newInvalidError("dsl", "%v", err)
	}
	return r, nil
}
