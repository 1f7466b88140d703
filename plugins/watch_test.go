package plugins

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

// watching runs a watch until the test ends, and returns a channel of its calls.
func watching(t *testing.T, d *Dir) <-chan struct{} {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	calls := make(chan struct{}, 100)
	var done sync.WaitGroup
	done.Go(func() { d.Watch(ctx, func() { calls <- struct{}{} }) })
	t.Cleanup(func() { cancel(); done.Wait() })
	return calls
}

// watchedFolder is a folder whose watch runs on the clock of a bubble.
type watchedFolder struct {
	events chan fsnotify.Event
	calls  atomic.Int64
}

// watchInBubble runs a watch until the test of the bubble ends. Changes are seen at the next look: one for every event,
// and one in every pollTime.
func watchInBubble(t *testing.T, d *Dir) *watchedFolder {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watchedFolder{events: make(chan fsnotify.Event)}
	var done sync.WaitGroup
	done.Go(func() { d.watch(ctx, w.events, func() {}, func() { w.calls.Add(1) }) })
	t.Cleanup(func() { cancel(); done.Wait() })
	synctest.Wait()
	return w
}

// tell sends the watch an event and lets time pass.
func (w *watchedFolder) tell(after time.Duration) {
	w.events <- fsnotify.Event{}
	w.pass(after)
}

func (w *watchedFolder) pass(d time.Duration) {
	time.Sleep(d) // takes no time: the clock of the bubble jumps
	synctest.Wait()
}

// awaitCall waits for the next call, with a generous limit.
func awaitCall(t *testing.T, calls <-chan struct{}) {
	t.Helper()
	select {
	case <-calls:
	case <-time.After(20 * time.Second):
		require.Fail(t, "the change was not seen")
	}
}

func TestAWatchTellsOfEveryKindOfChange(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir})
	put(t, dir, "early.wasm", sample(t, 1))
	calls := watching(t, d)
	awaitCall(t, calls) // early.wasm came between Open and Watch
	for name, change := range map[string]func(){
		"replaced":  func() { put(t, dir, file, sample(t, 2)) },
		"rewritten": func() { require.NoError(t, os.WriteFile(filepath.Join(dir, file), sample(t, 3), 0o600)) },
		"renamed":   func() { require.NoError(t, os.Rename(filepath.Join(dir, file), filepath.Join(dir, "z.wasm"))) },
		"removed":   func() { require.NoError(t, os.Remove(filepath.Join(dir, "early.wasm"))) },
		"pinned":    func() { put(t, dir, LockFile, []byte("# nothing\n")) },
	} {
		change()
		awaitCall(t, calls)
		t.Log(name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "readme.txt"), nil, 0o600))
	put(t, dir, "last.wasm", sample(t, 1))
	awaitCall(t, calls)
	assert.Empty(t, calls, "a text file is not a change")
}

func TestAWatchFindsAFolderThatIsMadeLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugins")
	calls := watching(t, openDir(t, Options{Dir: dir}))
	require.NoError(t, os.Mkdir(dir, 0o700))
	put(t, dir, file, sample(t, 1))
	awaitCall(t, calls)
}

func TestAFileThatIsStillBeingWrittenIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	d := openDir(t, Options{Dir: dir})
	body := sample(t, 0)
	f, err := os.Create(filepath.Join(dir, file))
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		w := watchInBubble(t, d)
		for at := 0; at < len(body); at += 200 {
			_, err = f.Write(body[at:min(at+200, len(body))])
			require.NoError(t, err)
			w.tell(quietTime - time.Millisecond)
			assert.Zero(t, w.calls.Load(), "it is still being written")
		}
		require.NoError(t, f.Close())
		w.pass(quietTime)
		assert.EqualValues(t, 1, w.calls.Load())
	})
	st, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
	require.NoError(t, err)
	require.NoError(t, st.Close(context.Background()))
}

func TestAModuleWithoutAManifestIsWaitedForUntilItHasOne(t *testing.T) {
	dir := t.TempDir()
	d := openDir(t, Options{Dir: dir})
	synctest.Test(t, func(t *testing.T) {
		w := watchInBubble(t, d)
		put(t, dir, file, bareModule(t))
		w.tell(besideTime - time.Millisecond)
		assert.Zero(t, w.calls.Load(), "reported too early")
		put(t, dir, "employee-id.wasm.yaml", []byte("name: x\nkind: detector\nlabels: [a]\nmax_match: 10\n"))
		w.tell(quietTime)
		assert.EqualValues(t, 1, w.calls.Load())
	})
	st, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
	require.NoError(t, err)
	require.NoError(t, st.Close(context.Background()))

	calls := watching(t, openDir(t, Options{Dir: dir}))
	put(t, dir, "alone.wasm", bareModule(t))
	awaitCall(t, calls) // after two seconds it is reported without a manifest, so that it can be refused with the reason
}

// built is a chain as a gateway runs it. It is rebuilt after each change, and the old one is closed when its last call
// has ended.
type built struct {
	stage Plugin
	users sync.WaitGroup
}

// inUse is the heap after a collection, in bytes.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestAHundredSwapsUnderLoadFailNoCall(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir})
	ctx := context.Background()
	build := func() *built {
		st, err := d.OpenStage(ctx, file, block("action: redact"), wasm.Limits{Timeout: 30 * time.Second}, Deps{Name: "employees"})
		require.NoError(t, err)
		return &built{stage: st}
	}
	var mu sync.RWMutex
	current := build()
	var calls, failed atomic.Int64
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 16 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				mu.RLock()
				c := current
				c.users.Add(1)
				mu.RUnlock()
				v, err := c.stage.Check(ctx, exchange("write EMP-123456 down"), core.Request, nil)
				if calls.Add(1); err != nil || v.Action != core.Rewrite || len(v.Edits) != 1 {
					failed.Add(1)
				}
				c.users.Done()
			}
		})
	}
	var closed []<-chan struct{}
	heap := uint64(0)
	for n := range 100 {
		put(t, dir, file, sample(t, 2+n))
		next := build()
		mu.Lock()
		last := current
		current = next
		mu.Unlock()
		last.users.Wait()
		require.NoError(t, last.stage.Close(ctx))
		closed = append(closed, last.stage.Version().CloseSignal())
		if n == 19 {
			heap = inUse()
		}
	}
	after := inUse()
	close(stop)
	load.Wait()
	require.NoError(t, current.stage.Close(ctx))
	for _, c := range append(closed, current.stage.Version().CloseSignal()) {
		<-c
	}
	assert.Zero(t, failed.Load())
	t.Logf("heap after 20 swaps %d KiB, after 100 %d KiB; %d calls", heap>>10, after>>10, calls.Load())
	assert.Less(t, after, heap+heap/10+8<<20, "replaced versions are released") // a version that stayed would use some hundred KiB
	stats := d.Stats()
	assert.Len(t, stats, 101, "verdicts are counted by digest")
	total := uint64(0)
	for _, s := range stats {
		total += s.Calls
		assert.Zero(t, s.Instances)
		assert.Zero(t, s.Memory)
	}
	assert.Equal(t, uint64(calls.Load()), total)
}

func TestAProgramThatALinkRunsIsWatchedToo(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "guard", []byte("one"))
	put(t, dir, "other", []byte("one"))
	d := openDir(t, Options{Dir: dir})
	d.WatchFile("guard")
	d.WatchFile("../guard")
	synctest.Test(t, func(t *testing.T) {
		w := watchInBubble(t, d)
		put(t, dir, "other", []byte("two"))
		w.tell(2 * quietTime)
		assert.Zero(t, w.calls.Load(), "nothing of what is watched has changed")
		put(t, dir, "guard", []byte("two"))
		w.tell(quietTime)
		assert.EqualValues(t, 1, w.calls.Load())
		d.WatchFile("other")
		w.pass(pollTime + quietTime)
		assert.EqualValues(t, 2, w.calls.Load())
		put(t, dir, "other", []byte("three"))
		w.tell(quietTime)
		assert.EqualValues(t, 3, w.calls.Load())
	})
}
