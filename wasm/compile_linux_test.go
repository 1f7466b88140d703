package wasm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompilingTakesAtMostHalfOfWhatTheContainerLeaves(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	most, none, used := file("max", "536870912\n"), file("none", "max\n"), file("current", "268435456\n")
	assert.EqualValues(t, 256<<20, readFreeBytes(most, used))
	assert.EqualValues(t, 128<<20, computeCompilerMemory(readFreeBytes(most, used)))
	assert.Zero(t, readFreeBytes(none, used), "it has no limit")
	assert.Zero(t, readFreeBytes(filepath.Join(dir, "missing"), used))
	assert.EqualValues(t, compileMemory, computeCompilerMemory(0))
	assert.EqualValues(t, minCompileMemory, computeCompilerMemory(readFreeBytes(most, most)), "a full container still loads small modules")
	assert.EqualValues(t, compileMemory, computeCompilerMemory(1<<40))
}
