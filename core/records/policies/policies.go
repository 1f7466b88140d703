// Package policies manages policies: their texts, versions and states, and the results of those in shadow mode. It does
// not know the policy language; the policy stage implements it.
package policies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CodeManagedByFile is the error code for changing a policy that the configuration file defines.
const CodeManagedByFile = "MANAGED_BY_FILE"

// Options configure a Service. Store and Language are required.
type Options struct {
	Store    *store.DB
	Language policydoc.Language
	// NewID returns the id of a new policy.
	NewID func() string
	// File returns the policies of the configuration file. Optional.
	File func() []policydoc.Record
	// Mutated is called after a promoted policy is stored. Optional.
	Mutated func(ctx context.Context, p policydoc.Record)
	// Before is called with the current policy before it is changed or deleted. An error prevents the change and is
	// returned. Optional.
	Before func(p policydoc.Record) error
}

// Service implements the operations on policies. It returns errors of type core.Error, or faults.
type Service struct{ Options }

// New returns a service.
func New(o Options) *Service {
	if o.File == nil {
		o.File = func() []policydoc.Record { return nil }
	}
	if o.Mutated == nil {
		o.Mutated = func(context.Context, policydoc.Record) {}
	}
	if o.Before == nil {
		o.Before = func(policydoc.Record) error { return nil }
	}
	return &Service{o}
}

// WithCheck returns a copy of the service that calls check before each change.
func (s *Service) WithCheck(check func(p policydoc.Record) error) *Service {
	o := s.Options
	o.Before = check
	return &Service{o}
}

// WithIDs returns a copy of the service that takes the ids of new policies from newID.
func (s *Service) WithIDs(newID func() string) *Service {
	o := s.Options
	o.NewID = newID
	return &Service{o}
}

// Fields are the fields of a client's request. A nil field keeps its value, or is empty in a new policy.
type Fields struct{ Name, Tenant, Description, DSL *string }

// ListAll returns the policies of the file and of the store.
func (s *Service) ListAll(ctx context.Context) ([]policydoc.Record, error) {
	stored, err := s.Store.Policies().List(ctx)
	return append(slices.Clone(s.File()), stored...), err // clone, because the file's list is shared
}

// List returns the policies of one tenant, or all if tenant is "".
func (s *Service) List(ctx context.Context, tenant string) ([]policydoc.Record, error) {
	all, err := s.ListAll(ctx)
	if tenant == "" || err != nil {
		return all, err
	}
	own := []policydoc.Record{}
	for _, p := range all {
		if p.Tenant == tenant {
			own = append(own, p)
		}
	}
	return own, nil
}

// Get returns one policy.
func (s *Service) Get(ctx context.Context, id string) (policydoc.Record, error) {
	if p, ok := s.findInFile(id); ok {
		return p, nil
	}
	p, err := s.Store.Policies().Get(ctx, id)
	return p, mapNotFound(err)
}

// findInFile finds a policy of the file.
func (s *Service) findInFile(id string) (policydoc.Record, bool) {
	for _, p := range s.File() {
		if p.ID == id {
			return p, true
		}
	}
	return policydoc.Record{}, false
}

// checkChangeable returns an error for a policy of the file.
func (s *Service) checkChangeable(id string) error {
	if _, ok := s.findInFile(id); ok {
		return &core.Error{
			Kind: core.InvalidRequest, Status: 409, Code: CodeManagedByFile,
			Public: "the policy is kept in the configuration file; change it there",
		}
	}
	return nil
}

func mapNotFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "unknown policy"}
	}
	return err
}

func newInvalidError(param, format string, args ...any) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: param, Public: fmt.Sprintf(format, args...)}
}

// check returns an error if the text has faults.
func (s *Service) check(p policydoc.Record) error {
	if strings.TrimSpace(p.Name) == "" || len(p.Name) > 128 || strings.Contains(p.Name, "/") {
		return newInvalidError("name", "a policy needs a name of 1 to 128 bytes, without a slash")
	}
	var faults []string
	for _, i := range s.Language.Check(p) {
		if i.Level == policydoc.IssueError {
			faults = append(faults, i.Code+": "+i.Text)
		}
	}
	if len(faults) > 0 {
		return newInvalidError("dsl", "%s", strings.Join(faults, "\n"))
	}
	return nil
}

func (f Fields) apply(p *policydoc.Record) {
	for _, x := range []struct {
		to   *string
		from *string
	}{{&p.Name, f.Name}, {&p.Tenant, f.Tenant}, {&p.Description, f.Description}, {&p.DSL, f.DSL}} {
		if x.from != nil {
			*x.to = *x.from
		}
	}
}

// Create stores a new policy as a draft.
func (s *Service) Create(ctx context.Context, f Fields, source string) (policydoc.Record, error) {
	p := policydoc.Record{ID: s.NewID(), Status: policydoc.Draft, Source: source}
	f.apply(&p)
	if err := s.check(p); err != nil {
		return p, err
	}
	return s.Store.Policies().Insert(ctx, p)
}

// Update stores a new version. The state does not change.
func (s *Service) Update(ctx context.Context, id string, f Fields) (policydoc.Record, error) {
	if err := s.checkChangeable(id); err != nil {
		return policydoc.Record{}, err
	}
	p, err := s.Store.Policies().Change(ctx, id, func(p *policydoc.Record) error {
		if err := s.Before(*p); err != nil {
			return err
		}
		f.apply(p)
		p.Version++
		return s.check(*p)
	})
	return p, unwrapStoreError(err)
}

// unwrapStoreError returns the error of a refusal inside a transaction.
func unwrapStoreError(err error) error {
	var e *core.Error
	if errors.As(err, &e) {
		return e
	}
	return mapNotFound(err)
}
