package chain_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// undecided is a stage that panics when it is asked whether it applies.
type undecided struct{ guard }

func (*undecided) Applies(*core.Exchange) bool { panic(secret) }

func TestALinkThatCannotSayWhetherItAppliesIsAsked(t *testing.T) {
	var seen []string
	s := &undecided{*seeing(&seen)}
	c := newChain(t, nil, link("a", s))
	x := newRequest(t, helloRequest)
	assert.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, []string{"request:hello"}, seen)
	require.Len(t, x.Visits, 2)
	assert.Equal(t, core.FaultPanic, x.Visits[0].Fault)
}

// brokenFilter is a filter that panics wherever it is asked.
type brokenFilter struct{ core.StreamFilter }

func (brokenFilter) Inform(bool)                 { panic(secret) }
func (brokenFilter) Withholds() bool             { panic(secret) }
func (brokenFilter) Close(context.Context) error { panic(secret) }

func (brokenFilter) Check(context.Context, core.Window) (core.Verdict, int, error) { panic(secret) }

func TestAPanicOutsideOfTheVerdictFollowsTheFaultRule(t *testing.T) {
	for name, rule := range map[string]chain.OnFault{"block": chain.FaultBlocks, "pass": chain.FaultPasses} {
		t.Run(name, func(t *testing.T) {
			l := link("broken", &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return brokenFilter{}, nil }})
			l.OnFault = rule
			c := newChain(t, nil, l)
			x := newRequest(t, helloRequest)
			require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
			s, e := c.Stream(context.Background(), x, openai.Chat{})
			assert.True(t, s.Withholds(), "nothing is sent before the panic is told")
			if rule == chain.FaultBlocks {
				require.NotNil(t, e)
				assert.Equal(t, core.CodeGuardUnavailable, e.Code)
			} else {
				require.Nil(t, e)
			}
			s.Close(context.Background())
			assert.Equal(t, core.FaultPanic, x.Visits[len(x.Visits)-1].Fault)
		})
	}
}

func TestNoFurtherLinkIsAskedWhenTheClientHasLeft(t *testing.T) {
	ctx, leave := context.WithCancel(context.Background())
	var later []string
	leaves := &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
		leave()
		return core.Verdict{Action: core.Pass}, nil
	}}
	c := newChain(t, nil, link("first", leaves), link("second", seeing(&later)), newShadowLink("watching", seeing(&later)))
	x := newRequest(t, helloRequest)
	d := c.RunRequest(ctx, x)
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, core.Canceled, d.Err.Kind)
	assert.False(t, d.Fault, "the link is not to blame")
	assert.Empty(t, later)
}
