package wasm

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// counting is a guest that logs a line and then counts to n when the text starts with '!'.
func counting(n int32) guest {
	return guest{
		imports: []importedFunc{{abi.HostModule, abi.ImportLog, typLog}}, data: []byte("wait"), locals: 1,
		detect: onMark(cat(
			i32c(2), i32c(spansAt), i32c(4), callf(0), i32c(n), []byte{0x21, 3},
			[]byte{0x03, 0x40, 0x20, 3}, i32c(1), []byte{0x6b, 0x22, 3, 0x0d, 0, 0x0b}, // do { n-- } while (n)
			i64c(0),
		)),
	}
}

func TestTimeInWhichAGuestStoodStillIsNotItsOwn(t *testing.T) {
	const limit, stall = 50 * time.Millisecond, 150 * time.Millisecond
	v := loadModule(t, LoadOptions{
		Source: counting(100_000).bytes(), Limits: Limits{Timeout: limit},
		Log: func(abi.Level, string, int) { <-time.After(stall) }, // simulates a machine that is busy with something else
	})
	_, err := v.Detect(context.Background(), nil, hostileText, 0)
	require.NoError(t, err)
	s := v.Stats()
	assert.GreaterOrEqual(t, s.Stalled, stall-stallTime)
	assert.Empty(t, s.Faults)
}

func TestTheRequestsOwnTimeEndsAGuestThatStandsStill(t *testing.T) {
	v := loadModule(t, LoadOptions{
		Source: counting(100_000).bytes(), Limits: Limits{Timeout: time.Minute},
		Log: func(abi.Level, string, int) { <-time.After(60 * time.Millisecond) },
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := v.Detect(ctx, nil, hostileText, 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.False(t, v.breaker.faults.HasFaults(), "it says nothing about the guest")
}

func TestFuelCutsAGuestWhateverTheClockSays(t *testing.T) {
	source := counting(10_000_000).bytes()
	for _, c := range []struct {
		fuel int64
		cut  bool
	}{{1_000_000, true}, {1_000_000_000, false}} {
		v := loadModule(t, LoadOptions{Source: source, Limits: Limits{Fuel: c.fuel, Timeout: time.Minute}})
		_, err := v.Detect(context.Background(), nil, hostileText, 0)
		if !c.cut {
			require.NoError(t, err)
			continue
		}
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, core.FaultTimeout, e.Kind)
		assert.Equal(t, "used up its fuel", e.Reason)
		assert.LessOrEqual(t, v.Stats().Fuel, uint64(c.fuel+2*slice))
	}
}

func TestALinkWithoutLimitsHasFuelByTheLengthOfTheText(t *testing.T) {
	v := loadModule(t, LoadOptions{Source: hostileGuests[0].guest.bytes()})
	assert.Equal(t, allowance{50_000_000, 50 * time.Millisecond}, v.newBudget().computeAllowance(0))
	assert.Equal(t, allowance{60_000_000, 60 * time.Millisecond}, v.newBudget().computeAllowance(10_000))
	_, err := v.Detect(context.Background(), nil, hostileText, 0)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultTimeout, e.Kind)
}

func TestTenantsTakeTurnsInLine(t *testing.T) {
	var q queue
	names := map[*waiter]string{}
	add := func(tenant string, n int) (last *waiter) {
		for k := range n {
			last = &waiter{}
			names[last] = fmt.Sprint(tenant, k)
			q.add(tenant, last)
		}
		return last
	}
	add("a", 4)
	gone := add("b", 2)
	add("c", 1)
	assert.True(t, q.remove("b", gone))
	assert.False(t, q.remove("b", gone))
	add("b", 1)
	left := add("d", 1)
	assert.True(t, q.remove("d", left))
	assert.False(t, q.remove("d", left))
	var order []string
	q.clear(func(w *waiter) { order = append(order, names[w]) })
	assert.Equal(t, "a0 b0 c0 a1 b0 a2 a3", strings.Join(order, " "))
	assert.Empty(t, q.turns)
	assert.Empty(t, q.lines)
}

func TestACallWaitsForAnInstanceUntilTheRequestsTimeIsUp(t *testing.T) {
	v := loadModule(t, LoadOptions{Limits: Limits{Instances: 1, Timeout: time.Millisecond}})
	held, err := v.acquire(context.Background(), newTimeAllowance(time.Second), caller{})
	require.NoError(t, err)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, err := v.Detect(context.Background(), nil, "calm", 0)
		assert.NoError(t, err, "its limit counts running time, not waiting time")
	})
	require.Eventually(t, func() bool { return hasWaiter(v.pool) }, time.Minute, time.Millisecond)
	<-time.After(20 * time.Millisecond) // far beyond its limit
	v.release(held, nil)
	waiting.Wait()
	assert.GreaterOrEqual(t, v.Stats().Queued, 20*time.Millisecond)
}
