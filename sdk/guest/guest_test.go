package guest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestSpansAreReportedInOrder(t *testing.T) {
	Detector(func(text []byte, _ Flags, emit func(Span)) {
		emit(Span{Start: 4, End: 5, Label: 1, Score: 0.5})
		emit(Span{Start: 1, End: 2, Score: 1})
	})
	defer Detector(nil)
	assert.Equal(t, []Span{{Start: 1, End: 2, Score: 1}, {Start: 4, End: 5, Label: 1, Score: 0.5}}, Run([]byte("abcdef"), 0))
}

func TestTooManySpansAreMarkedAndNeverSilentlyCut(t *testing.T) {
	n := abi.MaxSpans
	Detector(func(_ []byte, _ Flags, emit func(Span)) {
		for i := range n {
			emit(Span{Start: i, End: i + 1, Score: 1})
		}
	})
	defer Detector(nil)
	got := Run(nil, 0)
	assert.Len(t, got, abi.MaxSpans)
	assert.Zero(t, got[abi.MaxSpans-1].Label)
	n++
	got = Run(nil, 0)
	assert.Len(t, got, abi.MaxSpans)
	assert.Equal(t, abi.LabelOverflow, got[abi.MaxSpans-1].Label)
}

func TestFlagsAreReadFromTheirBits(t *testing.T) {
	f := Flags(abi.WithSource(abi.DetectBefore|abi.DetectCode, abi.SourceToolArgs))
	assert.True(t, f.Before())
	assert.False(t, f.After())
	assert.True(t, f.Code())
	assert.Equal(t, abi.SourceToolArgs, f.Source())
}

func TestSettingsAreRefusedByAPluginThatTakesNone(t *testing.T) {
	require.NoError(t, RunConfigure([]byte("{}")))
	require.Error(t, RunConfigure([]byte(`{"a":1}`)))
	var got string
	Configure(func(settings []byte) error { got = string(settings); return nil })
	defer Configure(nil)
	require.NoError(t, RunConfigure([]byte(`{"a":1}`)))
	assert.JSONEq(t, `{"a":1}`, got)
}
