package guests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

const processes = "processes"

// Processes returns a plugins folder with the process samples in Go: wordguard, fairuse and answercache.
func Processes(t testing.TB) string {
	t.Helper()
	root, err := Root()
	require.NoError(t, err)
	dir, err := shared.Folder(processes, func(dir string) error {
		return runProgram(filepath.Join(root, "sdk", "process"), "go", "build", "-o", dir, "./samples/...")
	})
	require.NoError(t, err)
	return dir
}

// Node adds the JavaScript sample and its dependencies to the folder of Processes, and returns its file. Without npm it
// skips the test, or fails it in CI.
func Node(t testing.TB) (file string) {
	t.Helper()
	Processes(t)
	root, err := Root()
	require.NoError(t, err)
	if _, err := exec.LookPath("npm"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "npm is not installed: .ci/run should have done it")
		t.Skip("SKIPPED: npm is not installed, and the sample in JavaScript is not tested")
	}
	_, err = shared.Folder(processes+"/node", func(dir string) error {
		for _, name := range []string{"headgate.js", "certificate.js", "wordguard.js", "package.json", "package-lock.json", "process.proto"} {
			b, err := os.ReadFile(filepath.Join(root, "sdk", "process", "node", name))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o755); err != nil { // a program
				return err
			}
		}
		return runProgram(dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	})
	require.NoError(t, err)
	return "node/wordguard.js"
}

// runProgram runs a program. Its output is part of the error.
func runProgram(dir, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}
