package splice

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// spell writes text as string content, each character in one of the ways JSON
// allows, as chance has it.
func spell(r *rand.Rand, text string) string {
	var b strings.Builder
	for _, c := range text {
		short := strings.IndexRune("\"\\/\b\f\n\r\t", c)
		switch way := r.IntN(4); {
		case way == 0 && c > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
		case way == 0:
			fmt.Fprintf(&b, `\u%04x`, c)
		case short >= 0 && (way == 1 || c != '/'):
			b.WriteByte('\\')
			b.WriteByte(`"\/bfnrt`[short])
		case c < ' ':
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// chance picks up to four edits of text on character boundaries.
func chance(r *rand.Rand, text, with string) []Edit {
	var edits []Edit
	for at := 0; len(edits) < 4; {
		start := at + r.IntN(len(text)-at+1)
		end := start + r.IntN(min(12, len(text)-start)+1)
		for start < len(text) && !utf8.RuneStart(text[start]) {
			start++
		}
		for end = max(start, end); end < len(text) && !utf8.RuneStart(text[end]); {
			end++
		}
		edits = append(edits, Edit{start, end, with[:len(with)*r.IntN(2)]})
		if at = end; at == len(text) || r.IntN(3) == 0 {
			break
		}
	}
	return edits
}

func applyEdits(text string, edits []Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start] + e.With)
		at = e.End
	}
	return b.String() + text[at:]
}

// leafOf decodes, by jsontext, the string under a key of an object.
func leafOf(t *testing.T, doc []byte, key string) string {
	t.Helper()
	d := jsontext.NewDecoder(strings.NewReader(string(doc)))
	for {
		tok, err := d.ReadToken()
		require.NoError(t, err)
		if tok.Kind() == '"' && tok.String() == key {
			tok, err = d.ReadToken()
			require.NoError(t, err)
			return tok.String()
		}
	}
}

func FuzzSplice(f *testing.F) {
	f.Add("mail bob@example.com\nor caf\u00e9 \U0001F600 \"now\"/\\", "{{PII_1}}", uint64(1))
	f.Add(everyEscape, "\"\\\n\U0001F600", uint64(2))
	f.Add("", "x", uint64(3))
	f.Add(strings.Repeat("long prose without any escape ", 9), "", uint64(4))
	f.Fuzz(func(t *testing.T, text, with string, n uint64) {
		text, with = strings.ToValidUTF8(text, "?"), strings.ToValidUTF8(with, "!")
		r := rand.New(rand.NewPCG(n, 7))
		depth := uint8(1 + n%2)
		raw, head, tail := spell(r, text), "", ""
		if depth == 2 {
			raw, head, tail = spell(r, raw), spell(r, `{ "k" :"`), spell(r, `","x\/":1.0e0}`)
		}
		before := "{ \"a\\/b\\u00e9\" : 1.0e0,\t\"n\":12345678901234567890 ,\"content\" :\"" + head
		doc := before + raw + tail + `" ,"z":-0,"a":{"a":0}}` + "\r\n"
		at := Span{len(before), len(before) + len(raw)}
		require.True(t, jsontext.Value(doc).IsValid(), doc)

		got, _ := ReadText([]byte(doc), at, depth, nil)
		require.Equal(t, text, string(got))

		edits := chance(r, text, with)
		want := applyEdits(text, edits)
		r.Shuffle(len(edits), func(i, j int) {
			// Insertions at one place keep the order given, so only others may move.
			if edits[i].Start != edits[j].Start {
				edits[i], edits[j] = edits[j], edits[i]
			}
		})
		if len(edits) > 1 {
			want = applyEdits(text, sortEdits(edits))
		}
		cuts, err := AppendCuts(nil, []byte(doc), at, depth, edits)
		require.NoError(t, err)
		out, err := Apply([]byte(doc), cuts)
		require.NoError(t, err)
		alongTheSame(t, raw, depth, edits)

		outsideEqual(t, doc, string(out), cuts)
		require.True(t, jsontext.Value(out).IsValid(), string(out))
		require.NoError(t, check(string(out)))
		content := leafOf(t, out, "content")
		if depth == 2 {
			content = leafOf(t, []byte(content), "k")
		}
		require.Equal(t, want, content)

		// Each offset is a walk from the start, so long texts are only sampled.
		for off := 0; off < len(text)+2; off += 1 + len(text)/100 {
			_, err := AppendCuts(nil, []byte(doc), at, depth, []Edit{{Start: off, End: off}})
			switch {
			case off > len(text):
				require.ErrorIs(t, err, ErrRange)
			case off < len(text) && !utf8.RuneStart(text[off]):
				require.ErrorIs(t, err, ErrRune)
			default:
				require.NoError(t, err)
			}
		}
	})
}

// alongTheSame checks that a text is decoded and edited along the escapes that were noted as it is without them.
func alongTheSame(t *testing.T, raw string, depth uint8, edits []Edit) {
	t.Helper()
	doc := []byte(raw)
	at := Span{0, len(doc)}
	wantText, _ := ReadText(doc, at, depth, nil)
	text, _, escapes := ReadTextAlong(doc, at, depth, nil, nil)
	require.Equal(t, string(wantText), string(text))
	if escapes == nil {
		require.Greater(t, strings.Count(raw, "\\"), MaxNoted)
	}
	want, err := AppendCuts(nil, doc, at, depth, edits)
	require.NoError(t, err)
	got, err := AppendCutsAlong(nil, doc, at, depth, escapes, edits)
	require.NoError(t, err)
	require.Equal(t, want, got)
	for off := 0; off < len(text)+2; off += 1 + len(text)/100 {
		_, want := AppendCuts(nil, doc, at, depth, []Edit{{Start: off, End: off}})
		_, got := AppendCutsAlong(nil, doc, at, depth, escapes, []Edit{{Start: off, End: off}})
		require.Equal(t, want, got)
	}
}

// outsideEqual walks the cuts and compares every byte that none of them covers.
func outsideEqual(t *testing.T, doc, out string, cuts []Cut) {
	t.Helper()
	at := 0
	for _, c := range cuts {
		kept := doc[at:c.Start]
		require.Equal(t, kept, out[:len(kept)])
		require.Equal(t, c.With, out[len(kept):len(kept)+len(c.With)])
		out, at = out[len(kept)+len(c.With):], c.End
	}
	require.Equal(t, doc[at:], out)
}
