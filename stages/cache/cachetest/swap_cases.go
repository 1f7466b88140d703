package cachetest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

func storeInPlace(t *testing.T, by *Subject) {
	before := swap{"placeholder", "value"}
	behind := swap{"secret", "placeholder"}
	for _, streamed := range []bool{false, true} {
		b := NewBench(
			t,
			by,
			"{}",
			nil,
			chain.Link{Name: "before", Stage: before, Phases: core.NewPhaseSet(core.Response)},
			chain.Link{Name: "z", Stage: behind, Phases: core.NewPhaseSet(core.Response)},
		)
		c := Call{Body: FormatRequest("hi"), Answer: FormatAnswer("a secret")}
		if streamed {
			c = Call{Body: FormatStreamRequest("hi"), Events: []string{FormatDelta("a secret"), Stop, Done}}
		}
		first := b.Send(c)
		assert.Contains(t, first.Text, "a value")
		stored := by.Bodies(b.link)
		require.Len(t, stored, 1)
		assert.Contains(t, stored[0], "a placeholder")
		second := b.Send(Call{Body: c.Body})
		require.Equal(t, core.Answer, second.Action)
		assert.Equal(t, first.Text, second.Text, "a hit passes the links before")
	}
}

// swap replaces one word in answers, if it arrives in one piece.
type swap struct{ from, to string }

func (s swap) listEdits(text string) []core.Edit {
	if at := strings.Index(text, s.from); at >= 0 {
		return []core.Edit{{Start: at, End: at + len(s.from), With: s.to}}
	}
	return nil
}

func (s swap) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Rewrite}
	for i := range x.Response.Segments {
		for _, e := range s.listEdits(x.Response.ReadText(i)) {
			e.Segment = i
			v.Edits = append(v.Edits, e)
		}
	}
	return v, nil
}

func (s swap) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return swapping{s}, nil
}

type swapping struct{ s swap }

func (s swapping) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	edits := s.s.listEdits(w.Text[w.Sent:])
	for i := range edits {
		edits[i].Start += w.Sent
		edits[i].End += w.Sent
	}
	return core.Verdict{Action: core.Rewrite, Edits: edits}, 0, nil
}

func (swapping) Close(context.Context) error { return nil }
