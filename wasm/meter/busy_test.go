package meter_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// The garbage collector has to stop every goroutine, which must be possible while a guest loops. Without the meter this test does not
// end.
func TestRewrite_LetsTheCollectorInWhileAGuestIsBusy(t *testing.T) {
	t.Parallel()
	out, err := meter.Rewrite(guest{pages: 1, funcs: []fn{{code: forever(work(1))}}}.bytes(), meter.Limits{})
	require.NoError(t, err)
	var stop atomic.Bool
	var running atomic.Int64
	h := &host{slice: 20_000, budget: 1 << 60, onTick: func(api.Module) {
		running.Add(1)
		if stop.Load() {
			panic(errCut)
		}
	}}
	r := newRuntime(t)
	h.link(t, r)
	m, err := start(t, r, out.Bytes)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := m.ExportedFunction("run").Call(t.Context())
		done <- err
	}()
	for running.Load() == 0 {
		runtime.Gosched()
	}
	for range 20 {
		before := running.Load()
		runtime.GC()
		for running.Load() == before {
			runtime.Gosched() // the guest goes on after each collection
		}
	}
	stop.Store(true)
	require.ErrorIs(t, <-done, errCut)
}

// The runtime's own way to stop a guest leaves the native code on every iteration of a loop: guests became 9 to 20 times slower, and call
// trees were not stopped.
func TestRepository_NeverAsksTheRuntimeToCloseOnContextDone(t *testing.T) {
	t.Parallel()
	const forbidden = "WithCloseOn" + "ContextDone"
	root, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		require.NotEqual(t, root, filepath.Dir(root), "no go.mod above the test")
		root = filepath.Dir(root)
	}
	files := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil // skip folders that other tests delete meanwhile
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return nil // the same
		}
		files++
		var s scanner.Scanner
		set := token.NewFileSet()
		s.Init(set.AddFile(path, -1, len(src)), src, nil, 0)
		for {
			_, tok, lit := s.Scan()
			if tok == token.EOF {
				return nil
			}
			rel, _ := filepath.Rel(root, path)
			assert.False(t, tok == token.IDENT && lit == forbidden, "%s uses %s", rel, forbidden)
		}
	})
	require.NoError(t, err)
	assert.Positive(t, files)
}
