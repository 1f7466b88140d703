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

// madeBy is the version of the compiler and linker that built the committed modules, Debian 12's. Another version may generate different
// code from the same source.
const madeBy = "14"

// maker finds a program of that version, with or without the version in its name.
func maker(t *testing.T, name, says string) string {
	for _, program := range []string{name + "-" + madeBy, name} {
		said, err := exec.Command(program, "--version").Output()
		if err == nil && strings.Contains(string(said), says+" "+madeBy+".") {
			return program
		}
	}
	require.NotEqual(t, "true", os.Getenv("CI"), "%s %s is not installed: .ci/run should have done it", name, madeBy)
	t.Skipf("SKIPPED: %s %s is not installed: the committed modules are not rebuilt", name, madeBy)
	return ""
}

func TestTheModulesAreWhatTheirSourcesMake(t *testing.T) {
	clang, linker := maker(t, "clang", "clang version"), maker(t, "wasm-ld", "LLD")
	_, err := exec.LookPath("make")
	require.NoError(t, err, "the samples are built with make")
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
		run("make", "-s", "-C", filepath.Join("..", "sdk", "samples", name), "CLANG="+clang, "WASMLD="+linker, "OUT="+out, out)
		same(module, name+".wasm")
	}
	for name, source := range map[string]string{"overlap": "overlap", "pem": "pem", "stage": "stage", "look": "look", "follow": "stage"} {
		out := filepath.Join(dir, name+".wasm")
		define := "-DPLAIN"
		if name == "follow" {
			define = "-DFOLLOW"
		}
		run(clang, "--target=wasm32", "-O2", "-ffreestanding", "-nostdlib", define, "-c", filepath.Join("testdata", source+".c"), "-o", out+".o")
		run(linker, "--no-entry", "--strip-all", "-z", "stack-size=16384", out+".o", "-o", out)
		same(testModule(t, name), name+".wasm")
	}
}

// The runtime's own way of ending a call makes loops ten times slower and does not stop a tree of calls; the meter replaces it.
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
