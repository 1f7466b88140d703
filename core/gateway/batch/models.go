package batch

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// ChainCheck asks the links that can judge a model alone. It leaves out links in shadow mode, and those limited to
// other exchanges.
type ChainCheck struct{ links []*chain.Link }

var _ ModelCheck = (*ChainCheck)(nil)

// NewChainCheck returns the check of a chain, or nil if no link takes part.
func NewChainCheck(c *chain.Chain) *ChainCheck {
	var out ChainCheck
	links := c.Links()
	for i := range links {
		if _, ok := links[i].Stage.(core.ModelChecker); ok && links[i].Mode == chain.Enforce {
			out.links = append(out.links, &links[i])
		}
	}
	if len(out.links) == 0 {
		return nil
	}
	return &out
}

// CheckModel returns the first objection.
func (c *ChainCheck) CheckModel(ctx context.Context, p *core.Principal, m Model) *core.Error {
	x := core.Exchange{Principal: p, Head: core.Head{Model: m.Name}, BareModel: m.Target, Dialect: m.Shape}
	for _, l := range c.links {
		if !l.For.Matches(&x) {
			continue
		}
		if e := l.Stage.(core.ModelChecker).CheckModel(ctx, p, m.Name, core.TargetRef{Provider: m.Provider, Model: m.Target}); e != nil {
			return e
		}
	}
	return nil
}
