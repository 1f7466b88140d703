package pii

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharedCase is one line of the shared test data.
type sharedCase struct {
	ID     string   `json:"id"`
	Source string   `json:"source"`
	Tier   string   `json:"tier"`
	Scope  []string `json:"scope"`
	Text   string   `json:"text"`
	Kind   string   `json:"kind"`
	Note   string   `json:"note"`
	Spans  []struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		Type  string `json:"type"`
	} `json:"spans"`
	Hint struct {
		Region string `json:"region"`
	} `json:"hint"`
}

// shared reads a file of the shared data beside the project, or skips.
func shared(t testing.TB, name string) []sharedCase {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(root)
		require.NotEqual(t, root, up, "no go.mod above the test")
		root = up
	}
	f, err := os.Open(filepath.Join(root, "..", "shared", "data", name))
	if err != nil {
		t.Skipf("SKIPPED, NOTHING WAS MEASURED: shared data %s is absent", name)
	}
	t.Cleanup(func() { _ = f.Close() })
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var cases []sharedCase
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c sharedCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		cases = append(cases, c)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, cases)
	return cases
}
