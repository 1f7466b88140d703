package node

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// heapRoom is how much a small heap may grow between two collections, in bytes. The gateway's live heap is a few
	// megabytes; Go's default of doubling would collect every few hundred requests.
	heapRoom = 12 << 20
	// minPercent keeps a large heap from being collected continuously.
	minPercent = 50
	maxPercent = 300
	// quietBytes is the allocation between two ticks that counts as idle: probes and scrapes allocate less. After two
	// idle ticks, if the heap holds more than spareBytes unused, memory is returned to the system. The next tick
	// repeats it, because a pooled buffer (sync.Pool) survives one collection.
	quietBytes = 256 << 10
	spareBytes = 4 << 20
	memoryTick = 250 * time.Millisecond
	// quietTicks is the number of ticks after which a heap that is still large is collected again: answers that clients
	// abandon are released without allocating, so no collection would occur.
	quietTicks = 20
)

// tuneMemory sets GOGC by the size of the live heap, and returns memory to the system when traffic stops, so that a
// burst of long prompts does not stay resident for minutes. It runs until ctx ends. It does nothing if GOGC or
// GOMEMLIMIT is set.
func tuneMemory(ctx context.Context) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(maxPercent)
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	tick := time.NewTicker(memoryTick)
	defer tick.Stop()
	var before uint64
	percent, quiet, again := maxPercent, 0, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(samples)
		live, allocs, free := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()
		if p := computeGCPercent(live); p != percent {
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

// computeGCPercent returns the GOGC for a live heap: heapRoom bytes of growth, in steps, within bounds.
func computeGCPercent(live uint64) int {
	const step = 25
	p := int(100 * heapRoom / max(live, 1))
	return min(max(p/step*step, minPercent), maxPercent)
}
