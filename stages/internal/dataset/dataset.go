// Package dataset finds the data for quality tests: the sample in the repository, and the larger public set if it is
// present beside the project.
package dataset

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names of the data sets.
const (
	Sample = "sample" // in testdata, written for this project
	Public = "public" // ../shared/data beside the project, from public test suites
)

// RunSets runs f on the file sample of the test's folder and, if it exists, on the public file of that name. Files whose
// names end with .gz are decompressed.
func RunSets(t *testing.T, sample, public string, f func(t *testing.T, set string, data []byte)) {
	t.Helper()
	t.Run(Sample, func(t *testing.T) { f(t, Sample, readFile(t, sample)) })
	path := filepath.Join(FindRoot(t), "..", "shared", "data", public)
	if _, err := os.Stat(path); err == nil {
		t.Run(Public, func(t *testing.T) { f(t, Public, readFile(t, path)) })
	}
}

// FindRoot returns the folder of the module.
func FindRoot(t testing.TB) string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		require.NotEqual(t, dir, up, "no go.mod above the test")
		dir = up
	}
}

func readFile(t testing.TB, path string) []byte {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	if !strings.HasSuffix(path, ".gz") {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	b, err = io.ReadAll(z)
	require.NoError(t, err)
	return b
}
