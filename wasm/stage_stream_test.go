package wasm

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// windows passes texts to a filter as the chain does, one part after the other, each in pieces, and returns the remaining text of each.
func windows(t *testing.T, f core.StreamFilter, kind core.SegmentKind, texts ...string) (out []string, last core.Verdict) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2)) // randomness for a test only
	for k, text := range texts {
		seen := ""
		pieces := append(stagetest.Chop(r, text, 3), "")
		for n, piece := range pieces {
			w := core.Window{Part: core.Part{Kind: kind, Choice: int32(k)}, Text: seen + piece, New: len(seen), Last: n == len(pieces)-1}
			seen = w.Text
			v, hold, err := f.Check(context.Background(), w)
			require.NoError(t, err)
			last = v
			if v.Action == core.Block {
				return out, v
			}
			if !w.Last {
				require.True(t, hold == 0 || hold == len(w.Text))
				continue
			}
			require.Zero(t, hold)
			for e := len(v.Edits) - 1; e >= 0; e-- {
				text = text[:v.Edits[e].Start] + v.Edits[e].With + text[v.Edits[e].End:]
			}
			out = append(out, text)
		}
	}
	return out, last
}

func streamOf(t *testing.T, s *FullStage, x *core.Exchange) *stageFilter {
	t.Helper()
	f, err := s.Stream(context.Background(), x, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close(context.Background())) })
	return f.(informedFilter).stageFilter
}

func TestEachTextOfAStreamIsShownWhenItIsWholeAndCanBeChanged(t *testing.T) {
	f := streamOf(t, script{steps: "3 c;3 i 0;3 r 0 0 99;3 o;3 e 0 0 2 Ha;"}.stage(t), newConversation(t))
	assert.True(t, f.Withholds())
	out, v := windows(t, f, core.KindText, "hello", "yellow")
	assert.Equal(t, []string{"Hallo", "Hallow"}, out)
	assert.Equal(t, []core.Field{{Name: "X-Out", Value: "1 3/1/3/0/6 yellow"}}, v.Header)
}

func TestAStreamedAnswerIsDenied(t *testing.T) {
	f := streamOf(t, script{steps: "3 d too_long no;"}.stage(t), newConversation(t))
	_, v := windows(t, f, core.KindText, "hello")
	assert.Equal(t, core.Block, v.Action)
	assert.Equal(t, "too_long", v.Err.Code)
}

func TestAtTheEndOfAStreamAllTextsAreThereAndNoneCanBeChanged(t *testing.T) {
	x := newConversation(t)
	x.Finish = "stop"
	f := streamOf(t, script{steps: "4 c;4 r 0 0 9;4 r 1 0 9;4 f 22;4 d end all;"}.stage(t), x)
	windows(t, f, core.KindText, "one", "two")
	v, err := f.End(context.Background())
	require.NoError(t, err)
	require.Equal(t, core.Block, v.Action)

	f = streamOf(t, script{steps: "4 e 0 0 1 x;"}.stage(t), x)
	windows(t, f, core.KindText, "one")
	_, err = f.End(context.Background())
	requireFault(t, err, "cannot be changed any more")
	f = streamOf(t, script{steps: "4 a x-a b;"}.stage(t), x)
	_, err = f.End(context.Background())
	requireFault(t, err, "had been sent")

	var lines []string
	s := script{steps: "4 c;4 r 0 0 9;4 r 1 0 9;4 f 22;4 l;"}
	s.log = logTo(&lines)
	f = streamOf(t, s.stage(t), x)
	windows(t, f, core.KindText, "one", "two")
	_, err = f.End(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []string{"2 one two stop"}, lines)
}

func TestAStreamThatBrokeOffHasNoEnd(t *testing.T) {
	x := newConversation(t)
	x.Outcome.Kind = core.UpstreamErr
	f := streamOf(t, script{steps: "4 z;"}.stage(t), x)
	v, err := f.End(context.Background())
	require.NoError(t, err)
	assert.Equal(t, core.Pass, v.Action)
}

func TestAStageThatOnlyHearsOfTheEndHasNothingWait(t *testing.T) {
	m := allManifest()
	m.Phases = []string{"stream_end"}
	f := streamOf(t, script{manifest: m}.stage(t), newConversation(t))
	assert.False(t, f.Withholds())
	_, hold, err := f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: "abc"})
	require.NoError(t, err)
	assert.Zero(t, hold)
}

func TestAStageThatLetsStreamsPassSeesThemAtTheirEnd(t *testing.T) {
	m := allManifest()
	m.Streams = StreamsPass
	s := script{manifest: m, steps: "3 z;4 d all of-it 0;"}.stage(t)
	f := streamOf(t, s, newConversation(t))
	assert.False(t, f.Withholds())
	out, v := windows(t, f, core.KindText, "hello")
	assert.Equal(t, []string{"hello"}, out)
	assert.Equal(t, core.Pass, v.Action)
	v, err := f.End(context.Background())
	require.NoError(t, err)
	assert.Equal(t, core.Block, v.Action)
}

func TestATextThatTheGuestMayNotSeePassesUnseen(t *testing.T) {
	s := script{steps: "3 z;", options: Options{Grant: foreign.Grant{Text: []string{"tool_args"}}}}.stage(t)
	f := streamOf(t, s, newConversation(t))
	out, v := windows(t, f, core.KindText, "hello")
	assert.Equal(t, []string{"hello"}, out)
	assert.Equal(t, core.Pass, v.Action)
	assert.Zero(t, s.Version().Stats().Calls)
}

func TestAStageThatSeesNoTextIsAskedOnceAndHasNothingWait(t *testing.T) {
	s := script{steps: "3 a x-seen yes;", options: Options{Grant: foreign.Grant{Text: []string{}}}}.stage(t)
	f := streamOf(t, s, newConversation(t))
	assert.False(t, f.Withholds())
	windows(t, f, core.KindText, "hello", "again")
	assert.Equal(t, uint64(1), s.Version().Stats().Calls)
}

func TestAStageConforms(t *testing.T) {
	stagetest.Conform(t, stagetest.Suite{
		New: func(t testing.TB) core.Stage {
			v, err := Load(
				context.Background(),
				LoadOptions{
					Source: testModule(t, "look"),
					Name:   "look.wasm",
					Config: []byte(`{"texts":true}`),
					Cache:  sharedCache(t),
					Limits: Limits{Timeout: 20 * time.Second},
				},
			)
			require.NoError(t, err)
			st, err := NewPlugin(v, Options{Link: "look"})
			require.NoError(t, err)
			return st
		},
		Texts: []string{"a SECRET", "SECRE", "SECRETSECRET", "nothing"}, Phases: []core.Phase{core.Request, core.Response},
	})
}

func TestWhatACallOfAStreamTookIsReleasedWhenItFails(t *testing.T) {
	s := state.NewMemory(state.Options{})
	free := func() string {
		out, _ := checkTenant(t, script{steps: "1 t 2 slots 1 1 0;1 s 1 0;1 o;", options: Options{State: s}}.stage(t), "acme")
		return out
	}
	require.Regexp(t, "^1/0/0", free())
	st := script{steps: "3 t 2 slots 1 1 0;3 z;", options: Options{State: s}}.stage(t)
	f, err := st.Stream(context.Background(), newConversation(t), nil)
	require.NoError(t, err)
	_, _, err = f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: "abc", Last: true})
	require.Error(t, err)
	require.NoError(t, f.Close(context.Background()))
	assert.Regexp(t, "^1/0/0", free())
}

func TestWhatIsKeptAtTheEndOfAnAnswerWithoutTextIsHandedOn(t *testing.T) {
	var lines []string
	s := script{steps: "4 k noted;5 K;5 l;"}
	s.log = logTo(&lines)
	st := s.stage(t)
	x := newConversation(t)
	x.Finish = "stop"
	f := streamOf(t, st, x)
	v, err := f.End(context.Background())
	require.NoError(t, err)
	st.Finish(context.Background(), x, v.Keep)
	assert.Equal(t, []string{"noted"}, lines)
}
