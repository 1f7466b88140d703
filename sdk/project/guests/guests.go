// Package guests builds the sample plugins for tests: each once, see sdk/stagetest/shared.
package guests

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/project"
	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

// Root is the project's folder.
var Root = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return "", errors.Join(err, errors.New("no go.mod above the test"))
})

// withNPM puts the compilers that .ci/run has npm install into the path.
var withNPM = sync.OnceValue(func() error {
	root, err := Root()
	if err != nil {
		return err
	}
	return os.Setenv("PATH", filepath.Join(root, ".ci", "guests", "node_modules", ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
})

// Source is the folder of a sample.
func Source(t testing.TB, name string) string {
	t.Helper()
	root, err := Root()
	require.NoError(t, err)
	return filepath.Join(root, "sdk", "samples", name)
}

// Sample returns a folder with name.wasm, built from the sample's source. Without the toolchain it skips the test, or fails
// it in CI.
func Sample(t testing.TB, name string) string {
	t.Helper()
	require.NoError(t, withNPM())
	from := Source(t, name)
	dir, err := shared.Folder("sample-"+name, func(dir string) error { return buildGuest(from, dir) })
	var missing *project.MissingError
	if errors.As(err, &missing) {
		require.NotEqual(t, "true", os.Getenv("CI"), "%v: .ci/run should have installed it", missing)
		t.Skipf("SKIPPED: %v", missing)
	}
	require.NoError(t, err)
	return dir
}

// BuiltFile contains the result of the build as JSON: a project.Built.
const BuiltFile = "built.json"

func buildGuest(from, to string) error {
	built, err := project.Build(context.Background(), from, to, nil)
	if err != nil {
		return err // the test reports it
	}
	text, err := json.Marshal(built)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, BuiltFile), text, 0o600)
}

// CompilationFolder returns a folder for the host's cache of compiled modules.
func CompilationFolder(t testing.TB) string {
	t.Helper()
	dir, err := shared.Folder("compiled", func(string) error { return nil })
	require.NoError(t, err)
	return dir
}
