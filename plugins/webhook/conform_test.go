package webhook

import (
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// texts have names at the edges of windows, on both sides of placeholders, and in characters of two and four bytes.
var texts = []string{
	"PROJECT-APOLLO",
	"ask PROJECT-APOLLO and PROJECT-GEMINI.",
	"nothing",
	"PROJECT-",
	strings.Repeat("x", 390) + " PROJECT-APOLLO " + strings.Repeat("y", 500),
	strings.Repeat("é", 299) + "PROJECT-GEMINI" + strings.Repeat("😀", 400),
	strings.Repeat("a PROJECT-MERCURY b ", 60),
	strings.Repeat(
		"z",
		380,
	) + "{{PII_EMAIL_0123456789abcdef}}PROJECT-APOLLO" + strings.Repeat(
		"w",
		260,
	) + "{{PII_EMAIL_0123456789abcdef}}" + strings.Repeat(
		"v",
		100,
	),
}

func TestAWebhookConformsToTheContractOfStagesInBothFailModes(t *testing.T) {
	for _, action := range []webhook.Action{webhook.Flag, webhook.Redact, webhook.Block} {
		for mode, open := range map[string]bool{"CLOSED": false, "OPEN": true} {
			t.Run(string(action)+" "+mode, func(t *testing.T) {
				stagetest.Conform(t, stagetest.Suite{
					New: func(t testing.TB) core.Stage {
						return receives(t, finds(action)).link(t, func(o *Options) { o.FailOpen = open })
					},
					Texts: texts, Phases: []core.Phase{core.Request, core.Target, core.Response},
				})
			})
		}
	}
}
