package conflict

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/dataset"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// codesIn returns the codes and levels of a text of policies.
func codesIn(t testing.TB, text []byte) (codes, levels []string) {
	t.Helper()
	list, err := dsl.ParseAll(text, "", "")
	var problems dsl.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			codes, levels = append(codes, p.Code), append(levels, FindLevel(p.Code))
		}
		return codes, levels
	}
	require.NoError(t, err)
	for _, i := range Find(list, Options{}) {
		codes, levels = append(codes, i.Code), append(levels, i.Level)
	}
	return codes, levels
}

func TestPairsHaveTheirCodes(t *testing.T) {
	dataset.RunSets(t, "../testdata/policy_conflicts.json", "policy_conflicts.json", func(t *testing.T, _ string, data []byte) {
		var cases []struct {
			ID, Name, Level string
			Expect          []string
			Policies        json.RawMessage
		}
		require.NoError(t, json.Unmarshal(data, &cases))
		require.NotEmpty(t, cases)
		for _, c := range cases {
			t.Run(c.ID+" "+c.Name, func(t *testing.T) {
				codes, levels := codesIn(t, c.Policies)
				assert.ElementsMatch(t, c.Expect, slices.Clone(codes))
				if c.Level != "none" {
					assert.Equal(t, []string{c.Level}, levels)
				}
			})
		}
	})
}

func TestTheSamplesHaveNoConflicts(t *testing.T) {
	dataset.RunSets(t, "../testdata/policy_samples.yaml", "policy_samples.yaml", func(t *testing.T, _ string, text []byte) {
		codes, _ := codesIn(t, text)
		t.Log(codes)
		assert.NotContains(t, codes, NeverMatches)
		assert.NotContains(t, codes, MatchesEverything)
	})
}
