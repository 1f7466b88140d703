package conflict

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// shared reads a file of the test data, which lies beside the project.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	b, err := os.ReadFile(filepath.Join(dir, "..", "shared", "data", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: ../shared/data/%s is not there", name)
	}
	require.NoError(t, err)
	return b
}

// codesIn finds the codes and levels of a text of policies.
func codesIn(t testing.TB, text []byte) (codes, levels []string) {
	t.Helper()
	list, err := dsl.ParseAll(text, "", "")
	var problems dsl.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			codes, levels = append(codes, p.Code), append(levels, Level(p.Code))
		}
		return codes, levels
	}
	require.NoError(t, err)
	for _, i := range Find(list, Options{}) {
		codes, levels = append(codes, i.Code), append(levels, i.Level)
	}
	return codes, levels
}

func TestTheSharedPairsHaveTheirCodes(t *testing.T) {
	var cases []struct {
		ID, Name, Level string
		Expect          []string
		Policies        json.RawMessage
	}
	require.NoError(t, json.Unmarshal(shared(t, "policy_conflicts.json"), &cases))
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
}

func TestTheSharedSamplesAreAtOddsInNothing(t *testing.T) {
	codes, _ := codesIn(t, shared(t, "policy_samples.yaml"))
	t.Log(codes)
	assert.NotContains(t, codes, NeverMatches)
	assert.NotContains(t, codes, MatchesEverything)
}
