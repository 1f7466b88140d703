package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// hangVariable makes the test program a child that never ends.
const hangVariable = "-headgate-hang"

// hogVariable makes the test program a child that uses more memory than compiling may take.
const hogVariable = "-headgate-hog"

// childVariable makes the test program the child that compiles.
const childVariable = "-headgate-compile"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == hangVariable {
		for { // until it is killed; signals of the Go runtime only wake it
			_ = syscall.Pause()
		}
	}
	if len(os.Args) == 3 && os.Args[1] == hogVariable {
		if err := boundCompilation(compileMemory, time.Minute); err != nil {
			os.Exit(0)
		}
		for range 2 * compileMemory >> 20 { // in pieces: Linux 6.18 checks the limit only where a mapping replaces no reservation
			hog = append(hog, make([]byte, 1<<20))
		}
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == childVariable {
		if err := CompileMain(context.Background(), os.Args[2], os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if sharedDir != "" {
		_ = os.RemoveAll(sharedDir)
	}
	os.Exit(code)
}

var sharedDir string

// shared is a cache for guests that take long to compile.
var shared = sync.OnceValues(func() (*Cache, error) {
	var err error
	if sharedDir, err = os.MkdirTemp("", "headgate-cache"); err != nil {
		return nil, err
	}
	return OpenCache(sharedDir, Child{})
})

func sharedCache(t testing.TB) *Cache {
	t.Helper()
	c, err := shared()
	require.NoError(t, err)
	return c
}

func childCache(t testing.TB, dir string) *Cache {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	c, err := OpenCache(dir, Child{Exe: exe, Args: []string{childVariable}})
	require.NoError(t, err)
	return c
}

// compiledFiles lists the files in the cache: the markers of compiled modules, and the code.
func compiledFiles(t testing.TB, dir string) (notes, code []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case filepath.Ext(path) == ".compiled":
			notes = append(notes, path)
		default:
			code = append(code, path)
		}
		return nil
	}))
	return notes, code
}

func TestAChildCompilesIntoTheCacheAndTheParentFindsItThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	cache := childCache(t, dir)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	m, err := meter.Rewrite(employeeID(t), meter.Limits{MemoryPages: defaultMemory / pageSize, Slice: slice})
	require.NoError(t, err)
	require.NoError(t, cache.fill(context.Background(), m.Bytes))
	notes, code := compiledFiles(t, dir)
	assert.Len(t, notes, 1)
	require.Len(t, code, 1, "the child stored the code")
	before, err := os.Stat(code[0])
	require.NoError(t, err)

	v := loadModule(t, LoadOptions{Cache: cache})
	got, err := v.Detect(context.Background(), nil, "EMP-123456", 0)
	require.NoError(t, err)
	assert.Len(t, got, 1)
	_, code = compiledFiles(t, dir)
	require.NotEmpty(t, code)
	after, err := os.Stat(code[0])
	require.NoError(t, err)
	assert.Equal(t, before.ModTime(), after.ModTime(), "the parent did not compile the guest")
}

func TestAChildThatFailsRefusesTheModule(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	cache := childCache(t, dir)
	_, err := Load(context.Background(), LoadOptions{Source: guest{detect: []byte{0x6a}}.bytes(), Name: "bad.wasm", Cache: cache})
	require.ErrorContains(t, err, "compile")
	assert.NotContains(t, err.Error(), dir)
	cache.child.Exe = filepath.Join(dir, "missing")
	_, err = Load(context.Background(), LoadOptions{Source: employeeID(t), Name: "x.wasm", Cache: cache})
	require.Error(t, err)
}

func TestAChildThatTakesTooLongIsEnded(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, CompileChild(ctx, exe, []string{hangVariable, t.TempDir()}, nil), "longer than")
	ctx, leave := context.WithCancel(context.Background())
	time.AfterFunc(200*time.Millisecond, leave)
	require.ErrorIs(t, CompileChild(ctx, exe, []string{hangVariable, t.TempDir()}, nil), context.Canceled)
}

var hog [][]byte

func TestAChildThatWantsTooMuchMemoryIsEnded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems limit only the time of a child")
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	require.ErrorContains(t, CompileChild(context.Background(), exe, []string{hogVariable, t.TempDir()}, nil), "ended with an error")
}

func TestACacheThatOthersCanWriteToIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o770)) // the condition under test
	_, err := OpenCache(dir, Child{})
	require.ErrorContains(t, err, "0770")
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = OpenCache(file, Child{})
	require.Error(t, err)
}

func TestACacheWithoutAChildCompilesHere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	cache, err := OpenCache(dir, Child{})
	require.NoError(t, err)
	for range 2 {
		v := loadModule(t, LoadOptions{Cache: cache})
		_, err := v.Detect(context.Background(), nil, "EMP-123456", 0)
		require.NoError(t, err)
	}
	_, code := compiledFiles(t, dir)
	assert.NotEmpty(t, code)
}

func TestWhatAChildComplainsOfIsCut(t *testing.T) {
	b := &limitedBuffer{}
	n, err := b.Write(bytes.Repeat([]byte("x"), 5000))
	require.NoError(t, err)
	assert.Equal(t, 5000, n)
	assert.Equal(t, 1024, b.Len(), "a child cannot fill the parent's memory with complaints")
}

// The status shows why a module failed to load, and must not name paths.
func TestAnErrorOfTheCacheNamesNoPath(t *testing.T) {
	for name, c := range map[string]struct {
		child Child
		spoil func(dir string) error
	}{
		"a missing child program":         {Child{Exe: "/nowhere/headgate"}, func(string) error { return nil }},
		"a file instead of the directory": {Child{Exe: "/nowhere/headgate"}, func(dir string) error { return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600)) }},
		"a child without its directory": {Child{Exe: os.Args[0], Args: []string{childVariable}}, func(dir string) error {
			return os.Chmod(dir, 0o755) // the mode that is refused
		}},
		"no child and no folder": {Child{}, func(dir string) error { return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600)) }},
	} {
		dir := filepath.Join(t.TempDir(), "kept")
		cache, err := OpenCache(dir, c.child)
		require.NoError(t, err)
		require.NoError(t, c.spoil(dir))
		_, err = Load(context.Background(), LoadOptions{Source: guest{}.bytes(), Name: "x.wasm", Cache: cache})
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), dir, name)
		assert.NotContains(t, err.Error(), "nowhere", name)
	}
}
