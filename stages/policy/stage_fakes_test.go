package policy

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/pii"
	"github.com/headgate-dev/headgate/stages/policy/policytest"
)

// source provides policies to the stage.
type source struct {
	mu      sync.Mutex
	records []policydoc.Record
	use     func([]policydoc.Record) error
	events  []policydoc.ShadowEvent
	dropped int
}

func (s *source) Watch(use func([]policydoc.Record) error) (func(), error) {
	s.use = use
	return func() {}, use(s.records)
}

func (s *source) StoreShadowEvents(_ context.Context, events []policydoc.ShadowEvent, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, events...)
	s.dropped += dropped
}

// builtIn is the stage under the cases of policies.
var builtIn = policytest.Subject{
	Build: func(_ testing.TB, d policytest.Deps) (chain.Link, error) {
		st, err := build(&source{records: d.Policies}, d)
		return chain.Link{Stage: st, Phases: Phases}, err
	},
	Detector: func(t testing.TB) chain.Link {
		st, err := pii.New(policytest.DetectorSettings{}, nil)
		require.NoError(t, err)
		return chain.Link{Stage: st, Phases: pii.Phases}
	},
}

// build returns a stage with the policies of a source.
func build(src *source, d policytest.Deps) (*Stage, error) {
	deps := Deps{
		Now: d.Now, Policies: src, Routes: d.Routes, Prices: d.Prices, Budgets: d.Budgets, Chain: d.Chain, Links: d.Links, Place: d.Place,
	}
	if d.Approvals != nil {
		deps.Approvals = d.Approvals
	}
	st, err := New(nil, deps)
	if err != nil {
		return nil, err
	}
	return st.(*Stage), nil
}

// bench is a chain whose stages and policies the tests of this package reach.
type bench struct {
	*policytest.Bench
	source *source
	stage  *Stage // the last one
	stages []*Stage
}

// newBench returns a chain of the kinds with policies. The budget is what is left of it.
func newBench(t testing.TB, kinds []string, records ...policydoc.Record) *bench {
	t.Helper()
	return newBenchWith(t, policytest.Deps{Chain: kinds, Policies: records})
}

func newBenchWith(t testing.TB, d policytest.Deps) *bench {
	t.Helper()
	b := &bench{source: &source{records: d.Policies}}
	by := builtIn
	by.Build = func(_ testing.TB, d policytest.Deps) (chain.Link, error) {
		st, err := build(b.source, d)
		b.stage, b.stages = st, append(b.stages, st)
		return chain.Link{Stage: st, Phases: Phases}, err
	}
	b.Bench = policytest.NewBench(t, &by, d)
	return b
}

// The words of the cases.
var (
	rule   = policytest.FormatRule
	active = policytest.NewActive
	record = policytest.NewRecord
	says   = policytest.FormatRequest
	alone  = policytest.Alone
	anna   = policytest.Anna
)

const (
	hello  = policytest.Hello
	answer = policytest.Answer
)
