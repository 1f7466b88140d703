package batch

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// judge objects to models of one name, and to every request.
type judge struct{ model string }

func (judge) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Public: "no request"}}, nil
}

func (j judge) CheckModel(_ context.Context, _ *core.Principal, model string, t core.TargetRef) *core.Error {
	if model == j.model || t.Model == j.model {
		return &core.Error{Kind: core.Forbidden, Public: "no model"}
	}
	return nil
}

func chainOf(t *testing.T, links ...chain.Link) *chain.Chain {
	t.Helper()
	for i := range links {
		links[i].Phases, links[i].OnFault = core.NewPhaseSet(core.Request), chain.FaultBlocks
		if links[i].Mode == 0 {
			links[i].Mode = chain.Enforce
		}
	}
	c, err := chain.New(links, nil)
	require.NoError(t, err)
	return c
}

func TestTheChainsLinksJudgeTheModelsOfAFile(t *testing.T) {
	ctx, p := context.Background(), &core.Principal{Tenant: "t"}
	c := NewChainCheck(chainOf(t, chain.Link{Name: "a", Stage: judge{"bad"}}))
	assert.Nil(t, c.CheckModel(ctx, p, Model{Name: "good", Target: "good"}))
	assert.NotNil(t, c.CheckModel(ctx, p, Model{Name: "bad", Target: "x"}))
	assert.NotNil(t, c.CheckModel(ctx, p, Model{Name: "alias", Target: "bad"}))
	c = NewChainCheck(chainOf(t, chain.Link{Name: "a", Stage: judge{"bad"}, For: chain.Filter{Tenants: []string{"other"}}}))
	assert.Nil(t, c.CheckModel(ctx, p, Model{Name: "bad"}), "the link is for others")
	c = NewChainCheck(
		chainOf(t, chain.Link{Name: "a", Stage: judge{"bad"}, For: chain.Filter{Models: []string{"ba*"}, Dialects: []string{"openai.chat"}}}),
	)
	assert.NotNil(t, c.CheckModel(ctx, p, Model{Name: "openai/bad", Target: "bad", Shape: "openai.chat"}), "it is for such requests")
	assert.Nil(t, c.CheckModel(ctx, p, Model{Name: "openai/bad", Target: "bad", Shape: "openai.responses"}))
	assert.Nil(t, NewChainCheck(chainOf(t, chain.Link{Name: "a", Stage: judge{"bad"}, Mode: chain.Shadow})), "a shadow changes nothing")
	assert.Nil(t, NewChainCheck(chainOf(t)))
}

func TestLinksThatDoNotRedactHaveNoSayAboutLines(t *testing.T) {
	x := &core.Exchange{Principal: &core.Principal{}}
	x.Request.Raw = []byte("{}")
	redacting, err := chainOf(t, chain.Link{Name: "a", Stage: judge{"bad"}}).ForRedaction()
	require.NoError(t, err)
	assert.Nil(t, NewRedaction(redacting, nil).Redact(context.Background(), x))
}
