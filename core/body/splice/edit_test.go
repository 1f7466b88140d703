package splice

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCutsMapOffsetsThroughEscapes(t *testing.T) {
	for _, c := range []struct {
		name  string
		raw   string
		depth uint8
		edits []Edit
		want  string
	}{
		{"plain text", `hello bob`, 1, []Edit{{6, 9, "X"}}, `hello X`},
		{"behind a short escape", `a\nbob`, 1, []Edit{{2, 5, "X"}}, `a\nX`},
		{"a short escape itself", `a\nb`, 1, []Edit{{1, 2, " "}}, `a b`},
		{"behind a \\u escape", `caf\u00e9 bob`, 1, []Edit{{6, 9, "X"}}, `caf\u00e9 X`},
		{"a \\u escape itself", `caf\u00e9!`, 1, []Edit{{3, 5, "e"}}, `cafe!`},
		{"behind a surrogate pair", `\ud83d\ude00bob`, 1, []Edit{{4, 7, "X"}}, `\ud83d\ude00X`},
		{"a surrogate pair itself", `a\ud83d\ude00b`, 1, []Edit{{1, 5, ""}}, `ab`},
		{"raw characters", `é日😀b`, 1, []Edit{{2, 5, "X"}, {9, 10, "Y"}}, `éX😀Y`},
		{"several, out of order", `a\nb\nc`, 1, []Edit{{4, 5, "3"}, {0, 1, "1"}, {2, 3, "2"}}, `1\n2\n3`},
		{"insertions", `a\nb`, 1, []Edit{{0, 0, "<"}, {2, 2, "|"}, {3, 3, ">"}}, `<a\n|b>`},
		{"a replacement that needs escapes", `ab`, 1, []Edit{{1, 2, "\"\\\n"}}, `a\"\\\n`},
		{"depth 0 writes as is", `{"a":"b\n"}`, 0, []Edit{{6, 7, `\"`}}, `{"a":"\"\n"}`},
		{"depth 2, behind escapes", `a\\nbob`, 2, []Edit{{2, 5, "X"}}, `a\\nX`},
		{"depth 2, a \\u escape itself", `a\\u00e9b`, 2, []Edit{{1, 3, "e"}}, `aeb`},
		{"depth 2, a pair itself", `\\ud83d\\ude00b`, 2, []Edit{{0, 4, "e"}}, `eb`},
		{"depth 2, escapes twice", `ab`, 2, []Edit{{1, 2, "\"\n\\"}}, `a\\\"\\n\\\\`},
		{"a broken escape stands for itself", `a\xb`, 1, []Edit{{1, 2, "_"}}, `a_xb`},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := []byte(`["` + c.raw + `"]`)
			given := slices.Clone(c.edits)
			cuts, err := AppendCuts(nil, doc, Span{2, len(doc) - 2}, c.depth, given)
			require.NoError(t, err)
			assert.Equal(t, c.edits, given, "the caller's edits are left alone")
			out, err := Apply(doc, cuts)
			require.NoError(t, err)
			assert.Equal(t, `["`+c.want+`"]`, string(out))
		})
	}
}

func TestCutsRefuse(t *testing.T) {
	for _, c := range []struct {
		name  string
		raw   string
		depth uint8
		edits []Edit
		want  error
	}{
		{"a start inside a raw character", `é`, 1, []Edit{{1, 2, ""}}, ErrRune},
		{"an end inside a raw character", `é`, 1, []Edit{{0, 1, ""}}, ErrRune},
		{"an offset inside a raw character at depth 0", `é`, 0, []Edit{{0, 1, ""}}, ErrRune},
		{"an offset inside a \\u escape", `\u00e9`, 1, []Edit{{1, 2, ""}}, ErrRune},
		{"an offset inside a surrogate pair", `\ud83d\ude00`, 1, []Edit{{0, 2, ""}}, ErrRune},
		{"an offset inside a pair at depth 2", `\\ud83d\\ude00`, 2, []Edit{{3, 4, ""}}, ErrRune},
		{"an end behind the text", `a\n`, 1, []Edit{{0, 3, ""}}, ErrRange},
		{"a start behind the text", `ab`, 1, []Edit{{3, 3, ""}}, ErrRange},
		{"an insertion in an empty text, too far", ``, 1, []Edit{{1, 1, ""}}, ErrRange},
		{"a negative start", `ab`, 1, []Edit{{-1, 1, ""}}, ErrRange},
		{"an end before the start", `ab`, 1, []Edit{{1, 0, ""}}, ErrRange},
		{"an overlap", `abcd`, 1, []Edit{{0, 2, ""}, {1, 3, ""}}, ErrOverlap},
		{"an overlap out of order", `abcd`, 1, []Edit{{1, 3, ""}, {0, 2, ""}}, ErrOverlap},
		{"a replacement that is not UTF-8", `abcd`, 1, []Edit{{0, 1, "\xff"}}, ErrText},
		{"a replacement that is not UTF-8 at depth 0", `abcd`, 0, []Edit{{0, 1, "\xff"}}, ErrText},
		{"too many levels", `abcd`, MaxEscapes + 1, []Edit{{0, 1, ""}}, ErrDepth},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := []byte(`"` + c.raw + `"`)
			dst := []Cut{{With: "kept"}}
			got, err := AppendCuts(dst, doc, Span{1, len(doc) - 1}, c.depth, c.edits)
			require.ErrorIs(t, err, c.want)
			assert.Equal(t, dst, got)
		})
	}
	_, err := AppendCuts(nil, []byte("abc"), Span{1, 4}, 1, []Edit{{}})
	assert.ErrorIs(t, err, ErrRange)
}

func TestCutsWithoutEditsAreNone(t *testing.T) {
	cuts, err := AppendCuts(nil, nil, Span{3, 9}, 1, nil)
	require.NoError(t, err)
	assert.Nil(t, cuts)
}

func TestCutsAllocateNothingForPlainReplacements(t *testing.T) {
	doc := []byte(`"mail \u00e9 bob@example.com\nor eve@example.com"`)
	edits := []Edit{{8, 23, "{{PII_EMAIL_ADDRESS_1}}"}, {27, 42, "{{PII_EMAIL_ADDRESS_2}}"}}
	buf := make([]Cut, 0, 4)
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		if _, err := AppendCuts(buf, doc, Span{1, len(doc) - 1}, 1, edits); err != nil {
			t.Error(err)
		}
	}))
}
