package cases

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins/foreign"
)

// Made is a stage that is ready for tests.
type Made struct {
	// Link is the link in the chain: the stage, its phases and its fault rule. The stage is closed when its case is
	// finished.
	Link chain.Link
	// Labels are all labels of the stage; nil if unknown.
	Labels []string
	// Fuel returns the fuel that the stage has used so far; nil without a meter.
	Fuel func() uint64
}

// Given is what the stage of a case may use.
type Given struct {
	Name   string // of the link
	Tokens core.Tokens
	State  core.State
	Now    func() time.Time
	Links  []string // names of the links of its chain
	Chain  []string // their kinds
	// Offers are what a plugin of the case may use.
	Offers foreign.Services
}

// Maker creates the stage that a link names. File names in the link are relative to dir. The kinds of stages plug in here:
// compiled in, a Wasm module, a process, a webhook.
type Maker func(ctx context.Context, l *config.Link, dir string, g Given) (Made, error)

// bench is one stage with its dependencies, for one case.
type bench struct {
	made   Made
	stage  core.Stage // with the recorder around it
	says   *recorder
	tokens vault
	state  swap
	clock  clock
	offers offers
}

func (b *bench) reset() {
	b.tokens.reset()
	b.clock.past.Store(0)
	b.state.empty(b.clock.readTime)
}

func makeBench(ctx context.Context, mk Maker, c *Case) (*bench, error) {
	b := &bench{}
	b.reset()
	name := c.Link.Name
	if name == "" {
		name = "tested"
	}
	made, err := mk(ctx, &c.Link, filepath.Dir(c.File.Path), Given{
		Name: name, Tokens: &b.tokens, State: &b.state, Now: b.clock.readTime, Links: []string{name}, Chain: []string{c.Link.Kind()},
		Offers: b.offers.buildServices(&b.tokens),
	})
	if err != nil {
		return nil, err
	}
	if made.Link.Stage == nil || made.Link.Phases == 0 {
		return nil, errors.New("the link has no stage, or runs in no phase")
	}
	b.made = made
	b.made.Link.Name, b.made.Link.For = name, c.buildLinkFilter()
	b.stage, b.says = wrapStage(made.Link.Stage)
	return b, nil
}

func (c *Case) buildLinkFilter() chain.Filter {
	f := &c.Link.For
	return chain.Filter{Tenants: f.Tenants, Keys: f.Keys, Models: f.Models, Dialects: f.Dialects}
}

func (b *bench) close(ctx context.Context) error {
	if s, ok := b.made.Link.Stage.(core.Closer); ok {
		if err := s.Close(ctx); err != nil {
			return fmt.Errorf("close the stage: %w", err)
		}
	}
	return nil
}

// buildChain returns a chain with the one link, in the phases that the step runs.
func (b *bench) buildChain(s *step) (*chain.Chain, error) {
	l := b.made.Link
	l.Stage = b.stage
	if s.input.request == nil { // the phase alone: the chain would wait for the link to pass a request first
		l.Phases = core.NewPhaseSet(s.given.Phase.phase())
	}
	return chain.New([]chain.Link{l}, &b.tokens) // it says what is wrong with the link
}
