// Package main_test drives the built program as an operator does: as a process,
// over the network, with signals and files. Of the gateway it imports no more than
// its SQLite driver.
package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

// program is the gateway under test, and cache what all its processes share of
// compiled modules.
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
	program, cache = filepath.Join(dir, "headgate"), filepath.Join(dir, "cache")
	// What the build was asked for is tested, so a race in the process is found when the tests are run with -race.
	args := []string{"build", "-tags", "nomsgpack,grpcnotrace", "-o", program}
	if raceDetector {
		args = append(args, "-race")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", append(args, ".")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the gateway:", err)
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

// sample is the sample detector, which finds EMP-123456.
func sample(t *testing.T) []byte {
	t.Helper()
	return fromRoot(t, "sdk/samples/employee-id/employee-id.wasm")
}
