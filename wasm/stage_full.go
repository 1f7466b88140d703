package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Plugin is a version as a link of the chain, either a detector or a stage.
type Plugin interface {
	core.StreamStage
	core.Closer
	// Version returns the module behind the link.
	Version() *Version
}

// Options configure how a link runs a version.
type Options struct {
	Link     string
	Settings Settings
	// State is the store behind the capability state.
	State core.State
	// Answer creates replies from the texts with which a stage responds. Optional: without it the stage cannot respond.
	Answer foreign.Answerer
	// Grant is what the operator lets the guest see.
	Grant foreign.Grant
	// Shadow gives the plugin separate keys in the state, so that a link in shadow mode does not change the counters of the enforced one.
	Shadow bool
	// Services are what the gateway offers besides.
	Services foreign.Services
	// Phases are those in which the link runs; 0: all that the manifest names.
	Phases core.Phases
	// Remote answers for exchanges that are elsewhere. Optional.
	Remote *Remote
	// Candidate does the same for a version that runs beside the current one of the same link.
	Candidate bool
}

// NewPlugin creates a link from a version. On success it takes over one reference of the version, which Close releases; after an error
// the caller keeps it.
func NewPlugin(v *Version, o Options) (Plugin, error) {
	see, err := buildView(&v.Manifest, &o.Grant)
	if err != nil {
		return nil, err
	}
	if v.Manifest.IsStage() {
		return newStagePlugin(v, &o, see)
	}
	st, err := NewStage(v, o.Link, o.Settings)
	if err != nil {
		return nil, err
	}
	st.sources &= see.sources
	return st, nil
}

// FullStage is a stage as a link of the chain. The guest gives its verdict through imports.
type FullStage struct {
	v      *Version
	link   string
	budget budget
	phases uint8 // bits by phase of the ABI
	see    view
	answer foreign.Answerer
	store  store
	once   sync.Once

	services  foreign.Services
	scopes    map[string]*store // that the link grants, by their words
	upstreams map[string]bool   // that the link grants
	remote    *Remote           // nil if the exchanges are here
	silent    bool              // the link's verdicts change nothing, so it emits no events
	rehearsed bool              // no link grants anything yet, so every scope of the state is open
	textless  *FullStage        // the same stage without texts, for streams that an http-wasm module does not buffer
}

var (
	_ Plugin        = (*FullStage)(nil)
	_ core.Finisher = (*FullStage)(nil)
)

var errNoState = errors.New("the plugin asks for the capability state, and there is no state store; configure state")

// errNoTarget is the error for a link that would not enforce the regions that its plugin asks for.
var errNoTarget = errors.New("the plugin may ask for a region (headgate.route), which the host checks in the phase target, and `phases` leaves" +
	" that phase out; add target, or omit `phases`")

func newFullStage(v *Version, o *Options, see view) (*FullStage, error) {
	s := &FullStage{v: v, link: o.Link, budget: v.newBudget(), see: see, answer: o.Answer}
	s.phases = v.Manifest.packPhases()
	if o.Phases != 0 && o.Phases&core.NewPhaseSet(core.Target) == 0 && s.wants(abi.PhaseTarget) && v.routes() {
		return nil, errNoTarget
	}
	if v.Manifest.has(abi.CapabilityState) {
		if o.State == nil {
			return nil, errNoState
		}
		s.store = newStore(o.State, o.Link, o.Shadow, o.Candidate)
		var err error
		if s.scopes, err = newScopes(o, &s.store); err != nil {
			return nil, err
		}
	}
	s.remote = o.Remote
	s.services, s.silent = o.Services, o.Shadow || o.Candidate
	s.upstreams = map[string]bool{}
	for _, name := range o.Grant.Upstreams {
		s.upstreams[name] = true
	}
	return s, nil
}

// CheckStage rejects settings that only apply to a detector's link. A block for a whole folder may contain them; stages then ignore them.
func (s *Settings) CheckStage() error {
	var said []string
	if s.Action != "" {
		said = append(said, "action")
	}
	if len(s.Labels) > 0 {
		said = append(said, "labels")
	}
	if len(s.Sources) > 0 {
		said = append(said, "sources")
	}
	if s.Message != "" {
		said = append(said, "message")
	}
	if len(said) == 0 {
		return nil
	}
	return fmt.Errorf(
		"config: %s: only for detectors; a stage decides itself. Remove it, and put the plugin's settings under settings",
		strings.Join(said, ", "),
	)
}

// Version returns the module behind the stage.
func (s *FullStage) Version() *Version { return s.v }

// Close releases the stage's reference of its version.
func (s *FullStage) Close(ctx context.Context) error {
	s.once.Do(func() { s.v.Release(ctx) })
	return nil
}

func (s *FullStage) wants(phase uint32) bool { return s.phases&(1<<phase) != 0 }

// Check calls the guest if its manifest names the phase. The phases of the chain have the numbers of the ABI.
func (s *FullStage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	c := job{phase: uint32(p), body: &x.Request}
	c.kept, _ = kept.(*exchangeState)
	if p == core.Response && s.remote == nil {
		if err := c.kept.storeAnswer(x); err != nil {
			return core.Verdict{}, err
		}
	}
	if !s.wants(uint32(p)) {
		return core.Verdict{Action: core.Pass}, nil
	}
	if p == core.Target {
		if refusal := s.checkRegion(x, c.kept); refusal != nil {
			return core.Verdict{Action: core.Block, Err: refusal}, nil
		}
	}
	if p == core.Response {
		c.waits = true
		if c.body = &x.Response; s.follows() {
			return s.streamWholeAnswer(ctx, x, c.kept)
		}
	}
	return s.run(ctx, x, &c)
}

// Finish tells the guest how the exchange ended, and releases the holds that are left.
func (s *FullStage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	k, _ := kept.(*exchangeState)
	if s.wants(abi.PhaseFinish) || k.owesResponse() {
		c := job{phase: abi.PhaseFinish, kept: k}
		if _, err := s.run(ctx, x, &c); err == nil && c.kept != nil {
			k = c.kept
		}
	}
	k.release(ctx)
}
