package plugins

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	views "github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/wasm"
)

// swaps returns how often the module is replaced while it serves. It is less often with the race detector, which makes
// compiling ten times slower. CI runs all of them once without it.
func swaps() int {
	if raceEnabled || testing.Short() {
		return 15
	}
	return 100
}

// heap returns the bytes in use after a garbage collection.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A module is replaced repeatedly, as by reloads, while calls and a streamed answer pass through it.
func TestAHundredReloadsUnderLoadFailNoCallAndLeaveNothingBehind(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	d := openDir(t, Options{Dir: dir, Trust: TrustOpen})
	stateful, err := os.ReadFile(filepath.Join("..", "sdk", "samples", "repetition", "repetition.wasm"))
	require.NoError(t, err)
	put(t, dir, "repetition.wasm", stateful)
	var holder views.Holder
	var runtimes []*views.Runtime
	version := int64(0)
	swap := func() {
		version++
		put(t, dir, file, sample(t, int(version)))
		var links []chain.Link
		for _, name := range []string{file, "repetition.wasm"} {
			st, err := d.OpenStage(ctx, name, nil, wasm.Limits{Timeout: time.Minute, Instances: 2, Streams: 64}, Deps{Name: name})
			require.NoError(t, err)
			links = append(links, chain.Link{
				Name: name, Stage: st, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce, OnFault: chain.FaultBlocks,
			})
		}
		chain, err := chain.New(links, nil)
		require.NoError(t, err)
		r := (&views.Runtime{Chain: chain}).Start()
		runtimes = append(runtimes, r)
		holder.Swap(views.New(r, nil, version))
		r.Release()
	}
	drained := func() {
		for _, r := range runtimes[:len(runtimes)-1] {
			wait, cancel := context.WithTimeout(ctx, time.Minute)
			assert.NoError(t, r.WaitUntilClosed(wait))
			cancel()
		}
		runtimes = slices.Clone(runtimes[len(runtimes)-1:])
	}
	var calls, failed atomic.Int64
	reload := func(times int) {
		var stop atomic.Bool
		var load sync.WaitGroup
		for range 4 {
			load.Go(func() {
				for !stop.Load() {
					s := holder.Acquire()
					x := exchange("it is EMP-123456, or so")
					decided := s.Chain.RunRequest(ctx, x)
					stream, e := s.Chain.Stream(ctx, x, nil)
					if decided.Action != core.Pass || len(x.Findings) != 1 || e != nil {
						failed.Add(1)
					}
					stream.Close(ctx)
					calls.Add(1)
					s.Release()
				}
			})
		}
		for range times {
			at := calls.Load()
			swap()
			for calls.Load() < at+4 {
				runtime.Gosched()
			}
		}
		stop.Store(true)
		load.Wait()
		drained()
	}
	swap()
	reload(10) // so that everything that stays allocated is there
	before := heap()
	reload(swaps())
	assert.Zero(t, failed.Load(), "of %d calls", calls.Load())
	after := heap()
	t.Logf("%d calls during %d reloads; heap %d KB before, %d KB after", calls.Load(), swaps(), before>>10, after>>10)
	assert.Less(t, after-before, max(before/10, 1<<20), "bytes of heap")
	assert.LessOrEqual(t, instances(d), 4)
	holder.Swap(nil)
	require.NoError(t, runtimes[0].WaitUntilClosed(ctx))
	assert.Zero(t, instances(d), "all runtimes are closed")
}
