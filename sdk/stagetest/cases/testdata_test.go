package cases_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
	"github.com/headgate-dev/headgate/stages"
)

// builtin makes compiled-in stages.
func builtin(_ context.Context, l *config.Link, _ string, d cases.Given) (m cases.Made, err error) {
	m.Link = chain.Link{Phases: stages.FindPhases(l.Stage)}
	m.Link.Stage, err = stages.New(
		l.Stage,
		l.Config,
		stages.Host{Name: d.Name, Tokens: d.Tokens, State: d.State, Now: d.Now, Links: d.Links, Chain: d.Chain},
	)
	return m, err
}

func TestTheCasesOfCompiledInStagesPass(t *testing.T) {
	files, err := cases.Find([]string{"testdata"})
	require.NoError(t, err)
	require.Len(t, files, 2)
	report, err := (&cases.Runner{Make: builtin}).Run(context.Background(), files)
	require.NoError(t, err)
	streamed := 0
	for _, r := range report.Results {
		assert.Empty(t, r.Faults, r.Name)
		if r.Ways > 1 {
			streamed++
		}
	}
	assert.Equal(t, 4, streamed, "cases that were cut")
}
