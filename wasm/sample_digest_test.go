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

func TestTheSampleIsWhatItsDigestSays(t *testing.T) {
	line, err := os.ReadFile(filepath.Join("..", "sdk", "samples", "employee-id", "employee-id.wasm.sha256"))
	require.NoError(t, err)
	sum := sha256.Sum256(employeeID(t))
	assert.Equal(t, hex.EncodeToString(sum[:])+"  employee-id.wasm\n", string(line))
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
	out := filepath.Join(dir, "employee-id.wasm")
	run("make", "-s", "-C", filepath.Join("..", "sdk", "samples", "employee-id"), "OUT="+out, out)
	same(employeeID(t), "employee-id.wasm")

	for _, name := range []string{"overlap", "stage", "look"} {
		out = filepath.Join(dir, name+".wasm")
		run("clang", "--target=wasm32", "-O2", "-ffreestanding", "-nostdlib", "-c", filepath.Join("testdata", name+".c"), "-o", out+".o")
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
