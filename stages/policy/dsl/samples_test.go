package dsl

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/dataset"
)

func TestContextsAreDecidedAsExpected(t *testing.T) {
	sets := map[string]*Set{}
	dataset.RunSets(t, "../testdata/policy_samples.yaml", "policy_samples.yaml", func(t *testing.T, set string, text []byte) {
		policies, err := ParseAll(text, "", "policy_samples.yaml")
		require.NoError(t, err)
		require.Len(t, policies, map[string]int{dataset.Public: 12, dataset.Sample: 7}[set])
		sets[set] = NewSet(policies)
	})
	dataset.RunSets(t, "../testdata/policy_eval.json", "policy_eval.json", func(t *testing.T, set string, cases []byte) {
		testDecisions(t, sets[set], cases)
	})
}

func testDecisions(t *testing.T, set *Set, cases []byte) {
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
	require.NoError(t, json.Unmarshal(cases, &data))
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
