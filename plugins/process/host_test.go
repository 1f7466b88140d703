package process

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

func TestAProcessIsSharedUntilTheLastStageIsClosed(t *testing.T) {
	ctx := context.Background()
	p := plug(t, "words")
	one, two := p.share(t), p.share(t)
	pid := one.Stats().PID
	assert.Equal(t, pid, two.Stats().PID)
	p.spec.Timeout = 2 * DefaultTimeout
	three := p.share(t)
	assert.Equal(t, pid, three.Stats().PID, "a timeout applies to the link only")
	p.spec.Config = settings{"Action": "flag"}
	other := p.share(t)
	assert.NotEqual(t, pid, other.Stats().PID)
	require.Len(t, p.host.Stats(), 1, "they are one link")
	assert.Equal(t, other.Stats().PID, p.host.Stats()[0].PID, "the newer one")
	require.NoError(t, one.Close(ctx))
	require.NoError(t, one.Close(ctx), "a second Close does nothing")
	require.NoError(t, three.Close(ctx))
	_, err := two.Check(ctx, request(t, user("PROJECT-APOLLO")), core.Request, nil)
	require.NoError(t, err)
	require.NoError(t, two.Close(ctx))
	awaitExit(t, pid)
	_, err = two.Check(ctx, request(t, user("x")), core.Request, nil)
	assert.ErrorContains(t, err, "the plugin is being closed")
	_, err = other.Check(ctx, request(t, user("x")), core.Request, nil)
	require.NoError(t, err)
	calls := p.host.Stats()[0].Calls
	assert.EqualValues(t, 2, calls, "calls of the ended process are counted too")
	require.NoError(t, other.Close(ctx))
	assert.Empty(t, listChildren(t))
}

func TestWithoutAPinANewFileIsANewProcess(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	copyFile(t, self, filepath.Join(dir, "words"))
	h := NewHost(Options{Dir: dir})
	spec := Spec{
		Link:  "l",
		File:  "words",
		Args:  []string{"plugin", "pass"},
		Grant: foreign.Grant{Fields: []string{}, Text: []string{}, Capabilities: []string{}},
	}
	one, err := h.OpenStage(context.Background(), spec)
	require.NoError(t, err)
	two, err := h.OpenStage(context.Background(), spec)
	require.NoError(t, err)
	assert.Equal(t, one.Stats().PID, two.Stats().PID)
	require.NoError(t, os.Rename(filepath.Join(dir, "words"), filepath.Join(dir, "old")))
	copyFile(t, self, filepath.Join(dir, "words"))
	f, err := os.OpenFile(filepath.Join(dir, "words"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("another build")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	three, err := h.OpenStage(context.Background(), spec)
	require.NoError(t, err)
	assert.NotEqual(t, one.Stats().PID, three.Stats().PID)
	assert.NotEqual(t, one.Stats().Digest, three.Stats().Digest)
	for _, st := range []*Stage{one, two, three} {
		require.NoError(t, st.Close(context.Background()))
	}
}

// readLeft returns how many units are left of a limit of concurrent calls.
func readLeft(t *testing.T, st *stateOf) int64 {
	t.Helper()
	r := new(pb.StateResult)
	st.take(st.part, &pb.Limits{Limits: []*pb.Limit{{Kind: pb.LimitKind_LIMIT_CONCURRENT, Key: "k", Max: 10, PeriodMs: 60_000}}}, r)
	require.Empty(t, r.Error)
	left := r.Limits[0].Left
	st.holds.settleUnused(int(r.Hold))
	return left
}

func TestWhatIsTakenIsSettledByItsHolderOrForIt(t *testing.T) {
	p := &process{spec: Spec{Link: "l"}}
	p.agreed.state = true
	s := &Stage{p: p, spec: Spec{Link: "l", Timeout: DefaultTimeout, State: state.NewMemory(state.Options{})}}
	x := &core.Exchange{Principal: &core.Principal{Tenant: "acme"}}
	take := func(o *own) (*stateOf, *pb.StateResult) {
		st, r := s.findState(x, o), new(pb.StateResult)
		st.take(st.part, &pb.Limits{Limits: []*pb.Limit{{Kind: pb.LimitKind_LIMIT_CONCURRENT, Key: "k", Cost: 4, Max: 10, PeriodMs: 60_000}}}, r)
		require.Empty(t, r.Error)
		require.True(t, r.Ok)
		return st, r
	}
	o, spare := new(own), s.findState(x, new(own))
	st, _ := take(o)
	assert.EqualValues(t, 6, readLeft(t, spare))
	st.end(false)
	assert.EqualValues(t, 10, readLeft(t, spare), "a call that fails gives back what it took")

	st, r := take(o)
	st.end(true)
	assert.EqualValues(t, 6, readLeft(t, spare))
	stranger, sr := s.findState(x, new(own)), new(pb.StateResult)
	stranger.settle(&pb.Settle{Hold: r.Hold}, sr)
	assert.Contains(t, sr.Error, "nothing was taken under this hold for this exchange")
	assert.EqualValues(t, 6, readLeft(t, spare))
	sr = new(pb.StateResult)
	later := s.findState(x, o)
	later.settle(&pb.Settle{Hold: r.Hold}, sr)
	require.Empty(t, sr.Error)
	assert.EqualValues(t, 10, readLeft(t, spare))
	sr = new(pb.StateResult)
	later.settle(&pb.Settle{Hold: r.Hold}, sr)
	assert.NotEmpty(t, sr.Error, "once")

	st, _ = take(o)
	st.end(true)
	s.Finish(context.Background(), x, o)
	assert.EqualValues(t, 10, readLeft(t, spare), "unsettled holds end with the exchange")

	x.Principal = &core.Principal{Tenant: "}other{"}
	assert.EqualValues(t, 10, readLeft(t, s.findState(x, new(own))), "another tenant has separate limits")
}

func TestAStateCallThatCannotBeIsToldWhy(t *testing.T) {
	s := &Stage{p: &process{}, spec: Spec{Link: "l", Timeout: DefaultTimeout, State: state.NewMemory(state.Options{})}}
	s.p.agreed.state = true
	st := s.findState(&core.Exchange{}, new(own))
	for says, q := range map[string]*pb.StateCall{
		"nothing that is known":       {},
		"no limit to take":            {Body: &pb.StateCall_Take{Take: &pb.Limits{}}},
		"a limit has an unknown kind": {Body: &pb.StateCall_Take{Take: &pb.Limits{Limits: []*pb.Limit{{Key: "k"}}}}},
		"period_ms must be positive":  {Body: &pb.StateCall_Take{Take: &pb.Limits{Limits: []*pb.Limit{{Kind: 1, Key: "k"}}}}},
		"must not be negative":        {Body: &pb.StateCall_Take{Take: &pb.Limits{Limits: []*pb.Limit{{Kind: 1, Key: "k", Cost: -1}}}}},
		"needs ends_unix_ms":          {Body: &pb.StateCall_Take{Take: &pb.Limits{Limits: []*pb.Limit{{Kind: 3, Key: "k", PeriodMs: 1}}}}},
		"the key is empty":            {Body: &pb.StateCall_Get{Get: &pb.Get{}}},
		"larger than 1 MiB":           {Body: &pb.StateCall_Put{Put: &pb.Put{Key: "k", Value: make([]byte, maxValue+1), TtlMs: 1}}},
		"more than 31 days":           {Body: &pb.StateCall_Put{Put: &pb.Put{Key: "k", TtlMs: 1 << 62}}},
	} {
		r := new(pb.StateResult)
		st.runCall(q, r)
		assert.Contains(t, r.Error, says)
		assert.False(t, r.Ok)
	}
	r := new(pb.StateResult)
	st.runCall(&pb.StateCall{Body: &pb.StateCall_Put{Put: &pb.Put{Key: "k", Value: []byte("v"), TtlMs: 60_000}}}, r)
	require.True(t, r.Ok)
	r = new(pb.StateResult)
	st.runCall(&pb.StateCall{Body: &pb.StateCall_Get{Get: &pb.Get{Key: "k"}}}, r)
	assert.Equal(t, "v", string(r.Value))
	st.runCall(&pb.StateCall{Body: &pb.StateCall_Put{Put: &pb.Put{Key: "k"}}}, new(pb.StateResult))
	r = new(pb.StateResult)
	st.runCall(&pb.StateCall{Body: &pb.StateCall_Get{Get: &pb.Get{Key: "k"}}}, r)
	assert.False(t, r.Ok, "the value is deleted")
}
