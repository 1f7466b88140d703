package policy

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/price"
)

// Name is the stage's name in the configuration.
const Name = "policy"

// Phases are those in which the stage runs.
var Phases = core.NewPhaseSet(core.Request, core.Target, core.Response)

// settings are the stage's block of the configuration.
type settings struct {
	// ShadowQueue is how many exchanges may wait for evaluation by policies in shadow mode. More are dropped, and
	// counted.
	ShadowQueue int `yaml:"shadow_queue"`
}

// defaultQueue has room for a burst of a second or two.
const defaultQueue = 4096

// Stage enforces the policies in force.
type Stage struct {
	deps  Deps
	plans atomic.Pointer[plans]
	pool  sync.Pool
	stop  func() // ends the watch on the policies
	// queue is nil until a policy is in shadow mode, so that a policy link costs nothing until then.
	queue     *queue
	queueSize int

	// The tasks of this link if the chain has several of the stage.
	first, last bool
	content     bool // it comes after all detectors, and no earlier one does
	late        bool // it asks at the target what depends on content
	// behind are the links after all detectors, possibly including this one.
	behind []string
}

var (
	_ core.Stage        = (*Stage)(nil)
	_ core.StreamStage  = (*Stage)(nil)
	_ core.Finisher     = (*Stage)(nil)
	_ core.Closer       = (*Stage)(nil)
	_ core.ModelChecker = (*Stage)(nil)
)

// Deps is what the stage needs of the gateway.
type Deps struct {
	Now       func() time.Time
	Policies  Source          // optional
	Routes    Routes          // optional
	Prices    price.Lookup    // optional
	Windows   Windows         // optional
	Budgets   Budgets         // optional
	Approvals Approvals       // optional
	Tools     ToolDefinitions // optional
	Offers    ToolOffers      // optional

	// Chain contains the kinds of the chain's links in order: a stage's name, or "wasm" and "plugins"; "" for another
	// link of this kind that is not reliable because it is in shadow mode or sees fewer exchanges or phases. Links
	// contains their names, and Place is the index of this link.
	Chain  []string
	Links  []string
	Place  int
	Shadow bool // the link's verdicts change nothing
}

// New returns the stage for its block of the configuration, and compiles the policies in force.
func New(s core.Settings, d Deps) (core.Stage, error) {
	c := settings{ShadowQueue: defaultQueue}
	if s != nil {
		if err := s.Decode(&c); err != nil {
			return nil, err
		}
	}
	if c.ShadowQueue < 1 || c.ShadowQueue > 1<<20 {
		return nil, fmt.Errorf("shadow_queue %d: write a number from 1 to %d", c.ShadowQueue, 1<<20)
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	st := &Stage{deps: d}
	st.assignTasks()
	st.pool.New = func() any { return new(work) }
	st.plans.Store(&plans{others: newPlan(nil, nil)})
	if d.Policies == nil {
		return st, nil
	}
	st.queueSize = c.ShadowQueue
	stop, err := d.Policies.Watch(st.applyRecords)
	if err != nil {
		st.queue.close()
		return nil, err
	}
	st.stop = stop
	return st, nil
}

// applyRecords puts policies into force. It is not called concurrently.
func (s *Stage) applyRecords(records []policydoc.Record) error {
	p, err := compilePlans(records)
	if err != nil {
		return err
	}
	if s.queue == nil && s.first && p.hasShadow() {
		s.queue = newQueue(s.queueSize, s.deps.Policies) // before the plans that exchanges use it for
	}
	s.plans.Store(p)
	return nil
}

// blind are the stages that find nothing in a text.
var blind = []string{Name, "ratelimit", "budget", "cache", "schema"}

// assignTasks determines the tasks of this link. The first policy link evaluates what is known before any detector has
// run, the first one after all detectors what depends on them, and the last one what depends on the target.
func (s *Stage) assignTasks() {
	s.first, s.last, s.content, s.late = true, true, true, false
	finder := -1
	for i, kind := range s.deps.Chain {
		if kind != "" && !slices.Contains(blind, kind) {
			finder = i
		}
	}
	if finder+1 < len(s.deps.Links) {
		s.behind = s.deps.Links[finder+1:]
	}
	covered := false // by one of our links behind all detectors
	for i, kind := range s.deps.Chain {
		if kind != Name {
			continue
		}
		switch {
		case i < s.deps.Place:
			s.first = false
			s.content = s.content && i < finder
		case i > s.deps.Place:
			s.last = false
		}
		covered = covered || i > finder
	}
	if s.deps.Place < finder {
		s.content = false
	}
	s.late = s.last && !covered
}

// Check evaluates the rules of the phase.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	w, ok := kept.(*work)
	if !ok {
		pl := s.plans.Load().findPlan(findCaller(x).Tenant)
		if pl.isEmpty() {
			return core.Verdict{Action: core.Pass}, nil
		}
		w = s.pool.Get().(*work)
		w.begin(s, pl)
		if err := w.fillFacts(ctx, x); err != nil {
			w.end()
			s.pool.Put(w)
			return core.Verdict{}, err
		}
	}
	w.noteModelNames(x)
	switch p {
	case core.Request:
		w.evalRequest(x)
	case core.Target:
		w.evalTarget(x)
	case core.Response:
		w.evalResponse(x)
	}
	v, err := w.buildVerdict(ctx, x, p)
	v.Keep = w
	return v, err
}

// findCaller returns the caller, or an empty principal if it is unknown.
func findCaller(x *core.Exchange) *core.Principal {
	if x.Principal == nil {
		return &nobody
	}
	return x.Principal
}

var nobody core.Principal

// Finish passes the exchange to the policies in shadow mode, and returns its buffers to the pool.
func (s *Stage) Finish(_ context.Context, x *core.Exchange, kept any) {
	w, ok := kept.(*work)
	if !ok {
		return
	}
	if s.first && len(w.plan.shadow) > 0 && s.queue != nil {
		w.noteModelNames(x)
		w.complete(x)
		s.queue.add(w, x)
	}
	w.end()
	s.pool.Put(w)
}

// Close ends the watch and the evaluation of shadow policies.
func (s *Stage) Close(context.Context) error {
	if s.stop != nil {
		s.stop()
	}
	s.queue.close()
	return nil
}

func newDenial(reason string) *core.Error {
	return &core.Error{Kind: core.Forbidden, Code: core.CodePolicyDenied, Public: reason}
}

// ReleaseRequest implements chain.RequestReleaser. Policies in shadow mode may ask for facts of the request at its end.
func (s *Stage) ReleaseRequest(_ context.Context, _ *core.Exchange, kept any) bool {
	if kept == nil { // no rule concerned the caller when the exchange began
		return true
	}
	w, ok := kept.(*work)
	return ok && (!s.first || len(w.plan.shadow) == 0 || s.queue == nil)
}
