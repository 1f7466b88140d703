package splice

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlaceAtKeepsJSONText(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  string
		edits []Edit
		want  string
	}{
		{"in a string", `{"to":"bob"}`, []Edit{{7, 10, "X"}}, `{"to":"X"}`},
		{"escaped once in a string", `{"to":"bob"}`, []Edit{{7, 10, "a\"\n\\"}}, `{"to":"a\"\n\\"}`},
		{"in a key", `{"bob":1}`, []Edit{{2, 5, "X"}}, `{"X":1}`},
		{"an insertion in an empty string", `[""]`, []Edit{{2, 2, "X"}}, `["X"]`},
		{"around an escape", `["a\nb"]`, []Edit{{2, 3, "1"}, {5, 6, "2"}}, `["1\n2"]`},
		{"a whole number", `{"n":4111 }`, []Edit{{5, 9, "X"}}, `{"n":"X" }`},
		{"part of a number", `{"n":12345}`, []Edit{{7, 9, "x"}}, `{"n":"12x5"}`},
		{"two parts of a number", `[-1.5e7]`, []Edit{{1, 2, "a"}, {5, 6, "b"}}, `["a1.5b7"]`},
		{"an insertion before a number", `[1]`, []Edit{{1, 1, "x"}}, `["x1"]`},
		{"an insertion behind a number", `[1]`, []Edit{{2, 2, "\""}}, `["1\""]`},
		{"a literal", `[true,null]`, []Edit{{6, 10, "x"}, {1, 3, "y"}}, `["yue","x"]`},
		{"a number that is all there is", `4111`, []Edit{{0, 4, "X"}}, `"X"`},
		{"several places", `{"k":"v","n":[1,22]}`, []Edit{{2, 3, "K"}, {6, 7, "V"}, {16, 18, "N"}}, `{"K":"V","n":[1,"N"]}`},
		{"equal keys are not its concern", `{"a":1,"a":2}`, []Edit{{11, 12, "x"}}, `{"a":1,"a":"x"}`},
		{"a string that is cut off", `{"to":"bob`, []Edit{{7, 10, "X"}}, `{"to":"X`},
		{"before an escape that is cut off", `["bob\u00`, []Edit{{2, 5, "X"}}, `["X\u00`},
		{"a key that is cut off", `{"bob`, []Edit{{2, 5, "X"}}, `{"X`},
		{"a key without its colon", `{"bob"`, []Edit{{2, 5, "X"}}, `{"X"`},
		{"a number before the cut", `{"n":41,"s":"x`, []Edit{{5, 7, "X"}}, `{"n":"X","s":"x`},
		{"a whole literal at the cut", `[true`, []Edit{{1, 5, "X"}}, `["X"`},
		{"what follows the last edit may be anything", `["a"] and more`, []Edit{{2, 3, "X"}}, `["X"] and more`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := []byte(c.text)
			edits, err := PlaceAt(text, c.edits, nil)
			require.NoError(t, err)
			cuts, err := Cuts(nil, text, Span{0, len(text)}, 0, edits)
			require.NoError(t, err)
			out, err := Apply(text, cuts)
			require.NoError(t, err)
			assert.Equal(t, c.want, string(out))
		})
	}
}

func TestPlaceAtRefuses(t *testing.T) {
	syntax := new(SyntaxError)
	for _, c := range []struct {
		name  string
		text  string
		edits []Edit
		want  error
	}{
		{"a bracket", `{"a":1}`, []Edit{{0, 1, ""}}, ErrStructure},
		{"a closing bracket", `{"a":1}`, []Edit{{6, 7, ""}}, ErrStructure},
		{"a colon", `{"a":1}`, []Edit{{4, 5, ""}}, ErrStructure},
		{"a comma", `[1,2]`, []Edit{{2, 3, ""}}, ErrStructure},
		{"an opening quote", `["a"]`, []Edit{{1, 3, ""}}, ErrStructure},
		{"a closing quote", `["a"]`, []Edit{{2, 4, ""}}, ErrStructure},
		{"the quote of a key without its colon", `{"bob"`, []Edit{{2, 6, ""}}, ErrStructure},
		{"white space", `[1,   2]`, []Edit{{4, 5, ""}}, ErrStructure},
		{"an insertion into structure", `[[ ]]`, []Edit{{2, 2, "x"}}, ErrStructure},
		{"two numbers at once", `[41,42]`, []Edit{{1, 6, ""}}, ErrStructure},
		{"two strings at once", `["41","42"]`, []Edit{{2, 8, ""}}, ErrStructure},
		{"a place behind the value", `[1] `, []Edit{{4, 4, "x"}}, ErrStructure},
		{"an empty text", ``, []Edit{{0, 0, "x"}}, ErrStructure},
		{"an offset inside a short escape", `["a\nb"]`, []Edit{{4, 6, ""}}, ErrRune},
		{"an offset inside a \\u escape", `["\u00e9"]`, []Edit{{2, 5, ""}}, ErrRune},
		{"an offset inside a pair", `["\ud83d\ude00"]`, []Edit{{2, 8, ""}}, ErrRune},
		{"an offset inside a raw character", `["é"]`, []Edit{{2, 3, ""}}, ErrRune},
		{"the end of an escape that is cut off", `["bob\`, []Edit{{2, 6, ""}}, ErrRune},
		{"the end of a pair that is cut off", `["\ud83d`, []Edit{{2, 8, ""}}, ErrRune},
		{"the end of a character that is cut off", "[\"\xe6\x97", []Edit{{2, 4, ""}}, ErrRune},
		{"a number that may go on", `{"n":41`, []Edit{{5, 7, "X"}}, ErrTruncated},
		{"a number that must go on", `[1.`, []Edit{{1, 3, "X"}}, ErrTruncated},
		{"a literal that must go on", `[tr`, []Edit{{1, 3, "X"}}, ErrTruncated},
		{"an overlap", `["abc"]`, []Edit{{2, 4, ""}, {3, 5, ""}}, ErrOverlap},
		{"an end behind the text", `["abc`, []Edit{{2, 6, ""}}, ErrRange},
		{"a replacement that is no UTF-8", `["abc"]`, []Edit{{2, 4, "\xff"}}, ErrText},
		{"what is no JSON", `call bob now`, []Edit{{5, 8, ""}}, syntax},
		{"a string that is no JSON", `["a\x bob"]`, []Edit{{6, 9, ""}}, syntax},
		{"text behind the value", `{} bob`, []Edit{{3, 6, ""}}, syntax},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := []Edit{{With: "kept"}}
			got, err := PlaceAt([]byte(c.text), c.edits, dst)
			if c.want == error(syntax) {
				var found *SyntaxError
				require.ErrorAs(t, err, &found)
			} else {
				require.ErrorIs(t, err, c.want)
			}
			assert.Equal(t, dst, got)
		})
	}
}

func TestLocateNamesThePlace(t *testing.T) {
	text := []byte(`{"key": "va\nlue", "n": [-12.5, true]}`)
	for _, c := range []struct {
		name  string
		at    Span
		place Place
		whole Span
	}{
		{"a key", Span{3, 4}, InString, Span{2, 5}},
		{"a string", Span{10, 12}, InString, Span{9, 16}},
		{"the end of a string", Span{16, 16}, InString, Span{9, 16}},
		{"a number", Span{26, 28}, InNumber, Span{25, 30}},
		{"a literal", Span{32, 36}, InNumber, Span{32, 36}},
		{"a bracket", Span{0, 1}, Structure, Span{}},
		{"a string with its quote", Span{9, 17}, Structure, Span{}},
		{"the end", Span{38, 38}, Structure, Span{}},
	} {
		place, whole, err := Locate(text, c.at)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.place, place, c.name)
		assert.Equal(t, c.whole, whole, c.name)
	}
	_, _, err := Locate(text, Span{0, 99})
	require.ErrorIs(t, err, ErrRange)
	var syntax *SyntaxError
	_, _, err = Locate([]byte("no JSON"), Span{4, 5})
	assert.ErrorAs(t, err, &syntax)
}
