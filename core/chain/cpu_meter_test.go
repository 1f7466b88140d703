package chain

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// looks runs a meter over given moments, and returns what it has counted.
func looks(t *testing.T, moments ...cpuTime) time.Duration {
	t.Helper()
	m := &cpuMeter{Context: context.Background(), limit: time.Hour, clock: func() cpuTime {
		now := moments[0]
		moments = moments[1:]
		return now
	}}
	for len(moments) > 0 {
		require.NoError(t, core.CheckWork(m))
	}
	return m.used
}

const ms = time.Millisecond

func TestTimeInWhichAStageDidNotRunDoesNotCount(t *testing.T) {
	// On one thread the thread's own time counts, however long the machine did something else.
	assert.Equal(t, 9*ms, looks(t, cpuTime{5 * ms, 7, 100 * ms}, cpuTime{500 * ms, 7, 102 * ms}, cpuTime{505 * ms, 7, 104 * ms}))
	// The thread's time may be that of others too, which ran in between: the clock bounds it.
	assert.Equal(t, 6*ms, looks(t, cpuTime{5 * ms, 7, 100 * ms}, cpuTime{6 * ms, 7, 180 * ms}))
	// A stage that takes long between two looks is charged for it, up to a bound.
	assert.Equal(t, 5*ms+200*ms, looks(t, cpuTime{5 * ms, 7, 100 * ms}, cpuTime{205 * ms, 7, 300 * ms}))
	assert.Equal(t, 5*ms+maxThreadGap, looks(t, cpuTime{5 * ms, 7, 100 * ms}, cpuTime{905 * ms, 7, 900 * ms}))
	// A thread that was mistaken for another takes nothing back.
	assert.Equal(t, 5*ms, looks(t, cpuTime{5 * ms, 7, 100 * ms}, cpuTime{6 * ms, 7, 20 * ms}))
	// After a change of threads, or where threads have no time, the clock counts, up to a bound.
	assert.Equal(t, 5*ms+3*ms+maxGap, looks(t, cpuTime{5 * ms, 7, 100 * ms}, cpuTime{8 * ms, 8, 1 * ms}, cpuTime{900 * ms, 7, 103 * ms}))
	assert.Equal(t, 5*ms+maxGap, looks(t, cpuTime{wall: 5 * ms}, cpuTime{wall: 900 * ms}))
}

func TestALongerTextMayTakeMoreTime(t *testing.T) {
	assert.Equal(t, time.Second, computeCPULimit(time.Second, 0))
	assert.Equal(t, 3*time.Second, computeCPULimit(time.Second, 2<<20))
	ctx := context.Background()
	assert.Equal(t, ctx, meterCPU(ctx, &Link{}, 1<<20, 0), "no limit")
	assert.Equal(t, ctx, meterCPU(ctx, &Link{CPU: time.Second}, meteredBytes-1, 0), "a short text is not metered")
	assert.NotEqual(t, ctx, meterCPU(ctx, &Link{CPU: time.Second}, meteredBytes, 0))
}

func TestTheTimeOfThisThreadGoesOn(t *testing.T) {
	first := readCPU()
	for now := first; now.wall-first.wall < ms; now = readCPU() {
		require.GreaterOrEqual(t, now.wall, first.wall)
		if now.thread == first.thread {
			require.GreaterOrEqual(t, now.cpu, first.cpu)
		}
	}
}
