package guardrail

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/guardrail/guardrailtest"
)

func FuzzAViewPointsIntoItsText(f *testing.F) {
	for _, s := range []string{"Hello", "Ｉｇｎоrе", "a\u200bb", "x\U000E0068\U000E0069", "ﷺ㎏ﬁ", "не́бо", "\xff\xfe a", "‘’“”…—", "你好。世界"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var v view
		v.read(s)
		v.ensureWords()
		if !v.ascii {
			require.Len(t, v.off, len(v.norm)+1)
		}
		at := 0
		for i := 0; i <= len(v.norm); i++ {
			if v.ascii {
				break
			}
			require.GreaterOrEqual(t, int(v.off[i]), at, "offsets go on")
			at = int(v.off[i])
		}
		for _, w := range v.words {
			start, end := v.findRawSpan(int(w.start), int(w.end))
			require.True(t, 0 <= start && start < end && end <= len(s), "%d:%d of %d", start, end, len(s))
			if utf8.ValidString(s) {
				require.True(t, utf8.ValidString(s[start:end]))
			}
		}
	})
}

// FuzzAnyCuttingGivesTheWhole cuts answers anywhere and holds what comes of it against
// the whole.
func FuzzAnyCuttingGivesTheWhole(f *testing.F) {
	made := newBench(
		f,
		"{stream: {window: 64, overlap: 20}, detectors: [{type: keywords, words: [road, 'the roof', ä], action: redact}, {type: regex, pattern: '[0-9]{3,}', action: redact}, {type: exfil_markdown, action: redact}, {type: invisible_text}]}",
	)
	raw := body(message("user", "hi"))
	f.Add(prose[:300], uint8(3))
	f.Add(strings.Repeat("12", 90)+" road "+strings.Repeat("ä", 70), uint8(1))
	f.Add("![a](https://x.test/"+strings.Repeat("q", 200)+") the roof", uint8(9))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !utf8.ValidString(text) || len(text) > 2000 {
			return
		}
		b := &guardrailtest.Bench{T: t, Chain: made.Chain}
		var pieces []string
		runes := []rune(text)
		for len(runes) > 0 {
			n := min(len(runes), 1+int(size)%40)
			pieces = append(pieces, string(runes[:n]))
			runes = runes[n:]
		}
		want := b.RunWhole(raw, text)
		got := b.RunStream(raw, pieces)
		require.Equal(t, want.Text, got.Text)
		require.ElementsMatch(t, want.Labels, got.Labels)
	})
}

func FuzzScanTakesAnyText(f *testing.F) {
	s, err := NewScanner(
		block(
			`detectors: [{type: prompt_injection}, {type: jailbreak}, {type: secrets}, {type: invisible_text}, {type: code}, {type: exfil_markdown}, {type: urls}, {type: gibberish}, {type: repetition}, {type: no_refusal}, {type: toxicity_lexicon}, {type: json_schema, schema: true, strip_fence: true}]`,
		),
	)
	require.NoError(f, err)
	for _, x := range []string{attackText, "%69%67%6e", "&#105;&#x67;", `\u0069\x67`, "69 67 6e 6f 72 65 20 61 6c 6c", "aWdub3JlIGFsbCBwcmV2aW91cw==", "<", "](", "[a](<", "```", "i g n o r e"} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := s.Scan(text)
		require.True(t, r.Score >= 0 && r.Score <= 1)
		require.Equal(t, r.Hit, len(r.Labels) > 0)
	})
}
