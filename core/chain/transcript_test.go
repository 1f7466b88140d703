package chain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestWhatAClientWasToldIsFoundByPart(t *testing.T) {
	for _, n := range []int32{1, fewParts, fewParts + 1, 20 * fewParts} {
		told := new(transcript)
		for i := range n {
			told.addText(core.Part{Index: i}, "a")
			told.notePartEvent(core.Part{Index: i}, []byte("event"))
		}
		for i := range n {
			told.addText(core.Part{Index: i}, "b")
		}
		require.Len(t, told.parts, int(n))
		for i := range n {
			assert.Equal(t, "ab", string(told.find(core.Part{Index: i}).text))
			assert.Equal(t, "event", string(told.findLastPartEvent(core.Part{Index: i})))
		}
		assert.Nil(t, told.find(core.Part{Index: n}))
		assert.False(t, told.isFull())
	}
}

func TestWhatAClientWasToldIsKeptToABound(t *testing.T) {
	parts, text := new(transcript), new(transcript)
	for i := range int32(maxParts + 1) {
		parts.addText(core.Part{Index: i}, "")
	}
	assert.True(t, parts.isFull())
	for range maxTranscript >> 20 {
		text.addText(core.Part{}, strings.Repeat("x", 1<<20))
	}
	assert.False(t, text.isFull())
	text.addText(core.Part{}, "x")
	assert.True(t, text.isFull())
	s := &Stream{transcript: text}
	_, e := s.RunEvent(t.Context(), &core.Event{Raw: []byte("data: {}\n\n")}, nil)
	require.NotNil(t, e)
	assert.Equal(t, 502, e.HTTPStatus())
	assert.False(t, (*transcript)(nil).isFull(), "a shape that repeats nothing keeps nothing")
}
