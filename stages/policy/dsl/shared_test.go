package dsl

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func TestTheSharedContextsAreDecidedAsExpected(t *testing.T) {
	policies, err := ParseAll(shared(t, "policy_samples.yaml"), "", "policy_samples.yaml")
	require.NoError(t, err)
	require.Len(t, policies, 12)
	set := NewSet(policies)
	var data struct {
		Cases []struct {
			ID       string
			Context  json.RawMessage
			Expected struct {
				Decision  string
				Rules     []string
				RuleID    string `json:"rule_id"`
				Reason    string
				WarnAgent []string `json:"warn_agent"`
				Redact    []string
			}
		}
	}
	require.NoError(t, json.Unmarshal(shared(t, "policy_eval.json"), &data))
	require.NotEmpty(t, data.Cases)
	for _, c := range data.Cases {
		t.Run(c.ID, func(t *testing.T) {
			f, err := ReadContext(c.Context, true, time.Now())
			require.NoError(t, err)
			r := Decide(set, f)
			assert.Equal(t, c.Expected.Decision, r.Status)
			assert.Equal(t, c.Expected.Rules, r.Matched)
			assert.Equal(t, c.Expected.RuleID, r.RuleID)
			assert.Equal(t, c.Expected.Reason, r.Reason)
			assert.ElementsMatch(t, c.Expected.Redact, r.Effects.Redact)
			var warned []string
			for _, w := range r.Effects.Warnings {
				warned = append(warned, w.RuleID)
			}
			assert.Equal(t, c.Expected.WarnAgent, warned)
			assert.Empty(t, r.Notes)
		})
	}
}
