package guardrail

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/dataset"
)

// testCase is a line of the guard data.
type testCase struct {
	ID, Source, Set, Category, Label, Text, Note, Guard string

	Config json.RawMessage
	Hit    bool
	Half   string // of the sample only, see ownCases
}

const sampleFile = "testdata/cases.jsonl.gz"

// eachCases runs f on the cases of the sample, and on those of the public data where it is
// there.
func eachCases(t *testing.T, sample, public string, f func(t *testing.T, set string, cases []testCase)) {
	dataset.RunSets(t, sample, public, func(t *testing.T, set string, data []byte) {
		f(t, set, parseCases(t, data))
	})
}

func parseCases(t testing.TB, data []byte) (out []testCase) {
	for line := range bytes.Lines(data) {
		var c testCase
		require.NoError(t, json.Unmarshal(line, &c))
		out = append(out, c)
	}
	require.NotEmpty(t, out)
	return out
}
