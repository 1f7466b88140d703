package payload

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheSumOfAnEditedTextFollowsFromItsEdits(t *testing.T) {
	h := new(testHasher)
	edited := func(edits ...Edit) Sum {
		p := buildStretch("", strings.Repeat("some text ", 1000))
		p.SumSegment(h, 0)
		h.bytes = 0
		p.Apply(edits)
		sum, size := p.SumSegment(h, 0)
		assert.Less(t, h.bytes, 200, "the text is not read again")
		assert.Equal(t, len(p.ReadText(0)), size)
		again := buildStretch("", strings.Repeat("some text ", 1000))
		again.SumSegment(h, 0)
		again.Apply(edits)
		same, _ := again.SumSegment(h, 0)
		assert.Equal(t, sum, same, "of another body")
		return sum
	}
	seen := map[Sum]string{}
	for _, edits := range [][]Edit{
		{{Start: 0, End: 4, With: "any"}},
		{{Start: 0, End: 5, With: "any"}},
		{{Start: 1, End: 4, With: "any"}},
		{{Start: 0, End: 4, With: "all"}},
		{{Start: 0, End: 4}},
		{{Start: 0, End: 4, With: "any"}, {Start: 10, End: 14, With: "any"}},
		{{Start: 0, End: 4, With: "any"}, {Start: 10, End: 14, With: "all"}},
	} {
		sum := edited(edits...)
		assert.Empty(t, seen[sum], "%v has the sum of others", edits)
		seen[sum] = fmt.Sprint(edits)
	}
}

func TestATextThatHadNoSumIsReadOnceItIsEdited(t *testing.T) {
	h := new(testHasher)
	p := buildStretch("", strings.Repeat("some text ", 1000))
	p.Apply([]Edit{{Start: 0, End: 4, With: "any"}})
	p.SumSegment(h, 0)
	assert.Equal(t, len(p.ReadText(0)), h.bytes)
	f := buildStretch("", strings.Repeat("some text ", 1000))
	before, _ := f.SumSegment(h, 0)
	fork := f.Fork()
	fork.Apply([]Edit{{Start: 0, End: 4, With: "any"}})
	after, _ := fork.SumSegment(h, 0)
	assert.NotEqual(t, before, after)
}
