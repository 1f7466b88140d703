package node

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// heapRoom is how much a small heap may grow between two collections, in
	// bytes. The gateway's live heap is a few megabytes; Go's own rule (as much
	// again) would collect every few hundred requests.
	heapRoom = 12 << 20
	// leastPercent keeps a large heap from being collected all the time.
	leastPercent = 50
	mostPercent  = 300
	// quietBytes of allocation between two looks are probes and scrapes: nobody
	// is being served. When that is so twice, and the heap holds more than spare
	// bytes that nothing lives in, memory goes back to the system; and once more at
	// the next look, since a buffer on a shelf (sync.Pool) outlives one collection.
	quietBytes = 256 << 10
	spareBytes = 4 << 20
	memoryTick = 250 * time.Millisecond
	// quietTicks is after how many looks a heap that is still large is given back again: answers that clients did not
	// take are let go while nothing is allocated, and no collection would notice.
	quietTicks = 20
)

// keepMemory sets the pace of the garbage collector by the size of the live
// heap, and gives memory back to the system when traffic has ended: a burst of
// long prompts must not stay resident for minutes. It runs until ctx ends.
// Whoever sets GOGC or GOMEMLIMIT decides instead.
func keepMemory(ctx context.Context) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(mostPercent)
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	tick := time.NewTicker(memoryTick)
	defer tick.Stop()
	var before uint64
	percent, quiet, again := mostPercent, 0, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(samples)
		live, allocs, free := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()
		if p := pace(live); p != percent {
			debug.SetGCPercent(p)
			percent = p
		}
		if quiet++; allocs-before >= quietBytes {
			quiet = 0
		}
		before = allocs
		if again || quiet%quietTicks == 2 && (free > spareBytes || live > heapRoom) {
			again = !again
			debug.FreeOSMemory()
		}
	}
}

// pace gives the GOGC for a live heap: room of heapRoom bytes, in steps, within
// bounds.
func pace(live uint64) int {
	const step = 25
	p := int(100 * heapRoom / max(live, 1))
	return min(max(p/step*step, leastPercent), mostPercent)
}
