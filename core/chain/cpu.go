package chain

import (
	"context"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// meteredBytes is the length of the shortest text whose work is metered. Shorter ones end before it could matter, and pay
// nothing.
const meteredBytes = 16 << 10

// The time between two looks counts up to a bound: a goroutine that the runtime has put off comes back to its thread, and
// others have run there. Looks lie 64 KiB of text apart at most, which ordinary stages read in 1 ms. The runtime puts a
// goroutine off after 10 ms, so an ordinary 1 MiB counts twice maxThreadGap too much at worst, which the default allows.
const (
	maxThreadGap = 250 * time.Millisecond // of the thread's own time
	maxGap       = 25 * time.Millisecond  // where only the clock is known
)

// cpuMeter is the context of one call of a link, and counts its CPU time for core.CheckWork. Go cannot tell the CPU time of
// a goroutine; the thread's is that of the goroutine as long as it stays on the thread, and between two looks it mostly
// does.
type cpuMeter struct {
	context.Context
	clock func() cpuTime
	limit time.Duration
	used  time.Duration
	last  cpuTime
}

// meterCPU returns a context that meters the work of a link on n bytes of text.
func meterCPU(ctx context.Context, l *Link, n int, began time.Duration) context.Context {
	if l.CPU == 0 || n < meteredBytes {
		return ctx
	}
	return &cpuMeter{Context: ctx, clock: readCPU, limit: computeCPULimit(l.CPU, n), last: cpuTime{wall: began}}
}

// computeCPULimit returns the CPU time for n bytes: perMiB, and as much again for every MiB.
func computeCPULimit(perMiB time.Duration, n int) time.Duration {
	return perMiB + time.Duration(float64(perMiB)*float64(n)/(1<<20))
}

// CheckCPU adds the time since the last look.
func (m *cpuMeter) CheckCPU() error {
	now := m.clock()
	gap := now.wall - m.last.wall
	if now.thread != 0 && now.thread == m.last.thread {
		gap = max(0, min(gap, now.cpu-m.last.cpu, maxThreadGap))
	} else {
		gap = min(gap, maxGap)
	}
	m.used, m.last = m.used+gap, now
	if m.used > m.limit {
		return cpuError{m.limit}
	}
	return nil
}

// cpuError is the fault of a link that has used its CPU time.
type cpuError struct{ limit time.Duration }

func (e cpuError) Error() string {
	return fmt.Sprintf("used more than %s of CPU time, which `limits.cpu` allows for a text of this length", e.limit.Round(time.Millisecond))
}

func (cpuError) Fault() core.Fault { return core.FaultTimeout }
