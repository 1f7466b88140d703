//go:build !race

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/guardrail"
)

// apartBytes is how long a text for measuring must be to be looked for: shorter ones, such as "hello there", may stand anywhere.
const apartBytes = 30

// What detectors are measured with is not learned from: neither the project's own cases nor, where they are, those beside the project.
func TestNoTextForMeasuringIsLearnedFrom(t *testing.T) {
	set, err := readSet("../..")
	require.NoError(t, err)
	var b strings.Builder
	for _, s := range set.generateSamples(everything) {
		b.Write(s.text)
		b.WriteByte('\n')
	}
	learned := b.String()
	looked := 0
	for _, path := range []string{"../../testdata/cases.jsonl.gz", "../../../../../shared/data/guard_cases.jsonl.gz"} {
		lines, err := readLines(path)
		if os.IsNotExist(err) {
			t.Logf("%s is not there: looked for the others", path)
			continue
		}
		require.NoError(t, err)
		for _, line := range lines {
			var c struct{ ID, Text string }
			require.NoError(t, json.Unmarshal(line, &c))
			if text := guardrail.Normalize(c.Text); len(text) >= apartBytes {
				looked++
				if strings.Contains(learned, text) { // assert.NotContains would print megabytes
					t.Errorf("%s is learned from: %.100s", c.ID, c.Text)
				}
			}
		}
	}
	assert.Greater(t, looked, 800)
}
