package splice

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestADecodedTextTellsWhereItsEscapesAre(t *testing.T) {
	for _, c := range []struct {
		raw   string
		depth uint8
		want  []uint32
	}{
		{``, 1, []uint32{}},
		{`plain`, 1, []uint32{}},
		{`café 日`, 1, []uint32{}},
		{`a\nb`, 0, []uint32{}}, // no level of escapes
		{`\n`, 1, []uint32{0}},
		{`a\nb\\c\"`, 1, []uint32{1, 4, 7}},
		{`\\\\`, 1, []uint32{0, 2}},
		{`0123456789\u00e9`, 1, []uint32{10}},
		{`a\ud83d\ude00b\t`, 1, []uint32{1, 14}},
		{`a\\nb\\\"`, 2, []uint32{1, 5}},
	} {
		doc := []byte("x" + c.raw + "x")
		at := Span{1, 1 + len(c.raw)}
		want, wantAliased := ReadText(doc, at, c.depth, nil)
		text, aliased, noted := ReadTextAlong(doc, at, c.depth, nil, nil)
		assert.Equal(t, string(want), string(text), c.raw)
		assert.Equal(t, wantAliased, aliased, c.raw)
		assert.Equal(t, c.want, noted, c.raw)
		_, _, more := ReadTextAlong(doc, at, c.depth, nil, []uint32{7})
		assert.Equal(t, append([]uint32{7}, c.want...), more, "behind those of others: %s", c.raw)
	}
}

func TestTooManyEscapesAreNotToldAndEditsStillFindTheirPlace(t *testing.T) {
	for n, known := range map[int]bool{MaxNoted: true, MaxNoted + 1: false, 3 * MaxNoted: false} {
		doc := []byte(strings.Repeat(`a\n`, n))
		at := Span{0, len(doc)}
		text, _, noted := ReadTextAlong(doc, at, 1, nil, nil)
		assert.Equal(t, strings.Repeat("a\n", n), string(text))
		assert.Equal(t, known, noted != nil)
		cuts, err := AppendCutsAlong(nil, doc, at, 1, noted, []Edit{{2*n - 2, 2*n - 1, "b"}})
		require.NoError(t, err)
		assert.Equal(t, []Cut{{Span{3*n - 3, 3*n - 2}, "b"}}, cuts)
	}
}

func TestASpanOutsideTheDocumentHasNoText(t *testing.T) {
	text, _, noted := ReadTextAlong([]byte("a"), Span{0, 2}, 1, nil, nil)
	assert.Nil(t, text)
	assert.Nil(t, noted)
}
