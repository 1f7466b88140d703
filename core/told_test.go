package core

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatAClientWasToldIsFoundByPart(t *testing.T) {
	for _, n := range []int32{1, fewParts, fewParts + 1, 20 * fewParts} {
		told := new(told)
		for i := range n {
			told.add(Part{Index: i}, "a")
			told.saw(Part{Index: i}, []byte("event"))
		}
		for i := range n {
			told.add(Part{Index: i}, "b")
		}
		require.Len(t, told.parts, int(n))
		for i := range n {
			assert.Equal(t, "ab", string(told.find(Part{Index: i}).text))
			assert.Equal(t, "event", string(told.like(Part{Index: i})))
		}
		assert.Nil(t, told.find(Part{Index: n}))
		assert.False(t, told.full())
	}
}

func TestWhatAClientWasToldIsKeptToABound(t *testing.T) {
	parts, text := new(told), new(told)
	for i := range int32(mostParts + 1) {
		parts.add(Part{Index: i}, "")
	}
	assert.True(t, parts.full())
	for range mostTold >> 20 {
		text.add(Part{}, strings.Repeat("x", 1<<20))
	}
	assert.False(t, text.full())
	text.add(Part{}, "x")
	assert.True(t, text.full())
	s := &Stream{told: text}
	_, e := s.Event(t.Context(), &Event{Raw: []byte("data: {}\n\n")}, nil)
	require.NotNil(t, e)
	assert.Equal(t, 502, e.HTTPStatus())
	assert.False(t, (*told)(nil).full(), "a shape that repeats nothing keeps nothing")
}
