package process

import (
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

var texts = []string{
	"PROJECT-APOLLO", "ask PROJECT-APOLLO and PROJECT-GEMINI.", "nothing", "PROJECT-", "PROJECT-PROJECT-APOLLO",
	strings.Repeat("é", 299) + "PROJECT-GEMINI" + strings.Repeat("😀", 400), strings.Repeat("a PROJECT-MERCURY b ", 60),
}

func TestAProcessConformsToTheContractOfStages(t *testing.T) {
	for _, action := range []string{"redact", "replace", "flag", "block"} {
		t.Run(action, func(t *testing.T) {
			p := plug(t, "words", func(s *Spec) { s.Config = settings{"Action": action} })
			p.stage(t) // shared by the stages that the suite creates
			stagetest.Conform(t, stagetest.Suite{
				New:   func(t testing.TB) core.Stage { return p.share(t) },
				Texts: texts, Phases: []core.Phase{core.Request, core.Target, core.Response},
			})
		})
	}
}

// share returns another stage of the same process. The caller closes it.
func (p *plugged) share(t testing.TB) *Stage {
	st, err := p.host.OpenStage(t.Context(), p.spec)
	if err != nil {
		t.Fatal(err)
	}
	return st
}
