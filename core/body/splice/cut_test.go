package splice

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestApplyWithoutCutsGivesTheSameSlice(t *testing.T) {
	doc := []byte(corpus[0])
	for _, cuts := range [][]Cut{nil, {}} {
		out, err := Apply(doc, cuts)
		require.NoError(t, err)
		assert.Same(t, unsafe.SliceData(doc), unsafe.SliceData(out))
		assert.Len(t, out, len(doc))
	}
}

func TestApplyMakesCuts(t *testing.T) {
	for _, c := range []struct {
		name string
		cuts []Cut
		want string
	}{
		{"one replacement", []Cut{{Span{2, 4}, "xyz"}}, "01xyz456789"},
		{"a deletion", []Cut{{Span{0, 3}, ""}}, "3456789"},
		{"insertions at both ends", []Cut{{Span{0, 0}, "<"}, {Span{10, 10}, ">"}}, "<0123456789>"},
		{"the whole document", []Cut{{Span{0, 10}, ""}}, ""},
		{"neighbours", []Cut{{Span{1, 2}, "a"}, {Span{2, 3}, "b"}}, "0ab3456789"},
		{"any order", []Cut{{Span{8, 9}, "c"}, {Span{1, 2}, "a"}, {Span{4, 5}, "b"}}, "0a23b567c9"},
		{"insertions at one place in the order given", []Cut{{Span{5, 6}, "z"}, {Span{5, 5}, "x"}, {Span{5, 5}, "y"}}, "01234xyz6789"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := []byte("0123456789")
			cuts := append([]Cut(nil), c.cuts...)
			out, err := Apply(doc, cuts)
			require.NoError(t, err)
			assert.Equal(t, c.want, string(out))
			assert.Len(t, out, cap(out), "the size is computed beforehand")
			assert.Equal(t, "0123456789", string(doc), "the document is left alone")
			assert.Equal(t, c.cuts, cuts, "the caller's cuts are left alone")

			out, err = Append([]byte("> "), doc, cuts)
			require.NoError(t, err)
			assert.Equal(t, "> "+c.want, string(out))
		})
	}
}

func TestApplyKeepsTheOrderOfManyInsertions(t *testing.T) {
	var cuts []Cut
	var want [4]string
	for i := range 200 {
		at := i * 7 % len(want)
		cuts = append(cuts, Cut{Span{at, at}, string(rune('A' + i))})
		want[at] += string(rune('A' + i))
	}
	out, err := Apply([]byte("0123"), cuts)
	require.NoError(t, err)
	assert.Equal(t, want[0]+"0"+want[1]+"1"+want[2]+"2"+want[3]+"3", string(out))
}

func TestApplyRefusesBadCuts(t *testing.T) {
	for _, c := range []struct {
		name string
		cuts []Cut
		want error
	}{
		{"a negative start", []Cut{{Span{-1, 2}, ""}}, ErrRange},
		{"an end behind the document", []Cut{{Span{3, 11}, ""}}, ErrRange},
		{"an end before the start", []Cut{{Span{3, 2}, ""}}, ErrRange},
		{"an overlap", []Cut{{Span{1, 4}, ""}, {Span{3, 5}, ""}}, ErrOverlap},
		{"an overlap out of order", []Cut{{Span{3, 5}, ""}, {Span{1, 4}, ""}}, ErrOverlap},
		{"one cut twice", []Cut{{Span{1, 2}, ""}, {Span{1, 2}, ""}}, ErrOverlap},
		{"an insertion inside a cut", []Cut{{Span{1, 4}, ""}, {Span{2, 2}, "x"}}, ErrOverlap},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Apply([]byte("0123456789"), c.cuts)
			require.ErrorIs(t, err, c.want)
			assert.Nil(t, out)
			out, err = Append([]byte("dst"), []byte("0123456789"), c.cuts)
			require.ErrorIs(t, err, c.want)
			assert.Equal(t, "dst", string(out))
		})
	}
}

func TestAppendUsesTheCallersBuffer(t *testing.T) {
	doc, cuts := []byte(corpus[0]), []Cut{{Span{1, 3}, "x"}, {Span{5, 9}, "longer text"}}
	buf := make([]byte, 0, 2*len(doc))
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		out, err := Append(buf, doc, cuts)
		if err != nil || unsafe.SliceData(out) != unsafe.SliceData(buf) {
			t.Error("the buffer was not used")
		}
	}))
	out, err := Append(buf, doc, nil)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(doc, out))
	assert.NotSame(t, unsafe.SliceData(doc), unsafe.SliceData(out))
}
