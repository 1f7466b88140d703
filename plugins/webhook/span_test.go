package webhook

import (
	"context"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

func TestASpanIsReplacedAsTheReceiverSays(t *testing.T) {
	stars, none, half := "***", "", 0.5
	for name, c := range map[string]struct {
		findings []webhook.Finding
		unit     webhook.Unit
		text     string
		want     string
	}{
		"by a placeholder":                {[]webhook.Finding{{Start: 0, End: 3, Label: "a_1_"}}, "", "abc def", "<A_1:abc> def"},
		"by a given text":                 {[]webhook.Finding{{Start: 0, End: 3, Label: "a", With: &stars, Score: &half}}, webhook.Byte, "abc def", "*** def"},
		"by nothing":                      {[]webhook.Finding{{Start: 0, End: 4, Label: "a", With: &none}}, "", "abc def", "def"},
		"two that overlap, by the longer": {[]webhook.Finding{{Start: 2, End: 7, Label: "b"}, {Start: 0, End: 3, Label: "a", With: &stars}}, "", "abc def ghi", "<B:abc def> ghi"},
		"two that touch":                  {[]webhook.Finding{{Start: 3, End: 7, Label: "b"}, {Start: 0, End: 3, Label: "a", With: &stars}}, "", "abc def ghi", "***<B: def> ghi"},
		"in units of UTF-16":              {[]webhook.Finding{{Start: 3, End: 5, Label: "a"}}, webhook.UTF16, "é😀bé def", "é😀<A:bé> def"},
		"in characters":                   {[]webhook.Finding{{Start: 2, End: 4, Label: "a"}}, webhook.Rune, "é😀bé", "é😀<A:bé>"},
		"not in a placeholder's digits":   {[]webhook.Finding{{Start: 12, End: 20, Label: "a"}, {Start: 30, End: 33, Label: "a", With: &stars}}, "", "{{PII_EMAIL_0123456789abcdef}}abc", "{{PII_EMAIL_0123456789abcdef}}***"},
		"never half a placeholder":        {[]webhook.Finding{{Start: 20, End: 33, Label: "a", With: &stars}}, "", "{{PII_EMAIL_0123456789abcdef}}abc", "***"},
	} {
		t.Run(name, func(t *testing.T) {
			chain := chainOf(t, receives(t, says(webhook.Verdict{Action: webhook.Redact, Unit: c.unit, Findings: c.findings})).link(t), 0)
			got, d, _ := runAnswer(t, chain, c.text)
			require.Equal(t, core.Pass, d.Action, "%v", d.Err)
			assert.Equal(t, c.want, got)
			got, e, _ := streamAnswer(t, chain, strings.Split(c.text, ""))
			require.Nil(t, e)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestOffsetsOfEveryUnitAgree(t *testing.T) {
	text := "aé😀\u0301b日本😀"
	bytes, units, runes := 0, 0, 0
	for _, r := range text {
		for u, n := range map[webhook.Unit]int{webhook.Byte: bytes, webhook.UTF16: units, webhook.Rune: runes, "": bytes} {
			got, ok := convertOffset(text, n, u)
			require.True(t, ok)
			require.Equal(t, bytes, got)
		}
		if r > 0xFFFF {
			_, ok := convertOffset(text, units+1, webhook.UTF16)
			require.False(t, ok, "half a pair of surrogates")
		}
		bytes, units, runes = bytes+utf8.RuneLen(r), units+utf16.RuneLen(r), runes+1
	}
	for u, n := range map[webhook.Unit]int{webhook.Byte: bytes, webhook.UTF16: units, webhook.Rune: runes} {
		got, ok := convertOffset(text, n, u)
		require.True(t, ok)
		require.Equal(t, len(text), got)
		_, ok = convertOffset(text, n+1, u)
		require.False(t, ok)
	}
}

func TestFindingsThatOverlapWithoutEndAreAFault(t *testing.T) {
	c := chainOf(t, receives(t, func(_ context.Context, in *webhook.Request) (*webhook.Verdict, error) {
		v := &webhook.Verdict{Action: webhook.Redact}
		for i, s := range in.Segments {
			v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: 0, End: len(s.Text), Label: "all"})
		}
		return v, nil
	}).link(t), 0)
	const maxJoined = 16 << 10 // of plugins/remote
	text := strings.Repeat("a", 3*maxJoined)
	_, d, x := runAnswer(t, c, text)
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, core.FaultVerdict, x.Visits[len(x.Visits)-1].Fault)
	got, e, _ := streamAnswer(t, c, strings.SplitAfter(strings.Repeat("a", 3*maxJoined), strings.Repeat("a", 50)))
	require.NotNil(t, e)
	assert.Empty(t, got)
	got, d, _ = runAnswer(t, c, text[:2000])
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, "<ALL:"+text[:2000]+">", got, "below the limit they are joined")
}
