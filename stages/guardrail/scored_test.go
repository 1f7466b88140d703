package guardrail

import (
	"encoding/json"
	"testing"

	"github.com/headgate-dev/headgate/stages/internal/settingstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/internal/dataset"
)

// block is a stage's part of a configuration. JSON is YAML too.
type block = settingstest.YAML

var _ core.Settings = block("")

// attackFloors are the least recalls and the most alarms by data set. The model has learned from neither; the rules
// were written with the public cases in sight. An earlier model had learned from those too, and its figures
// on them (direct .72) said nothing about other texts.
var attackFloors = map[string]struct{ direct, obfuscated, wild, alarms float64 }{
	dataset.Public: {0.50, 0.95, 0.86, 0.025},
	dataset.Sample: {0.70, 0.92, 0.90, 0.02},
}

// TestAttacks scores the default set as it is shipped.
func TestAttacks(t *testing.T) {
	eachCases(t, sampleFile, "guard_cases.jsonl.gz", func(t *testing.T, set string, cases []testCase) {
		s, err := NewScanner(nil)
		require.NoError(t, err)
		table, want := newTable(), attackFloors[set]
		for i := range cases {
			table.add(&cases[i], s.Scan(cases[i].Text).Hit)
		}
		t.Logf("default set\n%s", table)
		assert.GreaterOrEqual(t, table.recall("direct"), want.direct)
		assert.GreaterOrEqual(t, table.recall("obfuscated"), want.obfuscated)
		assert.GreaterOrEqual(t, table.recall("wild"), want.wild)
		assert.LessOrEqual(t, table.alarms(), want.alarms)
	})
}

func TestDetectorCases(t *testing.T) {
	eachCases(t, "testdata/detectors.jsonl", "guard_misc.jsonl.gz", func(t *testing.T, _ string, cases []testCase) {
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) {
				var conf map[string]any
				require.NoError(t, json.Unmarshal(c.Config, &conf))
				s, err := NewDetectorScanner(c.Guard, block(c.Config))
				require.NoError(t, err)
				r := s.Scan(c.Text)
				assert.Equal(t, c.Hit, r.Hit, "%s %q scored %v", c.Guard, c.Text, r)
			})
		}
	})
}
