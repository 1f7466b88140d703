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

var (
	// program serves. With -race it detects races: one in any of its processes fails the test that started it.
	program string
	// verbs is the same program without the race detector, for commands that exit when they are done: most run one
	// goroutine, and the detector would take most of the time of this package's tests.
	verbs string
	// cache is the folder of compiled modules that all processes share.
	cache string
)

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
	if verbs, err = shared.Gateway(false); err == nil {
		program, err = shared.Gateway(raceDetector)
	}
	if err != nil {
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
