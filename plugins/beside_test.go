package plugins

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// fake is a stage with prepared verdicts.
type fake struct {
	v        core.Verdict
	err      error
	panics   bool
	kept     []any
	finished []any
	closed   int
}

func (f *fake) Check(_ context.Context, _ *core.Exchange, _ core.Phase, kept any) (core.Verdict, error) {
	f.kept = append(f.kept, kept)
	if f.panics {
		panic("a prompt")
	}
	return f.v, f.err
}

func (f *fake) Finish(_ context.Context, _ *core.Exchange, kept any) {
	f.finished = append(f.finished, kept)
	if f.panics {
		panic("a prompt")
	}
}

func (f *fake) Close(context.Context) error { f.closed++; return nil }

func newBeside(t *testing.T, live, next *fake) (*besideStage, *trial) {
	t.Helper()
	d := openDir(t, Options{Dir: t.TempDir()})
	tr := newTrial(
		d,
		&record{name: file, live: &module{digest: "a"}},
		&module{digest: "b"},
		Candidate{MinCalls: 1000, MaxDivergence: 1, MaxFaults: 1000},
	)
	return &besideStage{live: live, next: next, t: tr}, tr
}

func TestVerdictsAreComparedByWhatTheyDo(t *testing.T) {
	found := func(label string, start int) core.Verdict {
		return core.Verdict{Action: core.Pass, Findings: []core.Finding{{Label: label, Start: start, End: start + 2, Score: float32(start)}}}
	}
	edit := func(with string) core.Verdict {
		return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{End: 2, With: with}}}
	}
	refuse := func(code, text string) core.Verdict {
		return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.ContentFiltered, Code: code, Public: text}}
	}
	scored := found("a", 1)
	scored.Findings[0].Score = 0.5
	for name, c := range map[string]struct {
		live, next core.Verdict
		want       string
	}{
		"equal":                    {found("a", 1), found("a", 1), ""},
		"scores do not count":      {found("a", 1), scored, ""},
		"another label":            {found("a", 1), found("b", 1), DiffersFindings},
		"another place":            {found("a", 1), found("a", 2), DiffersFindings},
		"nothing found":            {found("a", 1), core.Verdict{Action: core.Pass}, DiffersFindings},
		"other edits":              {edit("x"), edit("y"), DiffersEdits},
		"another action":           {edit("x"), core.Verdict{Action: core.Pass}, DiffersAction},
		"words do not count":       {refuse("a", "one"), refuse("a", "two"), ""},
		"another code":             {refuse("a", "one"), refuse("b", "one"), DiffersAction},
		"another model":            {core.Verdict{Action: core.Rewrite, Patch: core.Patch{Model: "m"}}, core.Verdict{Action: core.Rewrite}, DiffersRest},
		"another header":           {core.Verdict{Action: core.Pass, Header: []core.Field{{Name: "a", Value: "1"}}}, core.Verdict{Action: core.Pass}, DiffersRest},
		"another answer":           {core.Verdict{Action: core.Answer, Reply: &core.Payload{Raw: []byte("1")}}, core.Verdict{Action: core.Answer, Reply: &core.Payload{Raw: []byte("2")}}, DiffersRest},
		"the order does not count": {core.Verdict{Action: core.Pass, Findings: append(found("a", 1).Findings, found("b", 5).Findings...)}, core.Verdict{Action: core.Pass, Findings: append(found("b", 5).Findings, found("a", 1).Findings...)}, ""},
	} {
		s, tr := newBeside(t, &fake{v: c.live}, &fake{v: c.next})
		v, err := s.Check(context.Background(), exchange("x"), core.Request, nil)
		require.NoError(t, err)
		assert.Equal(t, c.live, v, name)
		want := map[string]int64{}
		if c.want != "" {
			want[c.want] = 1
		}
		assert.Equal(t, want, tr.byKind, name)
	}
}

func TestEachVersionKeepsItsOwn(t *testing.T) {
	live, next := &fake{v: core.Verdict{Action: core.Pass, Keep: "l1"}}, &fake{v: core.Verdict{Action: core.Pass, Keep: "n1"}}
	s, _ := newBeside(t, live, next)
	ctx, x := context.Background(), exchange("x")
	v, err := s.Check(ctx, x, core.Request, nil)
	require.NoError(t, err)
	kept := v.Keep
	live.v.Keep, next.v.Keep = nil, "n2"
	v, err = s.Check(ctx, x, core.Response, kept)
	require.NoError(t, err)
	kept = v.Keep
	next.v.Keep = nil
	v, err = s.Check(ctx, x, core.Response, kept)
	require.NoError(t, err)
	assert.Nil(t, v.Keep, "nothing new to keep")
	s.Finish(ctx, x, kept)
	assert.Equal(t, []any{nil, "l1", "l1"}, live.kept)
	assert.Equal(t, []any{nil, "n1", "n2"}, next.kept)
	assert.Equal(t, []any{"l1"}, live.finished)
	assert.Equal(t, []any{"n2"}, next.finished)
	require.NoError(t, s.Close(ctx))
	assert.Equal(t, []int{1, 1}, []int{live.closed, next.closed})
	_, err = s.Stream(ctx, x, nil)
	require.ErrorIs(t, err, errNoStream, "the serving version does not inspect streams, and the chain reports it")
}

func TestNothingThatACandidateDoesReachesTheExchange(t *testing.T) {
	pass := core.Verdict{Action: core.Pass}
	boom := errors.New("boom")
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx        context.Context
		live, next *fake
		faults     map[core.Fault]int64
		skipped    int64
		asked      int
	}{
		"an error":                             {context.Background(), &fake{v: pass}, &fake{err: boom}, map[core.Fault]int64{core.FaultError: 1}, 0, 1},
		"a deadline":                           {context.Background(), &fake{v: pass}, &fake{err: context.DeadlineExceeded}, map[core.Fault]int64{core.FaultTimeout: 1}, 0, 1},
		"a panic":                              {context.Background(), &fake{v: pass}, &fake{panics: true}, map[core.Fault]int64{core.FaultPanic: 1}, 0, 1},
		"the serving version fails":            {context.Background(), &fake{err: boom}, &fake{v: pass}, map[core.Fault]int64{}, 1, 1},
		"a client that has left":               {canceled, &fake{v: pass}, &fake{v: pass}, map[core.Fault]int64{}, 0, 0},
		"both fail, which is not a difference": {context.Background(), &fake{err: boom}, &fake{err: boom}, map[core.Fault]int64{}, 1, 1},
	} {
		s, tr := newBeside(t, c.live, c.next)
		v, err := s.Check(c.ctx, exchange("x"), core.Request, nil)
		assert.Equal(t, c.live.err, err, name)
		assert.Equal(t, c.live.v, v, name)
		assert.Equal(t, c.faults, tr.faults, name)
		assert.Equal(t, c.skipped, tr.skipped.Load(), name)
		assert.Zero(t, tr.calls.Load()-tr.diverged.Load(), name)
		assert.Len(t, c.next.kept, c.asked, name)
		s.Finish(c.ctx, exchange("x"), nil)
		assert.Len(t, c.live.finished, 1, name)
	}
}
