package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"
)

// maxSoak bounds the soak; the flag -soak shortens it.
const maxSoak = 20 * time.Minute

var soakTime = maxSoak

var soak = trial{
	name: "soak",
	about: "20 minutes (-soak) of some 300 whole and streamed answers a second, and of clients that hang up: none is refused or " +
		"without records, and neither memory nor open files grow after the first quarter",
	limit: maxSoak + 10*time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		l, err := b.newLoad(ctx, false, "chain: [{stage: pii}, {stage: guardrail}, {stage: ratelimit, config: {global_requests_per_second: 100000}}]\n")
		if err != nil {
			return r, err
		}
		defer l.close()
		var early, late usage
		l.run(ctx, soakTime, func() error {
			early = l.gateway.measureHangUps(ctx, soakTime/4)
			l.gateway.measureHangUps(ctx, soakTime/2)
			late = l.gateway.measureHangUps(ctx, soakTime/4)
			return ctx.Err()
		})
		err = l.check(ctx, b, &r)
		r.require(r.refused == 0, "%d requests were refused", r.refused)
		r.require(r.acknowledged > 0, "nothing was answered")
		r.require(late.memory <= early.memory+early.memory/4+(16<<20), "memory grew from %d MiB to %d MiB", early.memory>>20, late.memory>>20)
		r.require(late.files <= early.files+16, "open files grew from %d to %d", early.files, late.files)
		fmt.Printf("  soak: least memory of the first quarter %d MiB, of the last %d MiB; open files %d and %d\n",
			early.memory>>20, late.memory>>20, early.files, late.files)
		return r, err
	},
}

// usage is the minimum that a gateway used in a span of time: what remains after garbage collection.
type usage struct {
	memory int64
	files  int
}

// measureHangUps sends requests and hangs up, for a time, and returns what the gateway uses meanwhile.
func (g *gateway) measureHangUps(ctx context.Context, d time.Duration) usage {
	least := usage{math.MaxInt64, math.MaxInt}
	for end := time.Now().Add(d); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) { // the pace of those clients
		if c, err := sendWithoutReading(ctx, g, keyB, buildChat("x", true)); err == nil {
			_ = c.Close() // hang up
		}
		least.memory = min(least.memory, g.measureMemory())
		least.files = min(least.files, g.countFiles())
	}
	return least
}

// countFiles returns the number of open files of the process, or 0 if it cannot be read.
func (g *gateway) countFiles() int {
	open, _ := os.ReadDir("/proc/" + strconv.Itoa(g.cmd.Process.Pid) + "/fd")
	return len(open)
}
