package stagetest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// checkKeepsNothing reuses the memory of one exchange for the next, as the gateway does.
func checkKeepsNothing(t testing.TB, s *Suite) {
	st, fresh, ctx := s.makeStage(t), s.makeStage(t), context.Background()
	p := s.Phases[0]
	for _, text := range s.listShortTexts() {
		if text == "" {
			continue
		}
		other := strings.Repeat(".", len(text))
		want := Whole(t, fresh, Text{Phase: p, Text: other})
		x := Text{Phase: p, Text: text}.Exchange()
		body := findBody(x, p)
		v, err := st.Check(ctx, x, p, nil)
		require.NoError(t, err)
		require.NoError(t, st.finish(ctx, x, v.Keep))
		raw, segments := body.Raw, body.Segments
		body.Reset()
		copy(raw, other)
		body.Raw = raw
		body.Segments = append(
			body.Segments,
			core.Segment{Role: segments[:1][0].Role, Kind: core.KindText, Part: -1, Span: splice.Span{End: len(raw)}},
		)
		if body.Segments[0].Role == 0 {
			body.Segments[0].Role = core.RoleUser
		}
		v, err = st.Check(ctx, x, p, nil)
		require.NoError(t, err)
		require.Equal(t, want.Action, v.Action, "the memory of an exchange is used for the next one")
		require.Equal(t, want.Labels, listLabels(v.Findings), "the memory of an exchange is used for the next one")
	}
}

func findBody(x *core.Exchange, p core.Phase) *core.Payload {
	if p == core.Response {
		return &x.Response
	}
	return &x.Request
}

// checkKeepsApart takes two exchanges through the phases side by side.
func checkKeepsApart(t testing.TB, s *Suite) {
	ctx := context.Background()
	run := func(st *guardedStage, text string, between func()) (out []core.Verdict) {
		x := Text{Phase: core.Request, Text: text}.Exchange()
		answer := Text{Phase: core.Response, Text: text}.Exchange()
		x.Response = answer.Response
		var kept any
		for _, p := range s.Phases {
			v, err := st.Check(ctx, x, p, kept)
			require.NoError(t, err)
			if v.Keep != nil {
				kept = v.Keep
			}
			v.Keep = nil
			out = append(out, v)
			between()
		}
		require.NoError(t, st.finish(ctx, x, kept))
		return out
	}
	st, undisturbed := s.makeStage(t), s.makeStage(t)
	for _, text := range s.listShortTexts() {
		alone := run(undisturbed, text, func() {})
		others := s.Texts
		k := 0
		got := run(st, text, func() {
			run(st, others[k%len(others)], func() {})
			k++
		})
		require.Len(t, got, len(alone))
		for i := range got {
			require.Equal(t, alone[i].Action, got[i].Action, "phase %s", s.Phases[i])
			require.Equal(t, alone[i].Edits, got[i].Edits, "phase %s", s.Phases[i])
			require.Equal(t, listLabels(alone[i].Findings), listLabels(got[i].Findings), "phase %s", s.Phases[i])
		}
	}
}

func checkParallel(t testing.TB, s *Suite) {
	st, texts := s.makeStage(t), s.listTexts()
	p := s.Phases[0]
	want := make([]core.Verdict, len(texts))
	for k, text := range texts {
		var err error
		want[k], err = st.Check(context.Background(), Text{Phase: p, Text: text}.Exchange(), p, nil)
		require.NoError(t, err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for k := range texts {
				k = (k + g) % len(texts)
				got, err := st.Check(context.Background(), Text{Phase: p, Text: texts[k]}.Exchange(), p, nil)
				if assert.NoError(t, err) {
					assert.Equal(t, want[k].Action, got.Action)
					assert.Equal(t, want[k].Edits, got.Edits)
					assert.Equal(t, want[k].Findings, got.Findings)
				}
			}
		})
	}
	all.Wait()
}

func testFinish(t testing.TB, s *Suite) {
	st, ctx := s.makeStage(t), context.Background()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	in := Text{Phase: s.Phases[0], Text: s.Texts[0]}
	want := Whole(t, st, in)
	for _, text := range s.listShortTexts() {
		for _, p := range s.Phases {
			for _, c := range []context.Context{ctx, gone} {
				x := Text{Phase: p, Text: text}.Exchange()
				v, _ := st.Check(c, x, p, nil) // a fault: then it has kept nothing
				kind := map[core.Action]core.OutcomeKind{core.Block: core.Blocked, core.Answer: core.Answered}[v.Action]
				if kind == 0 {
					kind = core.Served
				}
				x.Outcome = core.Outcome{Kind: kind}
				require.NoError(t, st.finish(ctx, x, v.Keep))
				x.Outcome.Kind = core.ClientGone
				require.NoError(t, st.finish(ctx, x, nil), "of an exchange for which nothing was kept")
			}
		}
	}
	require.Equal(t, want, Whole(t, st, in), "a stage goes on as before")
}
