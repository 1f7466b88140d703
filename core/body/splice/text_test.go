package splice

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var everyEscape = "a\"\\/\b\f\n\r\t\x00\x1f\x7fé\u2028日😀"

func TestAppendTextUndoesEveryEscape(t *testing.T) {
	raw := `a\"\\\/\b\f\n\r\t\u0000\u001F` + "\x7f" + `\u00e9\u2028\u65E5\ud83d\uDE00`
	assert.Equal(t, ">"+everyEscape, string(AppendText([]byte(">"), []byte(raw))))
	assert.Empty(t, AppendText(nil, nil))
}

func TestAppendTextToleratesBrokenEscapes(t *testing.T) {
	for raw, want := range map[string]string{
		`a\`:            `a\`,
		`\x`:            `\x`,
		`\u12`:          `\u12`,
		`\u12g4`:        `\u12g4`,
		`\ud83d`:        "\ufffd",
		`\ud83d\n`:      "\ufffd\n",
		`\ud83d\ud83d`:  "\ufffd\ufffd",
		`\ud83dx\ude00`: "\ufffdx\ufffd",
		`\ud83d!ude00`:  "\ufffd!ude00",
		`\ud83d\`:       "\ufffd\\",
		`\ude00\ude00`:  "\ufffd\ufffd",
		`\ud83d\ue000`:  "\ufffd\ue000",
		`\udbff\udfff`:  "\U0010ffff",
		`\ud800\udc00`:  "\U00010000",
		`\ude00a`:       "\ufffda",
	} {
		assert.Equal(t, want, string(AppendText(nil, []byte(raw))), raw)
	}
}

func TestAppendEscapedEscapesOnlyWhatJSONDemands(t *testing.T) {
	assert.Equal(t, `>a\"\\/\b\f\n\r\t\u0000\u001f`+"\x7fé\u2028日😀", string(AppendEscaped([]byte(">"), everyEscape)))
	for c := range rune(0x100) {
		want, err := jsontext.AppendQuote(nil, string(c))
		require.NoError(t, err)
		assert.Equal(t, string(want), `"`+string(AppendEscaped(nil, string(c)))+`"`)
	}
}

func TestTextAliasesWhatIsNotEscaped(t *testing.T) {
	doc := []byte(`{"plain":"some text","escaped":"a\u00e9b"}`)
	text, aliased := ReadText(doc, Span{10, 19}, 1, nil)
	assert.True(t, aliased)
	assert.Equal(t, "some text", string(text))
	assert.Same(t, &doc[10], &text[0])
	assert.Equal(t, len(text), cap(text), "appending to it cannot reach the document")

	scratch := make([]byte, 3, 64)
	copy(scratch, "old")
	text, aliased = ReadText(doc, Span{32, 40}, 1, scratch)
	assert.False(t, aliased)
	assert.Equal(t, "aéb", string(text))
	assert.Same(t, &scratch[:4][3], &text[0], "it lies behind what scratch held")
	assert.Equal(t, "old", string(scratch))

	text, aliased = ReadText(doc, Span{32, 40}, 0, nil)
	assert.True(t, aliased, "at depth 0 a backslash is a character")
	assert.Equal(t, `a\u00e9b`, string(text))
}

func TestTextUndoesTwoLevels(t *testing.T) {
	for raw, want := range map[string]string{
		`a\\nb`:                    "a\nb",
		`\\u00e9`:                  "é",
		`\u005cu00e9`:              "é",
		`\\u00\u00659`:             "é",
		`\\ud83d\\ude00!`:          "😀!",
		`\\ud83d\u005c\u0075de00!`: "😀!",
		`\ud83d\ude00!`:            "😀!",
		`\\\\`:                     `\`,
		`\\\"`:                     `"`,
		`\\\\\\\\`:                 `\\`,
	} {
		text, aliased := ReadText([]byte(raw), Span{0, len(raw)}, 2, nil)
		assert.False(t, aliased)
		assert.Equal(t, want, string(text), raw)
	}
}

func TestTextRefusesWhatItCannotRead(t *testing.T) {
	doc := []byte("0123")
	for _, at := range []Span{{-1, 2}, {2, 1}, {2, 5}} {
		text, _ := ReadText(doc, at, 1, nil)
		assert.Nil(t, text)
	}
	text, _ := ReadText(doc, Span{0, 4}, MaxEscapes+1, nil)
	assert.Nil(t, text)
}

func TestTextOfAnyDepthIsAppendTextThatOften(t *testing.T) {
	for _, text := range []string{everyEscape, strings.Repeat(everyEscape, 3), `\u12 \x \ud83d \`} {
		raw := []byte(text)
		for depth := uint8(1); depth <= MaxEscapes; depth++ {
			raw = AppendEscaped(nil, string(raw))
			got, _ := ReadText(raw, Span{0, len(raw)}, depth, nil)
			assert.Equal(t, text, string(got))
		}
	}
}

// Any bytes, broken escapes too, decode the same at once and level by level.
func FuzzText(f *testing.F) {
	f.Add([]byte(`a\\u00e9\\\\n\\ud83d\u005cude00\`), uint8(2))
	f.Add([]byte(`\\\\\\\\\"\u005c\u005cn`), uint8(3))
	f.Add([]byte("\\\\\xff\\u00"), uint8(2))
	f.Fuzz(func(t *testing.T, raw []byte, depth uint8) {
		depth %= MaxEscapes + 1
		want := raw
		for range depth {
			want = AppendText(nil, want)
		}
		got, _ := ReadText(raw, Span{0, len(raw)}, depth, nil)
		require.Equal(t, string(want), string(got))
	})
}
