package project

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheInjectionScorer counts what the sample finds in the texts of the guardrail stage, and
// in the public ones where they lie beside the project. Its author had seen some of the public
// ones, and changed no phrase for the count; none of the others, where it finds far less. The
// bounds are a little below what was measured. It is a sample: the built-in guardrail finds far
// more.
func TestTheInjectionScorer(t *testing.T) {
	top := filepath.Join("..", "..")
	t.Run("sample", func(t *testing.T) {
		testScorer(t, filepath.Join(top, "stages", "guardrail", "testdata", "cases.jsonl.gz"), 0.1, 0.1, 0.05)
	})
	public := filepath.Join(top, "..", "shared", "data", "guard_cases.jsonl.gz")
	if _, err := os.Stat(public); err == nil {
		t.Run("public", func(t *testing.T) { testScorer(t, public, 0.4, 0.25, 0.05) })
	}
}

// testScorer requires that more than wild and direct of the attacks are found, and less than
// alarms of the harmless texts.
func testScorer(t *testing.T, path string, wild, direct, alarms float64) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	v := sample(t, "injection").load(t, "")
	defer v.Release(context.Background())

	found, all := map[string]int{}, map[string]int{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var c struct{ Set, Label, Text string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		got, err := v.Detect(context.Background(), nil, c.Text, 0)
		require.NoError(t, err)
		kind := c.Set + " " + c.Label
		all[kind]++
		if len(got) > 0 {
			found[kind]++
		}
	}
	require.NoError(t, lines.Err())
	kinds := make([]string, 0, len(all))
	for kind := range all {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		t.Logf("%-18s %3d of %3d", kind, found[kind], all[kind])
	}
	rate := func(kind string) float64 { return float64(found[kind]) / float64(all[kind]) }
	assert.Greater(t, rate("wild attack"), wild)
	assert.Greater(t, rate("direct attack"), direct)
	assert.Less(t, rate("direct benign"), alarms)
}
