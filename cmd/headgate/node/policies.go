package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/providers"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/policy/conflict"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// policySource provides the policy stage with the policies of the configuration and of the store.
type policySource struct {
	db      *store.DB // nil if no policies are stored
	tel     *telemetry.Telemetry
	dropped atomic.Int64

	mu      sync.Mutex
	current *policyView // of the configuration in force
	stale   bool        // the last refresh failed
}

func newPolicySource(db *store.DB, tel *telemetry.Telemetry) *policySource {
	return &policySource{db: db, tel: tel}
}

// policyView is the source as one runtime's stages see it: a runtime under construction must not change what the
// current one enforces.
type policyView struct {
	*policySource
	file []policydoc.Record

	watch sync.Mutex
	all   []policydoc.Record
	users map[int]func([]policydoc.Record) error
	next  int
}

var _ policy.Source = (*policyView)(nil)

// buildView builds the view of a configuration's policies.
func (s *policySource) buildView(file, stored []policydoc.Record) *policyView {
	v := &policyView{policySource: s, file: file, users: map[int]func([]policydoc.Record) error{}}
	v.all = v.merge(stored)
	return v
}

// merge adds the stored policies to those of the file. If both have an id, the file's policy applies.
func (v *policyView) merge(stored []policydoc.Record) []policydoc.Record {
	all := slices.Clone(v.file)
	for _, p := range stored {
		if !slices.ContainsFunc(v.file, func(f policydoc.Record) bool { return f.ID == p.ID }) {
			all = append(all, p)
		}
	}
	return all
}

// Watch calls back with the policies now and after each change.
func (v *policyView) Watch(use func([]policydoc.Record) error) (stop func(), err error) {
	v.watch.Lock()
	defer v.watch.Unlock()
	if err := use(v.all); err != nil {
		return nil, err
	}
	id := v.next
	v.next++
	v.users[id] = use
	return func() {
		v.watch.Lock()
		defer v.watch.Unlock()
		delete(v.users, id)
	}, nil
}

// adopt makes the view current, so that refresh updates it.
func (s *policySource) adopt(v *policyView) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = v
}

// listFilePolicies returns the policies of the configuration in force.
func (s *policySource) listFilePolicies() []policydoc.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil
	}
	return s.current.file
}

// refresh loads policies that were changed in the store. If one is unusable, the previous ones stay in force.
func (s *policySource) refresh(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.db == nil {
		return nil
	}
	defer func() { s.stale = err != nil }()
	stored, err := s.db.Policies().List(ctx)
	if err != nil {
		return err
	}
	return s.current.update(stored)
}

// retry repeats a failed refresh.
func (s *policySource) retry(ctx context.Context) error {
	s.mu.Lock()
	stale := s.stale
	s.mu.Unlock()
	if !stale {
		return nil
	}
	return s.refresh(ctx)
}

func (v *policyView) update(stored []policydoc.Record) error {
	v.watch.Lock()
	defer v.watch.Unlock()
	all := v.merge(stored)
	if slices.Equal(all, v.all) {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(v.users)) {
		if err := v.users[id](all); err != nil {
			return fmt.Errorf("policies: %w", err)
		}
	}
	v.all = all
	return nil
}

// shadowTimeout is the timeout for writing shadow events.
const shadowTimeout = 10 * time.Second

// StoreShadowEvents stores the results of policies in shadow mode.
func (s *policySource) StoreShadowEvents(ctx context.Context, events []policydoc.ShadowEvent, dropped int) {
	s.dropped.Add(int64(dropped))
	if s.db == nil || len(events) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, shadowTimeout)
	defer cancel()
	if err := s.db.ShadowEvents().Insert(ctx, events); err != nil {
		s.dropped.Add(int64(len(events)))
		s.tel.Log.Error().Err(err).Int("events", len(events)).Msg("evaluations of policies in shadow could not be written")
	}
}

// ListFilePolicies returns the policies of the configuration file.
func ListFilePolicies(cfg *config.Config) ([]policydoc.Record, error) {
	var out []policydoc.Record
	var errs []error
	for i := range cfg.Policies {
		p := &cfg.Policies[i]
		text, file := []byte(p.DSL), fmt.Sprintf("%s, policies[%d].dsl", cfg.File, i)
		if p.File != "" {
			var err error
			if text, err = os.ReadFile(p.File); err != nil {
				errs = append(errs, fmt.Errorf("policies[%d].file: %w", i, err))
				continue
			}
			file = p.File
		}
		if _, err := dsl.Parse(text, p.Name, file); err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, policydoc.Record{
			ID: p.ID, Name: p.Name, Tenant: p.Tenant, Description: p.Description, DSL: string(text), Version: 1, Source: store.SourceFile,
			Status: map[config.PolicyStatus]string{
				config.PolicyActive: policydoc.Active, config.PolicyShadow: policydoc.Shadow, config.PolicyDraft: policydoc.Draft,
			}[p.Status],
		})
	}
	return out, errors.Join(errs...)
}

// NewPolicyLanguage returns the policy language. It knows the providers that policies may name and where the chain
// evaluates them.
func NewPolicyLanguage(cfg *config.Config) policy.Language {
	l := policy.Language{Now: time.Now, Providers: func() []string {
		names := providers.ListNames()
		if cfg != nil {
			names = append(slices.Clone(names), slices.Collect(maps.Keys(cfg.Providers))...)
		}
		return names
	}}
	if cfg != nil {
		l.Findings = func() conflict.Findings {
			if cfg.ShowsFindingsToPolicies() {
				return conflict.FindingsInTime
			}
			return conflict.FindingsLate
		}
	}
	return l
}

func filterActive(list []policydoc.Record) []policydoc.Record {
	return slices.DeleteFunc(slices.Clone(list), func(p policydoc.Record) bool { return p.Status != policydoc.Active })
}
