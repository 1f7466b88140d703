package guardrail

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

func TestTheStageKeepsTheContract(t *testing.T) {
	for name, config := range map[string]string{
		"the default set":    "{}",
		"redacting":          "detectors: [{type: keywords, words: [road, roof], action: redact}, {type: secrets, action: redact}, {type: invisible_text, action: redact}]",
		"small windows":      "{stream: {window: 64, overlap: 16}, detectors: [{type: keywords, words: [road, roof], action: redact}, {type: repetition}, {type: exfil_markdown}]}",
		"attacks in answers": "detectors: [{type: prompt_injection, phases: [request, response], action: flag}, {type: jailbreak, phases: [request, response], action: flag}]",
	} {
		t.Run(name, func(t *testing.T) {
			stagetest.Conform(t, stagetest.Suite{
				New: func(t testing.TB) core.Stage {
					st, err := New(block(config))
					require.NoError(t, err)
					return st
				},
				Texts:  []string{attackText, "the roof over the road", prose, "hi\u200bthere", "![x](https://evil.test/a)"},
				Phases: []core.Phase{core.Request, core.Response},
			})
		})
	}
}
