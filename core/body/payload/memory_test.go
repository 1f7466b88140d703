package payload

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestResetLetsLargeBuffersGo(t *testing.T) {
	large := scratch.MaxKept + 1
	p := &Payload{scratch: make([]byte, large), bufs: [][]byte{make([]byte, large)}, used: 1}
	p.Segments, p.Marks = make([]Segment, scratch.MaxKept), make([]splice.Span, scratch.MaxKept)
	p.cuts = make([]splice.Cut, scratch.MaxKept)
	p.edits.edits, p.edits.spareEdits = make([]splice.Edit, scratch.MaxKept), make([]splice.Edit, scratch.MaxKept)
	p.Reset()
	for name, size := range map[string]int{
		"scratch": cap(p.scratch), "body": cap(p.bufs[0]), "segments": cap(p.Segments), "marks": cap(p.Marks),
		"cuts": cap(p.cuts), "edits": cap(p.edits.edits), "spare edits": cap(p.edits.spareEdits),
	} {
		assert.Zero(t, size, name)
	}
}

func TestALargeBodyTakesTheSegmentsOfAnother(t *testing.T) {
	many := scratch.MaxKept / 64
	for range 20 { // the race detector and the collector may empty the shelf
		first := &Payload{Segments: make([]Segment, many)}
		first.Segments[many-1].Field = "left behind"
		first.Reset()
		small, large := &Payload{Raw: make([]byte, manySegments-1)}, &Payload{Raw: make([]byte, manySegments)}
		small.ReserveSegments()
		large.ReserveSegments()
		assert.Zero(t, cap(small.Segments))
		assert.Empty(t, large.Segments)
		if cap(large.Segments) == 0 {
			continue
		}
		assert.GreaterOrEqual(t, cap(large.Segments), many)
		assert.Zero(t, large.Segments[:many][many-1], "nothing of the other body is left")
		return
	}
	t.Fatal("no segments were ever on the shelf")
}

func TestResetKeepsBuffersOfOrdinarySize(t *testing.T) {
	p := &Payload{scratch: make([]byte, scratch.Small), bufs: [][]byte{make([]byte, 1000)}}
	p.Reset()
	assert.Equal(t, scratch.Small, cap(p.scratch))
	assert.Equal(t, 1000, cap(p.growBuffer(1000)))
	assert.Empty(t, p.growBuffer(1000))
}
