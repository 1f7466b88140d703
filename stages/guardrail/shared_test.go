package guardrail

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharedCase is a line of the shared guard data.
type sharedCase struct {
	ID, Source, Set, Category, Label, Text, Note, Guard string

	Config json.RawMessage
	Hit    bool
}

// shared reads a file of the shared data beside the project, or skips.
func shared(t testing.TB, name string) (out []sharedCase) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	f, err := os.Open(filepath.Join(root, "..", "shared", "data", name))
	if err != nil {
		t.Skipf("SKIPPED, NOTHING WAS MEASURED: shared data %s is absent", name)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var c sharedCase
		require.NoError(t, json.Unmarshal(sc.Bytes(), &c))
		out = append(out, c)
	}
	require.NoError(t, sc.Err())
	require.NotEmpty(t, out)
	return out
}

// sharedSamples makes samples of the cases of attacks. A case that was made from
// another is in its group, and so are texts that begin alike: no fold is tested
// with what it learned from.
func sharedSamples(cases []sharedCase) []sample {
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
