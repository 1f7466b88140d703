package process

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	sdk "github.com/headgate-dev/headgate/sdk/process"
)

func init() { acts["counts"] = func() { sdk.Serve(counts{}) } }

// counts is a plugin that takes from a limit named after the model, and reports errors.
type counts struct{}

func (counts) Manifest() sdk.Manifest {
	return sdk.Manifest{Name: "counts", Phases: []core.Phase{core.Request}, Fields: []string{"model"}, State: true}
}

func (counts) Check(ctx context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	_, _, err := sdk.StateOf(ctx).Take(ctx, []core.Limit{{Kind: core.Concurrent, Key: x.Head.Model, Cost: 1, Max: 5, Period: time.Hour}})
	if err != nil {
		return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Public: err.Error()}}, nil
	}
	return core.Verdict{Action: core.Pass}, nil
}

func TestAProcessThatCountsTooMuchIsToldAndTakesNoRoomFromOthers(t *testing.T) {
	s := state.NewMemory(state.Options{SpaceCounters: 64, Counters: 64})
	greedy := plug(t, "counts", func(p *Spec) { p.State, p.Link = s, "greedy" }).stage(t)
	modest := plug(t, "counts", func(p *Spec) { p.State, p.Link = s, "modest" }).stage(t)
	asks := func(st *Stage, model string) core.Verdict {
		x := &core.Exchange{Principal: &core.Principal{Tenant: "acme"}}
		x.Head.Model = model
		v, err := st.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		return v
	}
	v := core.Verdict{}
	for n := 0; n < 1000 && v.Action != core.Block; n++ {
		v = asks(greedy, fmt.Sprint("model-", n))
	}
	require.Equal(t, core.Block, v.Action)
	assert.Contains(t, v.Err.Public, "reached the limit of counters; use fewer keys")
	assert.Equal(t, core.Pass, asks(greedy, "model-0").Action, "existing counters continue")
	assert.Equal(t, core.Pass, asks(modest, "model-0").Action, "another plugin has separate room")
	ok, err := s.Take(context.Background(), []core.Limit{{Kind: core.Concurrent, Key: "own", Cost: 1, Max: 1}})
	require.NoError(t, err, "the gateway's own limits have separate room")
	assert.True(t, ok)
}
