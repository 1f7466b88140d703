package wasm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestAStageThatSaysNothingPasses(t *testing.T) {
	st := script{}.stage(t)
	for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
		v, err := st.Check(context.Background(), newConversation(t), p, nil)
		require.NoError(t, err)
		assert.Equal(t, core.Verdict{Action: core.Pass}, v)
	}
	assert.Equal(t, uint64(3), st.Version().Stats().Calls)
}

func TestAStageIsCalledInThePhasesOfItsManifestAlone(t *testing.T) {
	m := allManifest()
	m.Phases = []string{"target", "finish"}
	st := script{manifest: m, steps: "* d - -;"}.stage(t)
	assert.Equal(t, core.NewPhaseSet(core.Target), m.PhaseSet())
	v, err := st.Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Pass, v.Action)
	v, err = st.Check(context.Background(), newConversation(t), core.Target, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Block, v.Action)
	f, err := st.Stream(context.Background(), newConversation(t), nil)
	require.NoError(t, err)
	assert.Nil(t, f, "it has no phase for answers")

	m.Phases = []string{"finish"}
	assert.Equal(t, core.NewPhaseSet(core.Request), m.PhaseSet(), "so that the chain notifies it of the end")
	m.Phases = []string{"stream_end"}
	assert.Equal(t, core.NewPhaseSet(core.Response), m.PhaseSet())
}

func TestTheCodeOfADenialFixesItsStatus(t *testing.T) {
	for _, c := range []struct {
		code    string
		status  int
		noRetry bool
	}{
		{"-", 400, false},
		{"content_filter", 400, false},
		{"invalid_value", 400, false},
		{"POLICY_DENIED", 403, false},
		{"rate_limit_exceeded", 429, false},
		{"insufficient_quota", 429, true},
		{"overloaded", 503, false},
		{"too_much_poetry", 400, false},
	} {
		v, err := script{steps: "1 d " + c.code + " no\x01way 1500;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
		require.NoError(t, err, c.code)
		require.Equal(t, core.Block, v.Action)
		assert.Equal(t, c.status, v.Err.HTTPStatus(), c.code)
		assert.Equal(t, strings.Replace(c.code, "-", "content_filter", 1), v.Err.Code)
		assert.Equal(t, 1500*time.Millisecond, v.Err.RetryAfter)
		assert.Equal(t, c.noRetry, v.Err.NoRetry)
		assert.Equal(t, `no\u0001way`, v.Err.Public)
	}
	v, err := script{steps: "1 d - -;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, `the guard "link" does not let this request pass`, v.Err.Public)
}

func TestEditsHaveOffsetsOfTheTextAsItWas(t *testing.T) {
	// Edits out of order, at one offset, and an insertion where another edit begins.
	st := script{steps: "1 e 1 4 6 SZ;1 e 0 0 2 BE;1 e 1 0 0 [;1 e 1 0 0 (;1 e 1 0 1 g;1 e 1 7 7 !;"}.stage(t)
	v, err := st.Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	require.Equal(t, core.Rewrite, v.Action)
	c, err := chain.New([]chain.Link{{Name: "link", Stage: st, Phases: core.NewPhaseSet(core.Request), Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	x := newConversation(t)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, `["BE brief","[(grüSZe!","aus Köln","42"]`, string(x.Request.Raw))
}

func TestADenialDropsEdits(t *testing.T) {
	v, err := script{steps: "1 e 0 0 1 x;1 d - -;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Block, v.Action)
	assert.Empty(t, v.Edits)
}

func TestAnnotationsAreHeadersAndLabels(t *testing.T) {
	v, err := script{steps: "1 a x-team red-7;1 a odd 0.25;1 a odder -;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, []core.Field{{Name: "X-Team", Value: "red-7"}}, v.Header)
	assert.Equal(
		t,
		[]core.Finding{{Label: "odd", Kind: core.FoundDetector, Score: 0.25}, {Label: "odder", Kind: core.FoundDetector, Score: 1}},
		v.Findings,
	)
}

func TestATextIsRespondedWith(t *testing.T) {
	v, err := script{steps: "1 p hello;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	require.Equal(t, core.Answer, v.Action)
	assert.Equal(t, "hello", string(v.Reply.Raw))
	_, err = script{steps: "1 p wordless;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	requireFault(t, err, "no words")
}

func TestWhatIsKeptIsThereInTheNextPhase(t *testing.T) {
	st := script{steps: "1 K;1 o;1 k one;2 K;2 o;2 k second;3 K;3 o;"}.stage(t)
	x := newConversation(t)
	v, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	assert.Empty(t, v.Header[0].Value)
	kept := v.Keep
	v, err = st.Check(context.Background(), x, core.Target, kept)
	require.NoError(t, err)
	assert.Equal(t, "one", v.Header[0].Value)
	v, err = st.Check(context.Background(), x, core.Response, kept)
	require.NoError(t, err)
	assert.Equal(t, "second", v.Header[0].Value)
	v, err = st.Check(context.Background(), newConversation(t), core.Target, nil)
	require.NoError(t, err)
	assert.Empty(t, v.Header[0].Value, "another exchange has kept nothing")
}

func TestBadCallsOfTheGuestAreFaultsOfTheABI(t *testing.T) {
	const far = "4294967280"
	for _, c := range []struct{ name, steps, says string }{
		{"a field written outside the memory", "* R 1 1 " + far + " 100;", "outside its memory"},
		{"a missing segment", "* R 2 4;", "segment that there is not"},
		{"a segment of a huge number", "* R 2 " + far + ";", "segment that there is not"},
		{"a read behind the end", "* R 3 0 9 0 1;", "behind the end"},
		{"a read to outside the memory", "* R 3 0 0 " + far + " 8;", "outside its memory"},
		{"a denial with a code outside the memory", "* R 4 " + far + " 20 0 0 0;", "outside its memory"},
		{"a denial with a code of other characters", "* d No! x 0;", "small letters"},
		{"two denials", "* d - x 0;* d - x 0;", "decided twice"},
		{"a denial and an answer", "* d - x 0;* p x;", "decided twice"},
		{"an edit that ends behind the text", "* R 5 0 0 9 0 0;", "outside of a segment"},
		{"an edit that ends before it begins", "* R 5 0 5 4 0 0;", "outside of a segment"},
		{"an edit that begins inside a character", "* e 1 3 4 x;", "inside a character"},
		{"an edit that ends inside a character", "* e 1 0 3 x;", "inside a character"},
		{"an edit of a missing segment", "* e 9 0 0 x;", "segment that there is not"},
		{"edits that overlap", "* e 0 0 3 x;* e 0 2 4 y;", "overlap"},
		{"edits that overlap the other way round", "* e 0 2 4 y;* e 0 0 3 x;", "overlap"},
		{"an insertion inside an edit", "* e 0 0 4 y;* e 0 2 2 x;", "overlap"},
		{"the same edit twice", "* e 0 0 4 y;* e 0 0 4 x;", "overlap"},
		{"an annotation without a key", "* a - x;", "no key"},
		{"an annotation of an unknown label", "* a other x;", "neither"},
		{"a label whose value is not a number", "* a odd x;", "between 0 and 1"},
		{"a label whose value is too large", "* a odd 2;", "between 0 and 1"},
		{"a header of the gateway's own", "* a x-trace-id x;", "itself sets"},
		{"a header with capitals", "* a x-Team x;", "small letters"},
		{"too many annotations", strings.Repeat("* a odd -;", abi.MaxAnnotations+1), "more annotations"},
		{"more kept than allowed", "* R 8 0 4097;", "more for an exchange"},
		{"a keep outside the memory", "* R 8 " + far + " 17;", "outside its memory"},
		{"an unknown result", "* x 7;", "neither done nor failed"},
		{"limits outside the memory", "* R 10 " + far + " 1;", "outside its memory"},
		{"no limit", "* R 10 0 0;", "no limit"},
		{"too many limits", "* R 10 0 33;", "too many"},
		{"a limit without a key", "* t 1 - 1 1 1;", "key"},
		{"a limit of an unknown kind", "* t 4 k 1 1 1;", "no kind"},
		{"a limit of kind zero", "* t 0 k 1 1 1;", "no kind"},
		{"a negative cost", "* t 1 k -1 1 1;", "negative"},
		{"a rate without a period", "* t 1 k 1 1 0;", "period"},
		{"too many holds", strings.Repeat("* t 2 k 1 9 0;", abi.MaxHolds+1), "settle or release"},
		{"a settlement without a hold", "* R 11 1 0 0;", "no limit"},
		{"a settlement that is negative", "* t 2 k 1 9 0;* s 1 -4;", "negative"},
		{"a value without a key", "* g -;", "key"},
		{"a value with a negative time to live", "* R 13 0 1 0 1 4294967295;", "less than no time"},
		{"a value that is too long", "* R 13 0 1 0 1048577 5;", "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := script{steps: c.steps}.stage(t)
			v, err := st.Check(context.Background(), newConversation(t), core.Request, nil)
			requireFault(t, err, c.says)
			assert.Empty(t, v)
			assert.Equal(t, map[core.Fault]uint64{core.FaultABI: 1}, st.Version().Stats().Faults)
			assert.Zero(t, st.Version().Stats().Instances, "an instance that failed is closed")
		})
	}
	for _, c := range []struct {
		name, steps, says string
		phase             core.Phase
	}{
		{"an answer to an answer", "* p x;", "other than the request's", core.Response},
		{"an answer for a target", "* p x;", "other than the request's", core.Target},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := script{steps: c.steps}.stage(t).Check(context.Background(), newConversation(t), c.phase, nil)
			requireFault(t, err, c.says)
		})
	}
}

func TestOtherFaultsOfAStageAreToldApart(t *testing.T) {
	for name, c := range map[string]struct {
		steps string
		want  core.Fault
	}{
		"it says that it failed": {"* d - x 0;* x 1;", core.FaultError},
		"it traps":               {"* z;", core.FaultTrap},
		"it never returns":       {"* w;", core.FaultTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := 10 * time.Second
			if c.want == core.FaultTimeout {
				timeout = 30 * time.Millisecond
			}
			st := script{steps: c.steps, timeout: timeout}.stage(t)
			_, err := st.Check(context.Background(), newConversation(t), core.Request, nil)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.want, e.Fault())
			assert.Equal(t, map[core.Fault]uint64{c.want: 1}, st.Version().Stats().Faults)
		})
	}
}

func TestAStageThatKeepsFailingIsTakenOutOfService(t *testing.T) {
	st := script{steps: "1 z;"}.stage(t)
	st.v.config = []byte("no longer accepted") // makes every canary fail
	for range tripAfter {
		_, err := st.Check(context.Background(), newConversation(t), core.Request, nil)
		require.Error(t, err)
	}
	_, err := st.Check(context.Background(), newConversation(t), core.Request, nil)
	require.ErrorContains(t, err, "out of service")
	assert.True(t, st.Version().Stats().OutOfService)
}

func TestSettingsOfDetectorsAreRefusedForStages(t *testing.T) {
	v := script{}.load(t)
	defer v.Release(context.Background())
	s := Settings{Action: "block", Sources: []string{"user"}}
	require.ErrorContains(t, s.CheckStage(), "action, sources: only for detectors")
	s = Settings{Settings: 1}
	require.NoError(t, s.CheckStage())
	_, err := NewPlugin(v, Options{Link: "x"})
	require.ErrorContains(t, err, "there is no state store")
}
