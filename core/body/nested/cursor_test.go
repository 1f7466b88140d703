package nested

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hole marks a placeholder in a text.
const hole = "@"

func quoteAt(pieces ...string) string {
	var c Cursor
	for _, p := range pieces {
		c.Read(p)
	}
	return c.Escape(`"`)
}

func quoteText(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestAValueIsEscapedOnceForEachStringAroundIt(t *testing.T) {
	deep := func(n int) string { // the hole in n strings of JSON text
		s := hole
		for range n {
			s = `{"a":` + quoteText(s) + `}`
		}
		return s
	}
	for name, tc := range map[string]struct {
		text   string
		levels int
	}{
		"at the beginning":                    {`@`, 0},
		"in plain text":                       {`say "@"`, 0},
		"in a quotation":                      {`"@"`, 0},
		"in a string of an object":            {`{"a":"@"}`, 1},
		"in a string of an array":             {` [ "x", "@`, 1},
		"in a key":                            {`{"@":1}`, 1},
		"behind a key":                        {`{"a":1,"b@`, 1},
		"behind a string":                     {`["a" @`, 0},
		"where a value is due":                {`{"a":@}`, 0},
		"behind escapes":                      {`["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00@`, 1},
		"behind literals and numbers":         {`[true,false,null,-1.5e+3,[],{},{"a":[0]},"@`, 1},
		"in two levels":                       {deep(2), 2},
		"in three levels":                     {deep(3), 3},
		"in as many levels as are followed":   {deep(Levels), Levels},
		"in more":                             {deep(Levels + 1), Levels},
		"in the second text of a level":       {`["{\"a\":1}","{\"a\":\"@`, 2},
		"behind the text of a level":          {`["{\"a\":\"b\"}","@`, 1},
		"in plain text within a string":       {`["say \"@\""]`, 1},
		"in a level whose braces are escaped": {`["\u007b\u0022a\u0022:\u0022@`, 2},
		"behind a whole object":               {`{} "@"`, 0},
		"in a footnote":                       {`[1] see "@"`, 0},
		"in a link":                           {`[see "@"](x)`, 0},
		"in a list without quotes":            {`[to "@"]`, 0},
		"in braces of a template":             {`{{"@"}}`, 0},
		"after a word that is not a literal":  {`[nul,"@`, 0},
		"behind a missing comma":              {`{"a":"b" "@`, 0},
		"behind a comma too many":             {`{"a":"b",}"@`, 0},
		"behind the wrong end":                {`{"a":["b"},"@`, 0},
		"behind a broken escape":              {`["\x","@`, 0},
		"behind a broken escape of digits":    {`["\u00g0","@`, 0},
		"in an escape":                        {`["\@`, 1},
		"in more that is open than is known":  {strings.Repeat("[", maxOpen+1) + `"@`, 0},
		"in as much that is open as is known": {strings.Repeat("[", maxOpen) + `"@`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			before, _, ok := strings.Cut(tc.text, hole)
			require.True(t, ok)
			want := `"`
			for range tc.levels {
				b := quoteText(want)
				want = b[1 : len(b)-1]
			}
			assert.Equal(t, want, quoteAt(before))
			assert.Equal(t, want, quoteAt(strings.Split(before, "")...), "in pieces")
		})
	}
}

func TestAPlaceholderStandsForAValueOrAPartOfAString(t *testing.T) {
	for name, tc := range map[string]struct {
		texts  string // placeholders between
		levels int
	}{
		"as a value":                        {`{"n":@,"s":"@`, 1},
		"as a value of an array":            {`[@,@,"@`, 1},
		"in a string":                       {`{"s":"a @ b","t":"@`, 1},
		"as a value in a level":             {`["{\"n\":@,\"s\":\"@`, 2},
		"as the text of a level":            {`["@{\"s\":\"@`, 1},
		"in front of everything":            {`@{"a":"@`, 0},
		"where a key is due":                {`{@:"@`, 0},
		"behind a value":                    {`[1@,"@`, 0},
		"behind all":                        {`[1]@"@`, 0},
		"in an escape":                      {`["\@","@`, 0},
		"in an escape of the level above":   {`["{\"a\":\"x\@\"","@`, 0},
		"deeper than what is followed":      {strings.Repeat("[", 3) + `"@","@`, 1},
		"in strings of a level, many times": {`["{\"a\":\"@@ @\",\"b\":\"@`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var c Cursor
			texts := strings.Split(tc.texts, hole)
			for i, text := range texts[:len(texts)-1] {
				c.Read(text)
				if i < len(texts)-2 {
					c.SkipPlaceholder()
				}
			}
			assert.Equal(t, tc.levels, c.depth())
		})
	}
}

func TestAValueWithoutLevelsIsNotCopied(t *testing.T) {
	var c Cursor
	c.Read("some plain text ")
	assert.Zero(t, testing.AllocsPerRun(10, func() { _ = c.Escape("a value") }))
}

// FuzzAValueInNestedTextComesBack puts a value where a hole is, at any depth, and reads it back as a program does.
func FuzzAValueInNestedTextComesBack(f *testing.F) {
	f.Add("O\"Neil \\ S\u00f6hne\n2nd", "a \"quoted\" \\ key", uint8(2), uint64(1))
	f.Add("plain", "", uint8(0), uint64(2))
	f.Add("\x00\u2028\U0001F600", "{\"x\":", uint8(4), uint64(3))
	f.Fuzz(func(t *testing.T, value, beside string, depth uint8, seed uint64) {
		if !utf8.ValidString(value) || !utf8.ValidString(beside) || strings.Contains(beside, hole) || len(beside) > 200 {
			return
		}
		n := int(depth) % Levels
		text := hole
		for range n + 1 {
			out, err := json.Marshal([]any{beside, map[string]any{beside: text, "n": 1.5}})
			require.NoError(t, err)
			text = string(out)
		}
		before, behind, _ := strings.Cut(text, hole)
		var c Cursor
		r := rand.New(rand.NewPCG(seed, 3))
		for rest := before; rest != ""; {
			k := 1 + r.IntN(len(rest))
			c.Read(rest[:k])
			rest = rest[k:]
		}
		got := before + c.Escape(value) + behind
		for range n + 1 {
			var v []any
			require.NoError(t, json.Unmarshal([]byte(got), &v), got)
			require.Equal(t, beside, v[0])
			got = v[1].(map[string]any)[beside].(string)
		}
		require.Equal(t, value, got)
	})
}

func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{"json": `{"to":"` + strings.Repeat("some words of text ", 50) + `"}`, "text": strings.Repeat("some words of text ", 50)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var c Cursor
				c.Read(text)
			}
		})
	}
}
