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

func TestTheSampleIsWhatItsSourceMakes(t *testing.T) {
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("clang is not installed: the committed module is tested by its digest alone")
	}
	if _, err = exec.LookPath("wasm-ld"); err != nil {
		t.Skip("wasm-ld is not installed: the committed module is tested by its digest alone")
	}
	said, err := exec.Command(clang, "--version").Output()
	require.NoError(t, err)
	if !strings.Contains(string(said), "clang version 14.") {
		t.Skip("another clang than the one that made the committed module: the code may differ")
	}
	out := filepath.Join(t.TempDir(), "employee-id.wasm")
	cmd := exec.Command("make", "-s", "-C", filepath.Join("..", "sdk", "samples", "employee-id"), "OUT="+out, out)
	built, err := cmd.CombinedOutput()
	require.NoError(t, err, string(built))
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, employeeID(t), got)
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
