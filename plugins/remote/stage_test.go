package remote

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// says is a guard within the process.
type says func(q *Question) (Verdict, error)

func (f says) Ask(_ context.Context, q *Question) (Verdict, error) { return f(q) }
func (says) Close()                                                {}

func ask(s *Stage, text string) (core.Verdict, error) {
	return s.Check(context.Background(), stagetest.Text{Text: text}.Exchange(), core.Request, nil)
}

func assertFault(t *testing.T, err error, kind core.Fault, reason string) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, kind, e.Fault())
	assert.ErrorContains(t, err, reason)
	assert.ErrorContains(t, err, `test "the-guard"`)
}

func TestCallsAtOnceAreBounded(t *testing.T) {
	enter, leave := make(chan struct{}, 100), make(chan struct{})
	var calls atomic.Int64
	s := New(Options{Guard: "test", Link: "the-guard", Calls: 2, Timeout: 20 * time.Second}, says(func(*Question) (Verdict, error) {
		calls.Add(1)
		enter <- struct{}{}
		<-leave
		return Verdict{Action: Pass}, nil
	}))
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { _, err := ask(s, "x"); assert.NoError(t, err) })
		<-enter
	}
	for range s.slots.MaxWaiting() {
		all.Go(func() { _, err := ask(s, "x"); assert.NoError(t, err) })
	}
	require.Eventually(t, func() bool { return s.slots.Waiting() == s.slots.MaxWaiting() }, 10*time.Second, time.Millisecond)
	_, err := ask(s, "x")
	assertFault(t, err, core.FaultOverload, "too many calls")
	assert.EqualValues(t, 2, calls.Load(), "at most two at once")
	close(leave)
	all.Wait()
}

func TestAWaiterGivesUpWithItsTimeout(t *testing.T) {
	s := New(Options{Guard: "test", Link: "the-guard", Calls: 1, Timeout: 30 * time.Millisecond}, says(func(*Question) (Verdict, error) {
		return Verdict{Action: Pass}, nil
	}))
	require.True(t, s.slots.Take(context.Background()))
	_, err := ask(s, "x")
	assertFault(t, err, core.FaultOverload, "too many calls")
	s.slots.Release()
	_, err = ask(s, "x")
	require.NoError(t, err)
}

func TestAVerdictThatDoesNotFitItsTextsIsAFault(t *testing.T) {
	one := func(s Span) Verdict { return Verdict{Action: Redact, Spans: [][]Span{{s}}} }
	for name, v := range map[string]Verdict{
		"about more texts":      {Action: Flag, Spans: make([][]Span, 2)},
		"before the text":       one(Span{Start: -1, End: 1, Label: "a"}),
		"behind the text":       one(Span{Start: 0, End: 9, Label: "a"}),
		"empty":                 one(Span{Start: 2, End: 2, Label: "a"}),
		"cut in a character":    one(Span{Start: 0, End: 2, Label: "a"}),
		"without a label":       one(Span{Start: 0, End: 1}),
		"with a strange label":  one(Span{Start: 0, End: 1, Label: "A B"}),
		"with too high a score": one(Span{Start: 0, End: 1, Label: "a", Score: 2}),
		"too many":              {Action: Flag, Spans: [][]Span{make([]Span, MaxFindings+1)}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Options{Guard: "test", Link: "the-guard"}, says(func(*Question) (Verdict, error) { return v, nil }))
			_, err := ask(s, "xé")
			assertFault(t, err, core.FaultVerdict, "")
		})
	}
}

func TestWhatAGuardInShadowCannotTakeIsDroppedAndCounted(t *testing.T) {
	release, said := make(chan struct{}), make(chan Observed, 1000)
	o := Options{Guard: "test", Link: "the-guard", Shadow: true, Timeout: time.Minute, Note: func(o Observed) { said <- o }}
	s := New(o, says(func(*Question) (Verdict, error) {
		<-release
		return Verdict{Action: Pass}, nil
	}))
	for range 2*shadowCalls + shadowWorkers {
		v, err := ask(s, "x")
		require.NoError(t, err)
		require.Equal(t, core.Pass, v.Action)
	}
	_, err := ask(s, strings.Repeat("x", shadowBytes))
	require.NoError(t, err)
	close(release)
	asked, dropped := int64(0), int64(0)
	for dropped == 0 || asked < shadowCalls {
		asked++
		dropped += (<-said).Dropped
	}
	assert.GreaterOrEqual(t, dropped, int64(shadowCalls-shadowWorkers))
	require.NoError(t, s.Close(context.Background()))
}
