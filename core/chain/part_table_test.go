package chain

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// passes is a stage that lets all text of a stream pass.
type passes struct{}

func (passes) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}

func (passes) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return passesText{}, nil
}

type passesText struct{}

func (passesText) Check(context.Context, core.Window) (core.Verdict, int, error) {
	return core.Verdict{Action: core.Pass}, 0, nil
}

func (passesText) Close(context.Context) error { return nil }

// turns streams text of n parts in turns, and returns how many parts and choices the stream
// has looked at.
func turns(t *testing.T, n int, partOf func(k int) core.Part) (steps int, e *core.Error) {
	c, err := New([]Link{{Name: "a", Stage: passes{}, Phases: core.NewPhaseSet(core.Response), Mode: Enforce}}, nil)
	require.NoError(t, err)
	x := new(core.Exchange)
	c.RunRequest(t.Context(), x)
	s, e := c.Stream(t.Context(), x, openai.Chat{})
	require.Nil(t, e)
	defer s.Close(t.Context())
	var ev core.Event
	var out []byte
	for round := range 3 {
		for k := range n {
			p := partOf(k)
			out = s.d.AppendDelta(out[:0], nil, core.Part{Kind: core.KindText, Choice: p.Choice}, fmt.Sprint("text ", round))
			ev.Reset(out)
			require.NoError(t, s.d.ScanEvent(x, &ev))
			require.NotEmpty(t, ev.Deltas)
			for i := range ev.Deltas {
				ev.Deltas[i].Part, ev.Deltas[i].JSON = p, p.Kind == core.KindToolArgs
			}
			if _, e = s.RunEvent(t.Context(), &ev, nil); e != nil {
				return s.parts.steps, e
			}
		}
	}
	_, e = s.End(t.Context(), nil)
	return s.parts.steps, e
}

func TestTheWorkOnAStreamGrowsWithItsPartsAndNotWithTheirSquare(t *testing.T) {
	for name, partOf := range map[string]func(int) core.Part{
		"a text in each choice":    func(k int) core.Part { return core.Part{Kind: core.KindText, Choice: int32(k)} },
		"tool calls of one choice": func(k int) core.Part { return core.Part{Kind: core.KindToolArgs, Index: int32(k)} },
		"tool calls of each choice": func(k int) core.Part {
			return core.Part{Kind: core.KindToolArgs, Choice: int32(k / 8), Index: int32(k)}
		},
		"texts of one choice in turns":    func(k int) core.Part { return core.Part{Kind: core.KindText, Index: int32(k)} },
		"choices from the largest number": func(k int) core.Part { return core.Part{Kind: core.KindText, Choice: int32(1<<31 - 1 - k)} },
	} {
		t.Run(name, func(t *testing.T) {
			few, e := turns(t, 1000, partOf)
			require.Nil(t, e)
			many, e := turns(t, 2000, partOf)
			require.Nil(t, e)
			assert.LessOrEqual(t, many, few*21/10, "twice the parts cost %d steps instead of %d", many, few)
		})
	}
}

func TestAStreamOfTooManyOpenPartsIsCutOff(t *testing.T) {
	_, e := turns(t, maxOpenParts+1, func(k int) core.Part { return core.Part{Kind: core.KindText, Choice: int32(k)} })
	require.NotNil(t, e)
	assert.Equal(t, core.CodeUpstreamInvalid, e.Code)
}

func TestAnEventOfTooManyTextsIsCutOff(t *testing.T) {
	c, err := New([]Link{{Name: "a", Stage: passes{}, Phases: core.NewPhaseSet(core.Response), Mode: Enforce}}, nil)
	require.NoError(t, err)
	x := new(core.Exchange)
	c.RunRequest(t.Context(), x)
	s, e := c.Stream(t.Context(), x, openai.Chat{})
	require.Nil(t, e)
	defer s.Close(t.Context())
	_, e = s.RunEvent(t.Context(), &core.Event{Raw: []byte("data: {}\n\n"), Deltas: make([]core.Delta, maxDeltas+1)}, nil)
	require.NotNil(t, e)
	assert.Equal(t, core.CodeUpstreamInvalid, e.Code)
}
