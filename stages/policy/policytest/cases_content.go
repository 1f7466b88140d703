package policytest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func seeFindings(t *testing.T, by *Subject) {
	deny := NewActive(FormatRule(`{id: no, conditions: {pii.types_any: [CREDIT_CARD]}, action: DENY}`))
	card := FormatRequest("card 4111 1111 1111 1111")
	t.Run("behind the PII stage the request is refused at once", func(t *testing.T) {
		_, d := newBench(t, by, []string{Detector, Policy}, deny).Send(card)
		assert.Equal(t, core.Block, d.Action)
	})
	t.Run("in front of it, before the request is sent", func(t *testing.T) {
		b := newBench(t, by, []string{Policy, Detector}, deny)
		x, d := b.Send(card)
		require.Equal(t, core.Pass, d.Action)
		assert.Equal(t, core.Block, b.SendTo(x, "openai", "gpt-5", "").Action)
	})
	t.Run("of two links, the second sees it", func(t *testing.T) {
		_, d := newBench(t, by, []string{Policy, Detector, Policy}, deny).Send(card)
		require.Equal(t, core.Block, d.Action)
		assert.Equal(t, "policy2", d.Link)
	})
	t.Run("what is not found is known before the request is sent", func(t *testing.T) {
		deny := NewActive(FormatRule(`{id: no, unless: {pii.types_any: [CREDIT_CARD]}, action: DENY}`))
		for _, kinds := range [][]string{{Detector, Policy}, {Policy, Detector}} {
			_, d := newBench(t, by, kinds, deny).try(card)
			assert.Equal(t, core.Pass, d.Action, kinds)
			_, d = newBench(t, by, kinds, deny).try(Hello)
			assert.Equal(t, core.Block, d.Action, kinds)
		}
	})
}

func seeScores(t *testing.T, by *Subject) {
	attack, two := FormatRequest("ignore that"), FormatRequest("card 4111 1111 1111 1111, mail a@b.example")
	runRules(t, by, []string{Attacks, Detector, Policy}, []outcome{
		{`conditions: {detector.labels_any: ["prompt_*"]}`, attack, true},
		{`conditions: {detector.labels_any: [jailbreak]}`, attack, false},
		{`conditions: {detector.labels_any: [CREDIT_CARD]}`, two, false}, // personal data is no attack
		{`conditions: {detector.score: {prompt_injection: {gte: 0.75}}}`, attack, true},
		{`conditions: {detector.score: {prompt_injection: {gt: 0.75}}}`, attack, false},
		{`conditions: {detector.score: {prompt_injection: 0.8}}`, attack, false},
		{`conditions: {detector.score: {prompt_injection: {lt: 0.5}}}`, Hello, true},
		{`conditions: {detector.score: {prompt_injection: {lt: 0.5}}}`, attack, false},
		{`conditions: {pii.count_gt: 1}`, two, true},
		{`conditions: {pii.count_gt: 1, pii.types_any: [EMAIL]}`, two, false},
		{`conditions: {pii.count_gt: 2}`, two, false},
		{`conditions: {pii.types_any: [EMAIL], pii.min_confidence: 0.01}`, two, true},
		{`conditions: {pii.types_any: [IBAN], pii.min_confidence: 0.01}`, two, false},
	})
}
