package node

import (
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/replay"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages"
)

// NewPlayer builds the chain of a configuration with fresh, empty state. release frees it.
func NewPlayer(ctx context.Context, cfg *config.Config, stored []policydoc.Record) (_ *replay.Player, release func(), err error) {
	dir, err := openFolder(cfg, func(string) {}, nil)
	if err != nil {
		return nil, nil, err
	}
	file, err := ListFilePolicies(cfg)
	if err != nil {
		return nil, nil, err
	}
	clock, facts := new(replay.Clock), new(replay.ToolFacts)
	rt, err := buildRuntime(ctx, cfg, dir, nil, stages.Host{
		Tokens: replay.Tokens{Key: []byte("replay")}, State: state.NewMemory(state.Options{Now: clock.Now}), Now: clock.Now,
		Policies: newPolicySource(nil, nil).buildView(file, stored), Tools: facts, Offered: facts,
	}, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	return &replay.Player{Chain: rt.Chain, Clock: clock, Tools: facts, Bare: rt.Router.StripPrefix}, func() {
		rt.Release()
		_ = rt.WaitUntilClosed(ctx) // the process is about to exit
	}, nil
}

// DropOutboundLinks removes the links that send texts out or could, such as processes, and counts them.
func DropOutboundLinks(cfg *config.Config) int {
	n := len(cfg.Chain)
	cfg.Chain = slices.DeleteFunc(cfg.Chain, func(l config.Link) bool { return l.Webhook != "" || l.Guard != "" || l.Process != "" })
	return n - len(cfg.Chain)
}
