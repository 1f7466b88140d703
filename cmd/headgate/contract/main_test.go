package contract_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

// program is the gateway under test.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "headgate-contract-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder of temporary files
	defer shared.Remove()
	if program = os.Getenv("CONTRACT_PROGRAM"); program != "" {
		return m.Run() // what somebody has built is tested
	}
	program = filepath.Join(dir, "headgate")
	// What the build was asked for is tested, so a race in the process is found when the tests are run with -race.
	args := []string{"build", "-tags", "nomsgpack,grpcnotrace", "-o", program}
	if raceDetector {
		args = append(args, "-race")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", append(args, "..")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the gateway:", err)
		return 1
	}
	return m.Run()
}
