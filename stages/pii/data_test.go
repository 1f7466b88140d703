package pii

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/dataset"
)

// testCase is one line of the test data.
type testCase struct {
	ID     string   `json:"id"`
	Source string   `json:"source"`
	Tier   string   `json:"tier"`
	Scope  []string `json:"scope"`
	Text   string   `json:"text"`
	Kind   string   `json:"kind"`
	Note   string   `json:"note"`
	Half   string   `json:"half"` // of the sample only, see ownCases
	Spans  []struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		Type  string `json:"type"`
	} `json:"spans"`
	Hint struct {
		Region string `json:"region"`
	} `json:"hint"`
}

const sampleFile = "testdata/cases.jsonl.gz"

// eachCases runs f on the cases of the sample, and on a file of the public data where it is
// there.
func eachCases(t *testing.T, public string, f func(t *testing.T, set string, cases []testCase)) {
	dataset.RunSets(t, sampleFile, public, func(t *testing.T, set string, data []byte) {
		f(t, set, parseCases(t, data))
	})
}

// eachStreamed is eachCases for texts of answers.
func eachStreamed(t *testing.T, f func(t *testing.T, cases []testCase)) {
	eachCases(t, "stream_detect.jsonl.gz", func(t *testing.T, set string, cases []testCase) {
		if set == dataset.Sample { // every tenth in a sentence
			var some []testCase
			for i := 0; i < len(cases); i += 10 {
				c := cases[i]
				c.Text = "Sure. " + c.Text + " Anything else I can do for you?"
				some = append(some, c)
			}
			cases = some
		}
		f(t, cases)
	})
}

func parseCases(t testing.TB, data []byte) (cases []testCase) {
	for line := range bytes.Lines(data) {
		var c testCase
		require.NoError(t, json.Unmarshal(line, &c))
		cases = append(cases, c)
	}
	require.NotEmpty(t, cases)
	return cases
}
