package stagetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// Held is the result of one rule.
type Held struct {
	Rule string
	// Holds is true if the rule applies to the stage and the stage obeys it.
	Holds bool
	// None says why the rule does not apply to the stage, in a few words.
	None string
}

func explainStreamSkip(t testing.TB, s *Suite) string {
	answers := false
	for _, p := range s.Phases {
		answers = answers || p == core.Response
	}
	if !answers {
		return "it does not look at answers"
	}
	st, ok := s.findStreamStage(t)
	if !ok {
		return "it looks at whole answers only"
	}
	f, err := st.Stream(context.Background(), Text{Phase: core.Response}.Exchange(), nil)
	require.NoError(t, err)
	if f == nil {
		return "it lets streams pass as they come"
	}
	require.NoError(t, f.Close(context.Background()))
	return ""
}

func explainFinishSkip(t testing.TB, s *Suite) string {
	if _, ok := s.makeStage(t).Stage.(core.Finisher); !ok {
		return "it is not told of the end"
	}
	return ""
}

func explainCloseSkip(t testing.TB, s *Suite) string {
	if _, ok := s.makeStage(t).Stage.(core.Closer); !ok {
		return "it holds nothing that is let go"
	}
	return ""
}
