package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// installVar asks for the tests that install packages from registries outside of CI, where they always run.
const installVar = "HEADGATE_INSTALL"

// runIn runs a program in a folder.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, out)
}

// The templates of processes, each built and run outside of this repository.
func TestANewProcessIsBuiltOutsideAndPassesItsCases(t *testing.T) {
	t.Parallel()
	for lang, build := range map[string]func(t *testing.T, dir string) (path string){
		"go": func(t *testing.T, dir string) string {
			runIn(t, dir, []string{"GOPROXY=off", "GOFLAGS=", "GOWORK=off"}, "go", "build", "-o", "guard", ".")
			return ""
		},
		"python": func(t *testing.T, dir string) string {
			requireInstalls(t)
			needs(t, "python3")
			runIn(t, dir, nil, "python3", "-m", "venv", ".venv")
			runIn(t, dir, nil, filepath.Join(dir, ".venv", "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt")
			require.NoError(t, os.Chmod(filepath.Join(dir, "main.py"), 0o755)) // a program
			return filepath.Join(dir, ".venv", "bin")
		},
		"node": func(t *testing.T, dir string) string {
			requireInstalls(t)
			needs(t, "node", "npm")
			runIn(t, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
			require.NoError(t, os.Chmod(filepath.Join(dir, "main.js"), 0o755)) // a program
			node, err := exec.LookPath("node")
			require.NoError(t, err)
			return filepath.Dir(node)
		},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			f := s.run("plugin", "new", "word-guard", "--lang", lang, "--kind", "process")
			require.Zero(t, f.code, f.err)
			dir := filepath.Join(s.dir, "word-guard")
			path := build(t, dir)
			list := filepath.Join(dir, "word-guard.cases.yaml")
			text, err := os.ReadFile(list)
			require.NoError(t, err)
			changed := strings.Replace(string(text), "  start_timeout: 30s\n", "  start_timeout: 60s\n  timeout: 20s\n  env: {PATH: "+path+"}\n", 1)
			require.NoError(t, os.WriteFile(list, []byte(changed), 0o600))
			f = s.run("plugin", "test", "-v", "word-guard")
			assert.Zero(t, f.code, f.out+f.err)
			assert.Contains(t, f.out, "in an answer, however it is streamed")
		})
	}
}

// requireInstalls skips a test that installs packages, unless it is asked for.
func requireInstalls(t *testing.T) {
	t.Helper()
	if os.Getenv("CI") != "true" && os.Getenv(installVar) == "" {
		t.Skip("SKIPPED: set " + installVar + "=1 to install packages from registries and test with them")
	}
}
