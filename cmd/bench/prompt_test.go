package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryPromptHoldsWhatIsLookedFor(t *testing.T) {
	card, email, employee := regexp.MustCompile(
		`\b\d{4} \d{4} \d{4} \d{4}\b`,
	), regexp.MustCompile(
		`[a-z.]+@[a-z]+\.com`,
	), regexp.MustCompile(
		`\bEMP-\d{6}\b`,
	)
	for size, n := range promptSizes {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stream %t", size, stream), func(t *testing.T) {
				b, err := buildPrompt(size, stream, promptEmail)
				require.NoError(t, err)
				assert.InDelta(t, n, len(b), 0.1*float64(n), "size of the body")

				var p promptBody
				require.NoError(t, json.Unmarshal(b, &p))
				assert.Equal(t, stream, p.Stream)
				assert.Equal(t, stream, wantsStream(b), "the mock sees the same")
				assert.Equal(t, stream, p.StreamOptions != nil && p.StreamOptions.IncludeUsage)
				first := p.Messages[1].Content
				require.Regexp(t, email, first)
				require.Regexp(t, employee, first)
				require.Regexp(t, card, first)
				assert.True(t, luhn(card.FindString(first)), "the card passes the Luhn check")
				for _, v := range promptPersonal {
					if at := strings.Index(string(b), v); at >= 0 && v != promptEmail {
						assert.Less(t, strings.Index(string(b), promptEmail), at, "the e-mail address comes before %s", v)
					}
				}
				for i, m := range p.Messages[1:] {
					assert.Equal(t, 1, strings.Count(m.Content, seqMark), "mark of message %d", i)
				}
			})
		}
	}
}

func TestPromptsAreTheSameBytesEachTime(t *testing.T) {
	a, err := buildPrompt("8k", false, promptEmail)
	require.NoError(t, err)
	b, err := buildPrompt("8k", false, promptEmail)
	require.NoError(t, err)
	assert.Equal(t, a, b)
}

func TestPromptOfUnknownSizeIsAnError(t *testing.T) {
	_, err := buildPrompt("2k", false, promptEmail)
	assert.ErrorContains(t, err, `"2k"`)
}

func TestARenumberedPromptIsStillJSONWithoutACardInItsMarks(t *testing.T) {
	b, err := buildPrompt("100k", false, promptEmail)
	require.NoError(t, err)
	at := findMarks(b, renumberAll)
	assert.Greater(t, len(at), 20, "one mark a message")
	writeSequence(b, at, 4111111111)
	assert.True(t, json.Valid(b))
	assert.NotContains(t, string(b), seqMark)
	assert.Contains(t, string(b), "SEQ4111111111", "the letters stay before the digits")
}

func luhn(s string) bool {
	sum, double := 0, false
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == ' ' {
			continue
		}
		d := int(s[i] - '0')
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum, double = sum+d, !double
	}
	return sum%10 == 0
}
