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
		told := new(told)
		for i := range n {
			told.add(core.Part{Index: i}, "a")
			told.saw(core.Part{Index: i}, []byte("event"))
		}
		for i := range n {
			told.add(core.Part{Index: i}, "b")
		}
		require.Len(t, told.parts, int(n))
		for i := range n {
			assert.Equal(t, "ab", string(told.find(core.Part{Index: i}).text))
			assert.Equal(t, "event", string(told.like(core.Part{Index: i})))
		}
		assert.Nil(t, told.find(core.Part{Index: n}))
		assert.False(t, told.full())
	}
}

func TestWhatAClientWasToldIsKeptToABound(t *testing.T) {
	parts, text := new(told), new(told)
	for i := range int32(mostParts + 1) {
		parts.add(core.Part{Index: i}, "")
	}
	assert.True(t, parts.full())
	for range mostTold >> 20 {
		text.add(core.Part{}, strings.Repeat("x", 1<<20))
	}
	assert.False(t, text.full())
	text.add(core.Part{}, "x")
	assert.True(t, text.full())
	s := &Stream{told: text}
	_, e := s.Event(t.Context(), &core.Event{Raw: []byte("data: {}\n\n")}, nil)
	require.NotNil(t, e)
	assert.Equal(t, 502, e.HTTPStatus())
	assert.False(t, (*told)(nil).full(), "a shape that repeats nothing keeps nothing")
}
