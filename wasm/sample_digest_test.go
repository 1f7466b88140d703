package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheSamplesAreWhatTheirDigestsSay(t *testing.T) {
	for name, module := range map[string][]byte{"employee-id": employeeID(t), "repetition": repetition(t)} {
		line, err := os.ReadFile(filepath.Join("..", "sdk", "samples", name, name+".wasm.sha256"))
		require.NoError(t, err)
		sum := sha256.Sum256(module)
		assert.Equal(t, hex.EncodeToString(sum[:])+"  "+name+".wasm\n", string(line))
	}
}

func TestTheModulesAreWhatTheirSourcesMake(t *testing.T) {
	for _, tool := range []string{"clang", "wasm-ld", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			require.NotEqual(t, "true", os.Getenv("CI"), "%s is not installed: .ci/run should have done it", tool)
			t.Skipf("%s is not installed: the committed modules are taken as they are", tool)
		}
	}
	said, err := exec.Command("clang", "--version").Output()
	require.NoError(t, err)
	if !strings.Contains(string(said), "clang version 14.") {
		t.Skip("another clang than the one that made the committed modules: the code may differ")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		said, err := exec.Command(name, args...).CombinedOutput()
		require.NoError(t, err, string(said))
	}
	same := func(want []byte, name string) {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
	}
	for name, module := range map[string][]byte{"employee-id": employeeID(t), "repetition": repetition(t)} {
		out := filepath.Join(dir, name+".wasm")
		run("make", "-s", "-C", filepath.Join("..", "sdk", "samples", name), "OUT="+out, out)
		same(module, name+".wasm")
	}
	for name, source := range map[string]string{"overlap": "overlap", "pem": "pem", "stage": "stage", "look": "look", "follow": "stage"} {
		out := filepath.Join(dir, name+".wasm")
		define := "-DPLAIN"
		if name == "follow" {
			define = "-DFOLLOW"
		}
		run("clang", "--target=wasm32", "-O2", "-ffreestanding", "-nostdlib", define, "-c", filepath.Join("testdata", source+".c"), "-o", out+".o")
		run("wasm-ld", "--no-entry", "--strip-all", "-z", "stack-size=16384", out+".o", "-o", out)
		same(testModule(t, name), name+".wasm")
	}
}

// The runtime's own way of ending a call makes loops ten times slower and does
// not stop a tree of calls; the meter is used in its place.
func TestTheRuntimesOwnCutIsNotUsed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				assert.NotEqual(t, "WithCloseOnContextDone", s.Sel.Name, name)
			}
			return true
		})
	}
}
