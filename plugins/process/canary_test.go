package process

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	sdk "github.com/headgate-dev/headgate/sdk/process"
)

func init() {
	acts["needy"] = func() { sdk.Serve(needy{}) }
	acts["dependent"] = func() { sdk.Serve(dependent{}) }
}

// needy fails without anything that it is granted, and on texts that say so.
type needy struct{}

func (needy) Manifest() sdk.Manifest {
	return sdk.Manifest{
		Name: "needy", Phases: []core.Phase{core.Request}, Fields: []string{"tier", "digest", "places"}, Texts: pb.Texts,
		State: true, Capabilities: []string{"body", "notify", "call"},
	}
}

func (needy) Check(ctx context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	tier, err := sdk.FieldOf(ctx, "tier")
	st := sdk.StateOf(ctx)
	err = errors.Join(
		err, sdk.Threshold(ctx, "day", 80), st.Put(ctx, "k", []byte("v"), time.Minute),
		st.OpenScope("platform:team").Put(ctx, "k", []byte("v"), time.Minute),
	)
	switch {
	case err != nil:
		return core.Verdict{}, err
	case tier == "" || len(sdk.BodyOf(ctx)) == 0 || len(x.Findings) == 0 || x.Findings[0].Label == "":
		return core.Verdict{}, errors.New("something is missing")
	case strings.Contains(x.Request.ReadText(len(x.Request.Segments)-1), "fail"):
		return core.Verdict{}, errors.New("as it was told")
	}
	return core.Verdict{Action: core.Pass}, nil
}

// dependent fails if its upstream does not answer.
type dependent struct{ needy }

func (d dependent) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	if _, _, err := sdk.Call(ctx, "judge", "/", nil); err != nil {
		return core.Verdict{}, err
	}
	return d.needy.Check(ctx, x, p, kept)
}

// countedJudge counts calls of upstreams.
type countedJudge struct{ calls int }

func (j *countedJudge) Call(context.Context, *foreign.Call) (int, []byte, error) {
	j.calls++
	return 200, nil, nil
}

func TestAPluginThatNeedsWhatItIsGrantedPassesItsCanary(t *testing.T) {
	for _, act := range []string{"needy", "dependent"} {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			notices, upstream, store := 0, new(countedJudge), state.NewMemory(state.Options{})
			st := plug(t, act, func(s *Spec) {
				s.State, s.Grant.Scopes, s.Grant.Upstreams = store, []string{"platform:team"}, []string{"judge"}
				s.Services = foreign.Services{Calls: upstream, Notify: func(context.Context, spending.Notice) { notices++ }}
			}).stage(t)
			st.p.pause = tick // before it is called
			require.Nil(t, st.p.now.Load().runCanary(context.Background()))
			assert.Zero(t, notices)
			assert.Zero(t, upstream.calls)
			for scope, part := range st.openScopes(canary) {
				_, ok, err := part.state.Get(context.Background(), part.formatValueKey("k"))
				require.NoError(t, err)
				assert.False(t, ok, "a canary writes nothing into %s", scope)
			}

			ask := func(text string) error {
				x := request(t, user(text))
				x.Principal.Tier = "bulk"
				x.Findings = []core.Finding{{Label: "WORD", Kind: core.FoundPII, Phase: core.Request, Segment: 1, Start: 0, End: 2}}
				_, err := st.Check(context.Background(), x, core.Request, nil)
				return err
			}
			pid := st.Stats().PID
			for range 2 * tripAfter {
				require.Error(t, ask("fail"))
			}
			require.NoError(t, ask("serve"))
			assert.Equal(t, pid, st.Stats().PID)
			assert.False(t, st.p.doubted.Load())

			st.p.doubted.Store(true)
			killGroup(pid)
			require.Eventually(t, func() bool { return st.Stats().State == "running" && st.Stats().PID != pid }, timeToWait, tick)
			require.NoError(t, ask("serve"), "a process that was started again has passed its canary")
			assert.False(t, st.p.doubted.Load())
		})
	}
}
