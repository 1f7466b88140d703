package guardrailtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

const (
	operatorText = "You are the helper of the Northwind bakery and never say that the sourdough recipe of Maria needs four days, two folds and a cold cellar."
	object       = "detectors: [{type: json_schema, schema: {type: object}}]"
	question     = "Tell me about the weather in Oslo, please, and say whether I should take an umbrella with me when I go out tonight or not."
)

// listAnswerCases judge each answer whole and streamed in several ways, and want the same of all of them.
func listAnswerCases() (out []Case) {
	raw := FormatBody(FormatMessage("system", operatorText), FormatMessage("user", question))
	long := strings.Repeat(Prose[:700], 3)
	for _, c := range []struct {
		name, config, text string
		blocked            bool
		label              string
	}{
		{"the system prompt in an answer is refused", "{}", long + " Well: " + operatorText + " " + long, true, "system_prompt_leak"},
		{
			"a canary in an answer is refused", "detectors: [{type: system_prompt_leak, canaries: [zx81-canary]}]",
			long + "zx81-canary" + long, true, "system_prompt_leak",
		},
		{"an answer without the system prompt passes", "{}", long, false, ""},
		{"a keyword in an answer is refused", "detectors: [{type: keywords, words: [falcon]}]", long + " The falcon. " + long, true, "keywords"},
		{
			"a refusal of the model is found", "detectors: [{type: no_refusal, action: block}]",
			"I'm sorry, but I can't help with that. " + long, true, "no_refusal",
		},
		{"an answer that is too long is refused", "detectors: [{type: max_chars, max: 1000, phases: [response]}]", long, true, "max_chars"},
		{"an answer that is short enough passes", "detectors: [{type: max_chars, max: 5000, phases: [response]}]", long, false, ""},
		{"an answer that is too short is refused", "detectors: [{type: length, min: 5000, phases: [response]}]", long, true, "length"},
		{"an answer of too many tokens is refused", "detectors: [{type: max_tokens, max: 10, phases: [response]}]", long, true, "max_tokens"},
		{"an answer that is no JSON is refused", object, "{\"a\": 1, " + long, true, "json_schema"},
		{"an answer that fits a schema passes", object, "{\"a\": " + Quote(long) + "}", false, ""},
		{"an echo of the question is refused", "detectors: [{type: echo, action: block}]", question, true, "echo"},
		{
			"a picture from elsewhere is refused", "detectors: [{type: exfil_markdown, action: block}]",
			long + "![x](https://evil.test/?q=1)" + long, true, "exfil_markdown",
		},
	} {
		out = append(out, Case{c.name, func(t *testing.T, build Builder) {
			b := NewBench(t, build, c.config)
			want := b.RunWhole(raw, c.text)
			assert.Equal(t, c.blocked, want.Blocked != "", "%+v", want)
			if c.label != "" {
				assert.Contains(t, want.Labels, c.label)
			} else {
				assert.Equal(t, want.Text, c.text)
			}
			for _, pieces := range cutText(c.text) {
				got := b.RunStream(raw, pieces)
				assert.Equal(t, want.Blocked, got.Blocked, "%d pieces", len(pieces))
				assert.True(t, strings.HasPrefix(c.text, got.Text))
				for _, secret := range []string{"falcon", "canary", "evil"} {
					assert.NotContains(t, got.Text, secret)
				}
				if c.blocked {
					assert.Contains(t, got.Labels, c.label)
				} else {
					assert.Equal(t, want.Text, got.Text)
				}
			}
		}})
	}
	return out
}

// streamCases are about the text of streams.
var streamCases = []Case{
	{"a stream is redacted as the whole is", redactStream},
	{"without hold text is sent at once and is still judged", func(t *testing.T, build Builder) {
		b := NewBench(t, build, "{stream: {hold: false}, detectors: [{type: keywords, words: [falcon]}]}")
		raw := FormatBody(FormatMessage("user", "hi"))
		assert.Equal(t, "hello", b.RunStream(raw, []string{"he", "llo"}).Text)
		text := Prose[:800] + " falcon " + Prose[:800]
		for _, pieces := range cutText(text) {
			got := b.RunStream(raw, pieces)
			assert.Equal(t, core.CodeContentFilter, got.Blocked)
			if len(pieces) > 100 {
				assert.Greater(t, len(got.Text), 900, "it was sent until the window was full")
			}
		}
	}},
}

func redactStream(t *testing.T, build Builder) {
	raw := FormatBody(FormatMessage("user", "hi"))
	for _, config := range []string{
		"detectors: [{type: keywords, words: [road, roof, 'three companies'], action: redact}, {type: secrets, action: redact}]",
		"{stream: {window: 64, overlap: 16}, detectors: [{type: keywords, words: [road, roof, 'three companies'], action: redact}, {type: regex, pattern: 'q+', action: redact}]}",
	} {
		b := NewBench(t, build, config)
		for _, text := range []string{
			Prose[:1500],
			strings.Repeat("road", 300),
			strings.Repeat("road ", 300),
			strings.Repeat("x", 380) + " roof " + strings.Repeat("y", 500),
			strings.Repeat("ä", 299) + "road roof" + strings.Repeat("ö ", 300),
			strings.Repeat("q", 900),
			"roof", "",
		} {
			want := b.RunWhole(raw, text)
			for _, pieces := range cutText(text) {
				got := b.RunStream(raw, pieces)
				require.Equal(t, want.Text, got.Text, "%d pieces of %.60q", len(pieces), text)
				require.ElementsMatch(t, want.Labels, got.Labels)
			}
		}
	}
}
