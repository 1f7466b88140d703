package config

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// soon is far longer than any of these take; it only ends a broken test.
const soon = 30 * time.Second

// startWatch starts Watch on a file and counts its calls.
func startWatch(t *testing.T, path string) *atomic.Int32 {
	t.Helper()
	var calls atomic.Int32
	ctx, cancel := context.WithCancel(context.Background())
	done := Watch(ctx, path, func() { calls.Add(1) })
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(soon):
			t.Error("Watch did not end with its context")
		}
	})
	return &calls
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func calledTimes(t *testing.T, calls *atomic.Int32, n int32) {
	t.Helper()
	require.Eventually(t, func() bool { return calls.Load() >= n }, soon, 10*time.Millisecond)
	// A call too many would come before those for changes of another file, made one after the other from now on.
	other := filepath.Join(t.TempDir(), "other.yaml")
	write(t, other, "zero")
	later := startWatch(t, other)
	for i, text := range []string{"one", "two"} {
		write(t, other, text)
		require.Eventually(t, func() bool { return later.Load() > int32(i) }, soon, 10*time.Millisecond)
	}
	assert.Equal(t, n, calls.Load())
}

func TestWatchSeesAWriteARenameAndALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "gateway.yaml")
	write(t, path, "one")
	calls := startWatch(t, path)

	write(t, path, "two")
	calledTimes(t, calls, 1)

	write(t, path+".new", "three")
	require.NoError(t, os.Rename(path+".new", path))
	calledTimes(t, calls, 2)

	require.NoError(t, os.Remove(path))
	write(t, path, "three")
	calledTimes(t, calls, 2) // gone and back with the same bytes

	write(t, path, "four")
	calledTimes(t, calls, 3)
}

func TestWatchFollowsALinkThatIsExchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, version := range []string{"v1", "v2"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o700))
		write(t, filepath.Join(dir, version, "gateway.yaml"), version)
	}
	require.NoError(t, os.Symlink("v1", filepath.Join(dir, "data")))
	path := filepath.Join(dir, "gateway.yaml")
	require.NoError(t, os.Symlink("data/gateway.yaml", path))
	calls := startWatch(t, path)
	require.NoError(t, os.Symlink("v2", filepath.Join(dir, "data.new")))
	require.NoError(t, os.Rename(filepath.Join(dir, "data.new"), filepath.Join(dir, "data")))
	calledTimes(t, calls, 1)
}

// pass lets time pass by the clock of a bubble, and all that is due in it happen.
func pass(d time.Duration) {
	time.Sleep(d) // takes no time: the clock of the bubble jumps
	synctest.Wait()
}

// The clock stands still while the file is written, so that it does not matter how long that takes.
func TestManyWritesAreOneChangeAndTheSameBytesAreNone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	synctest.Test(t, func(t *testing.T) {
		write(t, path, "one")
		ctx, cancel := context.WithCancel(context.Background())
		var calls atomic.Int32
		events, done := make(chan fsnotify.Event), make(chan struct{})
		w := &watch{path: path, onChange: func() { calls.Add(1) }}
		w.hasChanged(true)
		go func() {
			defer close(done)
			w.run(ctx, events, nil)
		}()
		told := func(text string) {
			write(t, path, text)
			events <- fsnotify.Event{Name: path, Op: fsnotify.Write}
			pass(settle - time.Millisecond)
		}
		told("one")
		for range 3 {
			told("half")
		}
		told("two")
		assert.Zero(t, calls.Load(), "it is still being written")
		pass(2 * settleMost)
		assert.EqualValues(t, 1, calls.Load())
		told("two")
		pass(2 * settleMost)
		assert.EqualValues(t, 1, calls.Load(), "the same bytes")
		for range 20 {
			told("half")
		}
		synctest.Wait()
		assert.EqualValues(t, 2, calls.Load(), "a file that is written constantly is eventually read")
		cancel()
		<-done
	})
}

func TestABusyNeighbourDoesNotPutAReloadOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "gateway.yaml")
	write(t, path, "one")
	calls := startWatch(t, path)
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				_ = os.WriteFile(filepath.Join(dir, "headgate.db"), []byte(time.Now().String()), 0o600)
			}
		}
	}()
	write(t, path, "two")
	assert.Eventually(t, func() bool { return calls.Load() == 1 }, soon, 10*time.Millisecond)
	close(stop)
	<-stopped
}

func TestWatchBeginsBeforeTheFileIsThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	calls := startWatch(t, path)
	write(t, path, "one")
	calledTimes(t, calls, 1)
}

func TestPollingFindsWhatNobodyTells(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "later", "gateway.yaml") // its directory cannot be watched yet
	calls := startWatch(t, path)
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	write(t, path, "one")
	calledTimes(t, calls, 1)
}
