package stagetest

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// findStreamStage returns the stage if it reads streamed answers, which it does only in the response phase.
func (s *Suite) findStreamStage(t testing.TB) (core.StreamStage, bool) {
	for _, p := range s.Phases {
		if p == core.Response {
			return s.makeStage(t).findStream()
		}
	}
	return nil, false
}

func testChoppedStream(t testing.TB, s *Suite) {
	st, ok := s.findStreamStage(t)
	if !ok {
		return
	}
	r := rand.New(rand.NewPCG(5, 6)) // a test's own randomness
	for _, text := range s.listTexts() {
		in := Text{Phase: core.Response, Role: core.RoleAssistant, Text: text}
		want := Whole(t, st, in)
		ways := [][]string{{text}, {text, ""}, {"", text}}
		for _, n := range []int{1, 3, 20} {
			if len(text) < 2000*n {
				ways = append(ways, Chop(r, text, n))
			}
		}
		for _, pieces := range ways {
			got := Streamed(t, st, in, pieces)
			if want.Action == core.Block {
				require.Equal(t, core.Block, got.Action)
				require.True(t, strings.HasPrefix(text, got.Text), "what was sent before the block is how the text begins")
				continue
			}
			require.Equal(t, want, got, "in %d pieces", len(pieces))
		}
	}
}

// testStreamsApart passes two parts to a filter in turns, while another stream of the same stage runs.
func testStreamsApart(t testing.TB, s *Suite) {
	st, ok := s.findStreamStage(t)
	if !ok {
		return
	}
	ctx := context.Background()
	r := rand.New(rand.NewPCG(7, 8)) // as above
	one := func(text, other string) {
		x := func(text string) *core.Exchange {
			return Text{Phase: core.Response, Role: core.RoleAssistant, Text: text}.Exchange()
		}
		first, err := st.Stream(ctx, x(""), nil)
		require.NoError(t, err)
		if first == nil {
			return
		}
		defer func() { require.NoError(t, first.Close(ctx)) }() // also when a rule is broken: a stage may wait for its streams
		second, err := st.Stream(ctx, x(""), nil)
		require.NoError(t, err)
		if second == nil {
			return
		}
		defer func() { require.NoError(t, second.Close(ctx)) }()
		part := func(f core.StreamFilter, choice int32, text string) *partFeed {
			return &partFeed{t: t, f: f, part: core.Part{Kind: core.KindText, Choice: choice}, pieces: Chop(r, text, 7)}
		}
		all := []*partFeed{part(first, 0, text), part(first, 1, other), part(second, 0, other)}
		for more := true; more; {
			more = false
			for _, p := range all {
				more = p.showNext(ctx) || more
			}
		}
		for i, text := range []string{text, other, other} {
			want := Whole(t, st, Text{Phase: core.Response, Role: core.RoleAssistant, Text: text})
			require.Equal(t, want.Action, all[i].out.Action, "beside other parts and streams")
			if want.Action != core.Block && want.Action != core.Retry {
				require.Equal(t, want, all[i].buildOutcome(), "beside other parts and streams")
			}
		}
	}
	for k, text := range s.Texts {
		one(text, s.Texts[(k+1)%len(s.Texts)])
	}
}

func testCutOff(t testing.TB, s *Suite) {
	st, ok := s.findStreamStage(t)
	if !ok {
		return
	}
	ctx := context.Background()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	open := func() core.StreamFilter {
		f, err := st.Stream(ctx, Text{Phase: core.Response}.Exchange(), nil)
		require.NoError(t, err)
		return f
	}
	for _, text := range s.listShortTexts() {
		f := open()
		if f == nil {
			continue
		}
		require.NoError(t, f.Close(ctx), "nothing was shown")
		f = open()
		w := core.Window{Part: core.Part{Kind: core.KindText}, Text: text}
		_, _, err := f.Check(ctx, w)
		require.NoError(t, err)
		require.NoError(t, f.Close(gone), "the client has left in the middle of a part")
		f = open()
		s.requireReturn(t, "a window whose client has left", func() { _, _, _ = f.Check(gone, w) })
		s.requireReturn(t, "closing a filter", func() { _ = f.Close(ctx) })
	}
	text := s.Texts[0]
	in := Text{Phase: core.Response, Role: core.RoleAssistant, Text: text}
	got, want := Streamed(t, st, in, []string{text}), Whole(t, st, in)
	require.Equal(t, want.Action, got.Action, "a stage goes on as before")
}
