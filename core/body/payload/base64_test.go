package payload

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// buildFile returns a body with a file, and the text that its segment has.
func buildFile(content string, most int) (p *Payload, text string, ok bool) {
	p = &Payload{Raw: []byte(`{"x":"` + content + `"}`)}
	text, ok = p.AddFile(Segment{Depth: 1, Span: splice.Span{Start: 6, End: 6 + len(content)}}, most)
	return p, text, ok
}

func TestAnEditOfAFileWritesItAnewInItsOwnAlphabet(t *testing.T) {
	for content, want := range map[string]string{
		"aGVsbG8gPz8_":                             `{"x":"aGkgPz8_"}`,
		"aGVsbG8gPz8/":                             `{"x":"aGkgPz8/"}`,
		`aGVsbG8gPz8\/`:                            `{"x":"aGkgPz8/"}`,
		"data:text/plain;base64,aGVsbG8gPz8/":      `{"x":"data:text/plain;base64,aGkgPz8/"}`,
		`\u0064ata:text/plain;BASE64,aGVsbG8gPz8/`: `{"x":"\u0064ata:text/plain;BASE64,aGkgPz8/"}`,
		`aGVs\nbG8gPz8/\n`:                         `{"x":"aGkgPz8/"}`,
	} {
		p, text, ok := buildFile(content, 100)
		require.True(t, ok, content)
		text = strings.Clone(text) // it lies in a buffer of the payload
		require.Equal(t, "hello ??", strings.TrimSuffix(text, "?")[:8], content)
		p.Apply([]Edit{{Segment: 0, Start: 0, End: 5, With: "hi"}})
		require.NoError(t, p.Flush())
		assert.Equal(t, want, string(p.Raw), content)
		assert.Equal(t, "hi "+text[6:], p.ReadText(0))
		p.Compact()
		assert.Equal(t, "hi "+text[6:], p.ReadText(0), "the text can be decoded again")
	}
}

func TestWhatIsNoFileOfTextIsNotAdded(t *testing.T) {
	for _, content := range []string{"a.b", "a", "data:text/plain,hello", "data:;base64", "aGVsbG8=aGVsbG8=", "aGV-bG8/", "aGVs bG8="} {
		p, _, ok := buildFile(content, 100)
		assert.False(t, ok, content)
		assert.Empty(t, p.Segments)
	}
	_, _, ok := buildFile(base64.StdEncoding.EncodeToString(make([]byte, 101)), 100)
	assert.False(t, ok, "too long")
}

func TestEscapesOfJSONAreShownAsTheCharactersThatTheyStandFor(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"jo\u0040x \u00E9 \\u0040 \u0022 \u000a \ud83d\ude00 \u00"}`: `{"a":"jo@x é \\u0040 \u0022 \u000a \ud83d\ude00 \u00"}`,
		`["\u005c\u0041"]`: `["\u005cA"]`,
		`no \u0040 JSON`:   `no \u0040 JSON`,
		`{\`:               `{\`,
	} {
		assert.Equal(t, want, unescapeJSON(in))
	}
}

func FuzzAFileOfBase64(f *testing.F) {
	for _, s := range []string{"aGVsbG8=", "data:text/plain;base64,aGVsbG8", "data:,x", `\u0064ata:;base64,e1wifQ==`, "eyJhIjoiXHUwMDQwIn0="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		var s splice.Scanner
		s.Reset([]byte(`{"x":"` + content + `"}`))
		s.Skip()
		if !s.End() || strings.Contains(content, `"`) {
			return
		}
		p, text, ok := buildFile(content, 1<<10)
		text = strings.Clone(text) // it lies in a buffer of the payload
		if !ok || !utf8.ValidString(text) {
			return
		}
		require.LessOrEqual(t, len(text), 1<<10)
		p.Apply([]Edit{{Segment: 0, Start: 0, End: 0, With: "x"}})
		require.NoError(t, p.Flush())
		p.Compact()
		again := p.ReadText(0)
		require.Equal(t, unescapeJSON("x"+text), again)
	})
}
