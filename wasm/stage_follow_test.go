package wasm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

func followerOf(t *testing.T, s *FullStage, x *core.Exchange) *follower {
	t.Helper()
	f, err := s.Stream(context.Background(), x, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close(context.Background())) })
	return f.(informedFollower).follower
}

// checkPiece passes one piece of a numbered part to the filter, all of whose earlier text was released.
func checkPiece(f core.StreamFilter, part int32, text string, last bool) (core.Verdict, int, error) {
	return f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText, Choice: part}, Text: text, Last: last})
}

// answerTexts puts texts into the answer of an exchange; joined says which of them continue the previous text.
func answerTexts(t *testing.T, joined []bool, texts ...string) *core.Exchange {
	t.Helper()
	segments := make([]core.Segment, len(texts))
	for k := range segments {
		segments[k] = core.Segment{Role: core.RoleAssistant, Kind: core.KindText, Joined: joined != nil && joined[k]}
	}
	x := newConversation(t)
	x.Response = body(segments...)(t, texts...).Request
	return x
}

func TestAStageWithStreamChangesTextThatItHeld(t *testing.T) {
	s := script{follow: true, steps: "7 H 4;7 E o 0;8 E o 00;"}.stage(t)
	f := followerOf(t, s, newConversation(t))
	assert.False(t, f.Withholds())
	out := stagetest.Streamed(t, s, stagetest.Text{Phase: core.Response, Role: core.RoleAssistant}, []string{"oo", "ops o", "o", ""})
	assert.Equal(t, core.Rewrite, out.Action)
	assert.Equal(t, "000ps 0000", out.Text)
}

func TestTheSegmentIsWhatIsHeldAndWhatIsNew(t *testing.T) {
	var lines []string
	s := script{follow: true, steps: "6 c;6 l;7 c;7 i 0;7 r 0 0 99;7 H 3;7 l;8 i 0;8 r 0 0 99;8 l;"}
	s.log = logTo(&lines)
	out := stagetest.Streamed(t, s.stage(t), stagetest.Text{Phase: core.Response, Role: core.RoleAssistant}, []string{"abcde", "fg", ""})
	assert.Equal(t, "abcdefg", out.Text)
	assert.Equal(t, []string{"0", "1 3/1/3/0/5 abcde", "1 3/1/3/0/5 cdefg", "3/1/3/0/3 efg"}, lines)
}

func TestACharacterIsNotCutByAHold(t *testing.T) {
	f := followerOf(t, script{follow: true, steps: "7 H 1;"}.stage(t), newConversation(t))
	_, hold, err := checkPiece(f, 0, "Grü", false)
	require.NoError(t, err)
	assert.Equal(t, 2, hold)
}

func TestAStageWithStreamDeniesAndNotes(t *testing.T) {
	s := script{follow: true, steps: "7 a odd 0.5;7 a x-seen yes;8 d too_much no;"}.stage(t)
	f := followerOf(t, s, newConversation(t))
	v, hold, err := checkPiece(f, 0, "abc", false)
	require.NoError(t, err)
	assert.Zero(t, hold)
	assert.Equal(t, []core.Finding{{Label: "odd", Kind: core.FoundDetector, Score: 0.5}}, v.Findings)
	assert.Equal(t, []core.Field{{Name: "X-Seen", Value: "yes"}}, v.Header)
	v, hold, err = f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: "abc", Sent: 3, New: 3, Last: true})
	require.NoError(t, err)
	assert.Zero(t, hold)
	assert.Equal(t, core.Block, v.Action)
	assert.Equal(t, "too_much", v.Err.Code)
}

func TestAnAnswerThatIsNotStreamedIsShownToTheSameHook(t *testing.T) {
	s := script{follow: true, steps: "7 H 2;7 E o 0;8 E o 0;8 a odd;3 z;"}.stage(t)
	x := answerTexts(t, []bool{false, false, true}, "one or two", "fo", "ur oo")
	v, err := s.Check(context.Background(), x, core.Response, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Rewrite, v.Action)
	assert.Equal(t, []core.Edit{
		{Segment: 0, Start: 0, End: 1, With: "0"},
		{Segment: 0, Start: 4, End: 5, With: "0"},
		{Segment: 0, Start: 9, End: 10, With: "0"},
		{Segment: 1, Start: 1, End: 2, With: "0", Value: "o"},
		{Segment: 2, Start: 3, End: 4, With: "0", Value: "o"},
		{Segment: 2, Start: 4, End: 5, With: "0", Value: "o"},
	}, v.Edits)
	require.Len(t, v.Findings, 2)
	assert.Equal(t, 1, v.Findings[1].Segment)
}

func TestAnInsertionLandsInTheSegmentOfItsPlace(t *testing.T) {
	s := script{follow: true, steps: "7 e 0 0 0 A;7 e 0 3 3 Z;"}.stage(t)
	v, err := s.Check(context.Background(), answerTexts(t, []bool{false, true}, "ab", "cd"), core.Response, nil)
	require.NoError(t, err)
	assert.Equal(t, []core.Edit{{Segment: 0, With: "A"}, {Segment: 1, Start: 1, End: 1, With: "Z"}}, v.Edits)
}

func TestEachAnswerBeginsWithAnInstanceThatKnowsOfNoOther(t *testing.T) {
	var lines []string
	s := script{follow: true, steps: "1 l;8 T 1;8 T 2;8 l;4 T 1;4 l;", limits: Limits{Instances: 1}}
	s.log = logTo(&lines)
	st := s.stage(t)
	x := newConversation(t)
	x.Finish = "stop"
	for range 2 {
		f := followerOf(t, st, x)
		for part := range int32(2) {
			_, _, err := checkPiece(f, part, "abc", false)
			require.NoError(t, err)
		}
		for part := range int32(2) {
			_, _, err := checkPiece(f, part, "", true)
			require.NoError(t, err)
		}
		_, err := f.End(context.Background())
		require.NoError(t, err)
		require.NoError(t, f.Close(context.Background()))
		_, err = st.Check(context.Background(), answerTexts(t, nil, "whole"), core.Response, nil)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"2 2", "2 2", "2", "1 1", "2 2", "2 2", "2", "1 1"}, lines)
}

func TestMoreAnswersThanTheLimitAreAnOverload(t *testing.T) {
	st := script{follow: true, limits: Limits{Streams: 1}}.stage(t)
	f := followerOf(t, st, newConversation(t))
	_, err := st.Stream(context.Background(), newConversation(t), nil)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultOverload, e.Fault())
	require.NoError(t, f.Close(context.Background()))
	require.NoError(t, must(st.Stream(context.Background(), newConversation(t), nil)).Close(context.Background()))
}

func must(f core.StreamFilter, err error) core.StreamFilter {
	if err != nil {
		panic(err)
	}
	return f
}

func TestWhatAStageWithStreamMayNotDo(t *testing.T) {
	for name, c := range map[string]struct {
		steps string
		want  core.Fault
		says  string
	}{
		"hold more than there is":            {"7 x 4;", core.FaultABI, "holds back more text than there is"},
		"hold text at the end":               {"8 x 1;", core.FaultABI, "after the part has ended"},
		"edit what it holds":                 {"7 e 0 0 1 x;7 H 3;", core.FaultABI, "text that it holds back"},
		"say neither yes nor no to a part":   {"6 x 2;", core.FaultABI, "when a part was opened"},
		"give an address":                    {"7 x 8;", core.FaultABI, "must return only a number of bytes"},
		"name another segment":               {"7 r 1 0 1;", core.FaultABI, "a segment that there is not"},
		"read a segment before it exists":    {"6 r 0 0 1;", core.FaultABI, "a segment that there is not"},
		"edit inside a character":            {"7 e 0 1 2 x;", core.FaultABI, "inside a character"},
		"respond":                            {"7 p hello;", core.FaultABI, "phase other than the request"},
		"deny twice":                         {"7 d a b;7 d a b;", core.FaultABI, "decided twice"},
		"fail":                               {"7 x 9;", core.FaultError, "reported an error"},
		"trap":                               {"8 z;", core.FaultTrap, ""},
		"run for ever":                       {"7 w;", core.FaultTimeout, ""},
		"settle what is not of the answer's": {"7 R 11 1 4294967288 4;", core.FaultABI, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := script{follow: true, steps: c.steps, timeout: 10 * time.Second}
			if c.want == core.FaultTimeout {
				s.timeout = 20 * time.Millisecond
			}
			st := s.stage(t)
			f := followerOf(t, st, newConversation(t))
			_, _, err := checkPiece(f, 0, "aéb"[:3], false)
			if err == nil {
				_, _, err = f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: "aé", Sent: 3, New: 3, Last: true})
			}
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.want, e.Fault(), err.Error())
			assert.ErrorContains(t, err, c.says)
			_, _, err = checkPiece(f, 1, "more", true)
			require.ErrorContains(t, err, "failed before")
			require.NoError(t, f.Close(context.Background()))
			assert.Zero(t, st.Version().pool.countStreams(), "its instance is gone")
			_, err = st.Check(context.Background(), newConversation(t), core.Request, nil)
			require.NoError(t, err, "the next call is served")
		})
	}
}

func TestAHoldHasABound(t *testing.T) {
	f := followerOf(t, script{follow: true, steps: "7 H 49153;"}.stage(t), newConversation(t))
	_, _, err := checkPiece(f, 0, strings.Repeat("x", 49_152), false)
	require.NoError(t, err)
	_, _, err = checkPiece(f, 1, strings.Repeat("x", 49_153), false)
	requireFault(t, err, "more than 49152 bytes")
}

func TestAPartThatTheGuestDoesNotWantIsNotShown(t *testing.T) {
	f := followerOf(t, script{follow: true, steps: "6 x 1;7 z;8 z;"}.stage(t), newConversation(t))
	for _, last := range []bool{false, true} {
		v, hold, err := checkPiece(f, 0, "abc", last)
		require.NoError(t, err)
		assert.Zero(t, hold)
		assert.Equal(t, core.Pass, v.Action)
	}
	v, err := script{follow: true, steps: "6 x 1;7 z;8 z;"}.stage(t).Check(context.Background(), answerTexts(t, nil, "abc"), core.Response, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Pass, v.Action)
}

func TestWhatAStreamKeepsIsThereAtTheEnd(t *testing.T) {
	var lines []string
	s := script{follow: true, steps: "7 k noted;4 K;4 l;5 K;5 l;"}
	s.log = logTo(&lines)
	st := s.stage(t)
	x := newConversation(t)
	x.Finish = "stop"
	f := followerOf(t, st, x)
	v, _, err := checkPiece(f, 0, "abc", true)
	require.NoError(t, err)
	kept := v.Keep
	require.NotNil(t, kept)
	_, err = f.End(context.Background())
	require.NoError(t, err)
	st.Finish(context.Background(), x, kept)
	assert.Equal(t, []string{"noted", "noted"}, lines)
}

func TestWhatAStreamTookIsReleasedWhenItFails(t *testing.T) {
	store := state.NewMemory(state.Options{})
	st := script{follow: true, steps: "7 t 2 slots 1 1 0;7 z;1 t 2 slots 1 1 0;1 s 1 0;1 o;", options: Options{State: store}}.stage(t)
	f := must(st.Stream(context.Background(), newConversation(t), nil))
	_, _, err := checkPiece(f, 0, "abc", true)
	require.Error(t, err)
	require.NoError(t, f.Close(context.Background()))
	out, _ := checkTenant(t, st, "acme")
	assert.Regexp(t, "^1/0/0", out)
}

func TestTextsThatMayNotBeSeenPinNothing(t *testing.T) {
	s := script{follow: true, steps: "6 z;", options: Options{Grant: foreign.Grant{Text: []string{"user"}}}}.stage(t)
	x := newConversation(t)
	f, err := s.Stream(context.Background(), x, nil)
	require.NoError(t, err)
	_, _, err = checkPiece(f, 0, "abc", true)
	require.NoError(t, err)
	assert.Zero(t, s.Version().Stats().Calls)
}

func TestAStageWithStreamCanHaveTheAnswerWithheld(t *testing.T) {
	m := allManifest()
	m.Streams = StreamsWithhold
	assert.True(t, followerOf(t, script{follow: true, manifest: m}.stage(t), newConversation(t)).Withholds())
}

func TestAManifestThatContradictsStreamIsRefused(t *testing.T) {
	m := allManifest()
	m.Streams = StreamsPass
	_, err := Load(context.Background(), LoadOptions{Source: testModule(t, "follow"), Name: "x.wasm", Manifest: m})
	require.ErrorContains(t, err, "contradict each other")
	g := guest{nodetect: true, manifest: `{"name":"x","kind":"stage","phases":["request","response"]}`, stream: i64c(0)}
	_, err = Load(context.Background(), LoadOptions{Source: g.bytes(), Name: "x.wasm"})
	require.ErrorContains(t, err, "phases: [response]")
	g.manifest = `{"name":"x","kind":"stage","phases":["response"],"reads":{"text":["assistant"]}}`
	v, err := Load(context.Background(), LoadOptions{Source: g.bytes(), Name: "x.wasm"})
	require.NoError(t, err)
	v.Release(context.Background())
}

// A stage that replaces each letter o with a digit and holds some text back conforms.
func TestAStageWithStreamConforms(t *testing.T) {
	stagetest.Conform(t, stagetest.Suite{
		New: func(t testing.TB) core.Stage {
			v := script{follow: true, steps: "7 H 7;7 E o 0;8 E o 0;", timeout: 20 * time.Second, limits: Limits{Streams: 64}}.load(t)
			st, err := NewPlugin(v, Options{Link: "x", State: noState{}})
			require.NoError(t, err)
			return st
		},
		Texts: []string{"one of those", "nothing", "oooooooooooooooooooooooooo", "éoé"}, Phases: []core.Phase{core.Response},
	})
}
