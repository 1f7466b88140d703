package guardrail

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
)

// block is a stage's part of a configuration. JSON is YAML too.
type block string

func (b block) Decode(into any) error {
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	return d.Decode(into)
}

var _ core.Settings = block("")

// TestSharedAttacks scores the default set as it is shipped. The model has learned
// from these cases: TestTheModelGeneralises has the honest figures.
func TestSharedAttacks(t *testing.T) {
	cases := shared(t, "guard_cases.jsonl.gz")
	s, err := NewScanner(nil)
	require.NoError(t, err)
	table := newTable()
	for i := range cases {
		table.add(&cases[i], s.Scan(cases[i].Text).Hit)
	}
	t.Logf("default set\n%s", table)
	assert.GreaterOrEqual(t, table.recall("direct"), 0.72)
	assert.GreaterOrEqual(t, table.recall("obfuscated"), 0.95)
	assert.GreaterOrEqual(t, table.recall("wild"), 0.90)
	assert.LessOrEqual(t, table.alarms(), 0.01)
}

func TestSharedDetectorCases(t *testing.T) {
	for _, c := range shared(t, "guard_misc.jsonl.gz") {
		t.Run(c.ID, func(t *testing.T) {
			var conf map[string]any
			require.NoError(t, json.Unmarshal(c.Config, &conf))
			s, err := NewDetectorScanner(c.Guard, block(c.Config))
			require.NoError(t, err)
			r := s.Scan(c.Text)
			assert.Equal(t, c.Hit, r.Hit, "%s %q scored %v", c.Guard, c.Text, r)
		})
	}
}
