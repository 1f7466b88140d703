//go:build !wasip1

package stream

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestAFilterIsTriedLikeAStage(t *testing.T) {
	x := &guest.Trial{Texts: []guest.TrialText{{Text: guest.Text{Source: abi.SourceReasoning}, Value: "held text"}}}
	ask := func(last bool) (hold int, err error) {
		guest.Stage(func(guest.Phase) error { hold, err = Run(7, last); return nil })
		defer guest.Stage(nil)
		require.NoError(t, x.Run(guest.Response))
		return hold, err
	}
	_, err := ask(false)
	require.ErrorIs(t, err, errNone)
	Filter(func(h *Held) (int, error) {
		assert.Equal(t, "held text", string(h.Text))
		assert.Equal(t, uint32(7), h.Part)
		assert.Equal(t, abi.SourceReasoning, h.Source)
		h.Edit(0, 4, "new")
		if h.Last {
			return 0, errors.New("failed")
		}
		return 4, nil
	})
	defer func() { filter = nil }()
	hold, err := ask(false)
	require.NoError(t, err)
	assert.Equal(t, 4, hold)
	assert.Equal(t, []guest.TrialEdit{{Text: 0, Start: 0, End: 4, With: "new"}}, x.Edits)
	_, err = ask(true)
	require.EqualError(t, err, "failed")
}

func TestADetectorsMarkIsItsLastRecord(t *testing.T) {
	decided := 3
	Detector(func(_ uint32, told Told, _ []byte, _ guest.Flags, emit func(guest.Span)) int {
		if told == Push {
			emit(guest.Span{Start: 2, End: 4})
			emit(guest.Span{Start: 0, End: 1})
		}
		return decided
	})
	defer Detector(nil)
	got, answer := detect(1, nil, abi.StreamPush)
	assert.Zero(t, answer)
	require.Len(t, got, 3*abi.SpanSize)
	assert.Equal(t, uint32(2), abi.GetSpan(got[abi.SpanSize:]).Start, "in order")
	assert.Equal(t, abi.Span{Start: 3, End: 3, Label: abi.LabelDecided}, abi.GetSpan(got[2*abi.SpanSize:]))
	decided = -1
	got, _ = detect(1, nil, abi.StreamPush)
	assert.Len(t, got, 2*abi.SpanSize, "the mark before stands")
	_, answer = detect(1, nil, abi.StreamOpen)
	assert.Equal(t, uint64(1), answer, "the part is not wanted")
}
