// Package main_test drives the built program as an operator does: as a process, over the network, with signals and
// files. It imports nothing of the gateway except its SQLite driver.
package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

// program is the gateway under test, and cache is the folder of compiled modules that all its processes share.
var program, cache string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "headgate-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	defer shared.Remove()
	cache = filepath.Join(dir, "cache")
	// With -race the program detects races too: a race in any of its processes fails the test that started it.
	if program, err = shared.Gateway(raceDetector); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// fromRoot reads a file of the project.
func fromRoot(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	require.NoError(t, err)
	return b
}

// sample returns the sample detector, which finds EMP-123456.
func sample(t *testing.T) []byte {
	t.Helper()
	return fromRoot(t, "sdk/samples/employee-id/employee-id.wasm")
}
