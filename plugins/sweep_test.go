package plugins

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm"
)

func TestNamesThatCannotBeModulesAreReportedUntilTheyAreGone(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"a\x1b[31m.wasm", "b\xff.wasm", "fine.wasm"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, n), []byte("x"), 0o600))
	}
	d := openDir(t, Options{Dir: dir, Trust: TrustOpen})
	none := func(string) bool { return false }
	d.Sweep(none)
	var files []string
	for _, p := range d.Problems() {
		files = append(files, p.File)
		assert.Contains(t, p.Reason, "control characters")
		assert.True(t, d.IsOdd(p.File))
	}
	assert.Equal(t, []string{`"a\x1b[31m.wasm"`, `"b\xff.wasm"`}, files)
	require.NoError(t, os.Remove(filepath.Join(dir, "b\xff.wasm")))
	d.Sweep(none)
	assert.Len(t, d.Problems(), 1)
}

func TestAModuleThatNothingNamesIsWithdrawnWhenItIsTakenAway(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir, Trust: TrustOpen})
	st, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "a"})
	require.NoError(t, err)
	require.NoError(t, st.Close(context.Background()))
	d.Events()
	require.NoError(t, os.Remove(filepath.Join(dir, file)))
	d.Sweep(func(name string) bool { return name == file })
	assert.Empty(t, d.Events(), "a link names it, so it keeps serving")
	d.Sweep(func(string) bool { return false })
	events := d.Events()
	require.Len(t, events, 1)
	assert.Equal(t, EventWithdrawn, events[0].Type)
	assert.Empty(t, d.Status())
}

func TestAModuleThatTheChainHasNoRoomForIsShown(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir, Trust: TrustOpen})
	st, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "a"})
	require.NoError(t, err)
	d.RecordUnplaced(file, st.Version().Digest, 64)
	require.NoError(t, st.Close(context.Background()))
	require.Len(t, d.Status(), 1)
	assert.Equal(t, StateUnplaced, d.Status()[0].State)
	assert.Len(t, d.Problems(), 1)
}
