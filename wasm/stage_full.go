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

// Plugin is a version as a link of the chain, be it a detector or a stage.
type Plugin interface {
	core.StreamStage
	core.Closer
	// Version is the module behind the link.
	Version() *Version
}

// Options say how a link runs a version.
type Options struct {
	Link     string
	Settings Settings
	// State is what the capability state counts and keeps in.
	State core.State
	// Answer makes replies of the texts that a stage responds with; nil: it cannot.
	Answer foreign.Answerer
	// Grant is what the operator lets the guest see.
	Grant foreign.Grant
	// Shadow gives the plugin keys of its own in the state, so that a link in shadow
	// does not count for the one in force.
	Shadow bool
	// Candidate does so for a version that is tried beside the one of the same link.
	Candidate bool
}

// NewPlugin makes a link of a version. It takes over one reference of the version,
// which Close gives back; after an error it is still the caller's.
func NewPlugin(v *Version, o Options) (Plugin, error) {
	see, err := viewOf(&v.Manifest, &o.Grant)
	if err != nil {
		return nil, err
	}
	if v.Manifest.IsStage() {
		return newFullStage(v, &o, see)
	}
	st, err := NewStage(v, o.Link, o.Settings)
	if err != nil {
		return nil, err
	}
	st.sources &= see.sources
	return st, nil
}

// FullStage is a stage as a link of the chain. What the guest says through its
// imports becomes the verdict.
type FullStage struct {
	v      *Version
	link   string
	budget budget
	phases uint8 // bits by phase of the ABI
	see    view
	answer foreign.Answerer
	store  store
	once   sync.Once
}

var (
	_ Plugin        = (*FullStage)(nil)
	_ core.Finisher = (*FullStage)(nil)
)

var errNoState = errors.New("the plugin asks for the capability state, and there is no state store; configure state")

func newFullStage(v *Version, o *Options, see view) (*FullStage, error) {
	s := &FullStage{v: v, link: o.Link, budget: v.budget(), see: see, answer: o.Answer}
	s.phases = v.Manifest.phaseBits()
	if v.Manifest.has(abi.CapabilityState) {
		if o.State == nil {
			return nil, errNoState
		}
		s.store = newStore(o.State, o.Link, o.Shadow, o.Candidate)
	}
	return s, nil
}

// CheckStage refuses what only a detector's link can say. Where one block stands for a
// whole folder, stages leave it aside.
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

// Version is the module behind the stage.
func (s *FullStage) Version() *Version { return s.v }

// Close gives the stage's reference of its version back.
func (s *FullStage) Close(ctx context.Context) error {
	s.once.Do(func() { s.v.Release(ctx) })
	return nil
}

func (s *FullStage) wants(phase uint32) bool { return s.phases&(1<<phase) != 0 }

// Check calls the guest, when its manifest names the phase. The phases of the chain
// have the numbers of the ABI.
func (s *FullStage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	if !s.wants(uint32(p)) {
		return core.Verdict{Action: core.Pass}, nil
	}
	c := job{phase: uint32(p), body: &x.Request}
	c.kept, _ = kept.(*exchangeState)
	if p == core.Response {
		if c.body = &x.Response; s.follows() {
			return s.followWhole(ctx, x, c.kept)
		}
	}
	return s.run(ctx, x, &c)
}

// Finish tells the guest how the exchange has ended, and releases what it still
// holds.
func (s *FullStage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	k, _ := kept.(*exchangeState)
	if s.wants(abi.PhaseFinish) {
		c := job{phase: abi.PhaseFinish, kept: k}
		if _, err := s.run(ctx, x, &c); err == nil && c.kept != nil {
			k = c.kept
		}
	}
	k.release(ctx)
}
