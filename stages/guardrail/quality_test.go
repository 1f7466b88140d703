package guardrail

import (
	"bytes"
	"encoding/json"
	"strings"
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
	dataset.Each(t, sample, public, func(t *testing.T, set string, data []byte) {
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

// samplesOfCases makes samples of the cases of attacks. A case that was made from
// another is in its group, and so are texts that begin alike: no fold is tested
// with what it learned from.
func samplesOfCases(cases []testCase) []sample {
	group := map[string]uint64{}
	for _, c := range cases {
		start := strings.ToLower(c.Text[:min(len(c.Text), 25)])
		if c.Set == "indirect" {
			start = c.Category // the same mail is the frame of many attacks
		}
		group[c.ID] = hash64(start)
	}
	out := make([]sample, len(cases))
	for i, c := range cases {
		s := sample{text: c.Text, attack: c.Label == "attack", group: group[c.ID], source: c.Set}
		if _, from, ok := strings.Cut(c.Note, "made from "); ok {
			s.group = hash64(from)
			if g, ok := group[from]; ok {
				s.group = g
			}
		}
		if c.Set == "wild" {
			s.label = labelJailbreak
		}
		out[i] = s
	}
	return out
}
