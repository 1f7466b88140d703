package plugins

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// changeRequests is how many requests must pass while the folder changes 50 times.
func changeRequests() int64 {
	if raceEnabled || testing.Short() {
		return 5_000
	}
	return 50_000
}

// Modules are dropped in, replaced, removed and put into another order, 50 times, and none of the requests that pass meanwhile is lost or
// judged by less than the chain that it began with.
func TestFiftyChangesOfTheFolderUnderLoadLoseNoRequest(t *testing.T) {
	const changes = 50
	ctx := context.Background()
	dir := t.TempDir()
	d := openDir(t, Options{Dir: dir, Trust: TrustOpen})
	r := rand.New(rand.NewPCG(3, 4)) // the same changes each time
	version := 0
	drop := func(name string) {
		version++
		put(t, dir, name, sample(t, version))
	}
	names := []string{"a.wasm", "b.wasm"}
	for _, name := range names {
		drop(name)
	}
	var holder views.Holder
	var runtimes []*views.Runtime
	build := func(at int64) {
		var links []chain.Link
		for _, name := range names {
			st, err := d.OpenStage(ctx, name, nil, wasm.Limits{Timeout: time.Minute}, Deps{Name: name})
			require.NoError(t, err)
			links = append(links, chain.Link{
				Name: name, Stage: st, Phases: core.NewPhaseSet(core.Request), Mode: chain.Enforce, OnFault: chain.FaultBlocks,
			})
		}
		made, err := chain.New(links, nil)
		require.NoError(t, err)
		run := (&views.Runtime{Chain: made}).Start()
		runtimes = append(runtimes, run)
		holder.Swap(views.New(run, nil, at))
		run.Release()
	}
	build(0)
	var stop atomic.Bool
	var sent, lost atomic.Int64
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for !stop.Load() {
				s := holder.Acquire()
				x := exchange("it is EMP-123456, or so")
				decided := s.Chain.RunRequest(ctx, x)
				if decided.Action != core.Pass || len(x.Findings) != len(s.Chain.Links()) {
					lost.Add(1)
				}
				sent.Add(1)
				s.Release()
			}
		})
	}
	kinds := map[string]int{}
	for n := range changes {
		switch kind := r.IntN(4); {
		case kind == 0 && len(names) < 6: // another module
			names = append(names, fmt.Sprintf("new-%d.wasm", n))
			drop(names[len(names)-1])
			kinds["drop"]++
		case kind == 1 && len(names) > 1: // one less
			at := r.IntN(len(names))
			require.NoError(t, os.Remove(filepath.Join(dir, names[at])))
			names = slices.Delete(names, at, at+1)
			kinds["remove"]++
		case kind == 2:
			slices.Reverse(names)
			kinds["reorder"]++
		default:
			drop(names[r.IntN(len(names))])
			kinds["replace"]++
		}
		build(int64(n + 1))
		for sent.Load() < int64(n+1)*changeRequests()/changes {
			runtime.Gosched()
		}
	}
	stop.Store(true)
	load.Wait()
	t.Logf("%d requests during %v", sent.Load(), kinds)
	assert.Zero(t, lost.Load(), "of %d requests", sent.Load())
	assert.GreaterOrEqual(t, sent.Load(), changeRequests())
	assert.Len(t, kinds, 4, "each kind of change is among them")
	holder.Swap(nil)
	for _, run := range runtimes {
		require.NoError(t, run.WaitUntilClosed(ctx))
	}
	assert.Zero(t, instances(d), "all runtimes are closed")
}
