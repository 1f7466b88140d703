package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

func TestTheStageConforms(t *testing.T) {
	stagetest.Conform(t, stagetest.Suite{
		New: func(t testing.TB) core.Stage {
			st, err := New(nil, Deps{Policies: &source{records: []policydoc.Record{active(`version: 1
name: p
rules:
  - {id: long, conditions: {tokens.prompt_gt: 100}, action: DENY}
  - {id: warn, conditions: {tokens.prompt_gt: 50}, action: WARN_AGENT}
  - {id: answer, conditions: {response.tokens_gt: 100}, action: FLAG}
`)}}})
			require.NoError(t, err)
			return st
		},
		Texts:  []string{"short", strings.Repeat("word ", 60), strings.Repeat("longer ", 200)},
		Phases: []core.Phase{core.Request, core.Target, core.Response},
	})
}
