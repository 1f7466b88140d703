package wasm

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// grows returns a guest that grows by 64 pages if the text starts with '!', and finds nothing.
func grows() guest {
	return guest{detect: onMark(cat(i32c(64), []byte{0x40, 0}, drop, i64c(0)))}
}

func TestThePoolMakesNoMoreThanItsLimitAndThenLetsCallersWait(t *testing.T) {
	v := loadModule(t, LoadOptions{Limits: Limits{Instances: 2}})
	ctx := context.Background()
	a, err := v.acquire(ctx, newTimeAllowance(time.Second), caller{})
	require.NoError(t, err)
	b, err := v.acquire(ctx, newTimeAllowance(time.Second), caller{})
	require.NoError(t, err)

	busy, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err = v.acquire(busy, newTimeAllowance(time.Second), caller{})
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultOverload, e.Kind)
	assert.False(t, v.breaker.faults.HasFaults(), "a full pool is not the guest's fault")

	left, cancel := context.WithCancel(ctx)
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err = v.acquire(left, newTimeAllowance(time.Hour), caller{})
	require.ErrorIs(t, err, context.Canceled)

	var waiting sync.WaitGroup
	waiting.Go(func() {
		i, err := v.acquire(ctx, newTimeAllowance(time.Hour), caller{})
		if assert.NoError(t, err) {
			assert.Same(t, a, i, "a freed instance is handed over")
			v.release(i, nil)
		}
	})
	require.Eventually(t, func() bool { return hasWaiter(v.pool) }, time.Minute, time.Millisecond)
	v.release(a, nil)
	waiting.Wait()

	c, err := v.acquire(ctx, newTimeAllowance(time.Hour), caller{})
	require.NoError(t, err)
	waiting.Go(func() {
		i, err := v.acquire(ctx, newTimeAllowance(time.Hour), caller{})
		if assert.NoError(t, err) {
			assert.NotSame(t, b, i, "a failed instance is replaced")
			v.release(i, nil)
		}
	})
	require.Eventually(t, func() bool { return hasWaiter(v.pool) }, time.Minute, time.Millisecond)
	v.release(b, errDeadline)
	waiting.Wait()
	v.release(c, nil)
	assert.Equal(t, 2, v.Stats().Instances)
}

func hasWaiter(p *pool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting.n > 0
}

func TestTheInstanceUsedLastIsUsedNextAndOldOnesGo(t *testing.T) {
	v := loadModule(t, LoadOptions{Limits: Limits{Instances: 3}})
	ctx := context.Background()
	var all []*instance
	for range 3 {
		i, err := v.acquire(ctx, newTimeAllowance(time.Second), caller{})
		require.NoError(t, err)
		all = append(all, i)
	}
	for _, i := range all {
		v.release(i, nil)
	}
	i, err := v.acquire(ctx, newTimeAllowance(time.Second), caller{})
	require.NoError(t, err)
	assert.Same(t, all[2], i)
	v.release(i, nil)

	v.pool.prune()
	assert.Equal(t, 3, v.Stats().Instances, "no instance has been idle long enough")
	i, err = v.acquire(ctx, newTimeAllowance(time.Second), caller{})
	require.NoError(t, err)
	v.release(i, nil)
	v.pool.prune()
	assert.Equal(t, minIdle, v.Stats().Instances)
	assert.Same(t, i, v.pool.idle[0], "an instance used in the meantime stays")
	assert.Equal(t, int64(i.size), v.Stats().Memory)
}

func TestAnInstanceThatGrewTooLargeIsReplaced(t *testing.T) {
	v := loadModule(t, LoadOptions{Source: grows().bytes(), Limits: Limits{Timeout: 5 * time.Second}})
	usual := v.Stats().Memory
	_, err := v.Detect(context.Background(), nil, hostileText, 0)
	require.NoError(t, err)
	assert.Zero(t, v.Stats().Instances)
	_, err = v.Detect(context.Background(), nil, "calm", 0)
	require.NoError(t, err)
	assert.Equal(t, usual, v.Stats().Memory)
}

func TestManyCallersShareFewInstances(t *testing.T) {
	v := loadModule(t, LoadOptions{Limits: Limits{Instances: 3, Timeout: time.Minute}})
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 200 {
				got, err := v.Detect(context.Background(), nil, "is EMP-123456 in?", 0)
				if assert.NoError(t, err) {
					assert.Equal(t, []Match{{Start: 3, End: 13, Score: 1}}, got)
				}
			}
		})
	}
	all.Wait()
	s := v.Stats()
	assert.LessOrEqual(t, s.Instances, 3)
	assert.Equal(t, uint64(16*200), s.Calls)
	assert.Equal(t, uint64(16*200), s.Findings)
	assert.Empty(t, s.Faults)
}

func TestFiveFaultsInARowTakeAGuestOutOfServiceUntilItSings(t *testing.T) {
	v := loadModule(
		t,
		LoadOptions{Source: guest{detect: onMark(unreachable)}.bytes(), Name: "moody.wasm", Limits: Limits{Timeout: 5 * time.Second}},
	)
	ctx := context.Background()
	ask := func(text string) error {
		_, err := v.Detect(ctx, nil, text, 0)
		return err
	}
	v.Manifest.Samples = []Sample{{Text: "nothing", Labels: []string{"a"}}} // makes every canary fail
	for range tripAfter - 1 {
		require.Error(t, ask("!"))
	}
	require.NoError(t, ask("calm"), "a success resets the count")
	for range tripAfter {
		require.ErrorContains(t, ask("!"), "trap")
	}
	assert.True(t, v.Stats().OutOfService)
	err := ask("calm")
	require.ErrorContains(t, err, "out of service: after 5 faults in a row, the last a trap, it failed its canary too")
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultOverload, e.Kind)

	v.breaker.mu.Lock()
	v.Manifest.Samples = nil
	v.breaker.mu.Unlock()
	require.Eventually(t, func() bool { return ask("calm") == nil }, 20*time.Second, 20*time.Millisecond)
	assert.False(t, v.Stats().OutOfService)
}

func TestAGuestThatDoesNotSingStaysOutForLongerAndLonger(t *testing.T) {
	v := loadModule(t, LoadOptions{})
	v.Manifest.Samples = []Sample{{Text: "nothing", Labels: []string{"employee_id"}}}
	for range tripAfter {
		v.breaker.countFault(core.FaultTrap, "k")
	}
	for want := 2 * firstPause; want <= 4*lastPause; want *= 2 {
		v.breaker.mu.Lock()
		require.True(t, v.breaker.timer.Stop())
		v.breaker.mu.Unlock()
		v.breaker.probe()
		_, pause := v.breaker.circuit.State()
		assert.LessOrEqual(t, pause, min(want, lastPause))
		assert.Greater(t, pause, min(want, lastPause)-firstPause/2)
		assert.True(t, v.Stats().OutOfService)
	}
}

func TestWhatAGuestLogsIsCutToSizeAndRate(t *testing.T) {
	type line struct {
		level   abi.Level
		text    string
		dropped int
	}
	var lines []line
	v := loadModule(t, LoadOptions{
		Source: guest{
			imports: []importedFunc{{abi.HostModule, abi.ImportLog, typLog}},
			data:    []byte("a\x1b[31m\nb\u202e\xff" + string(make([]byte, 4000))),
			detect: onMark(
				cat(
					i32c(3),
					i32c(spansAt),
					i32c(10),
					callf(0),
					i32c(99),
					i32c(spansAt),
					i32c(1_000_000),
					callf(0),
					i32c(2),
					i32c(-1),
					i32c(5),
					callf(0),
					i64c(0),
				),
			),
		}.bytes(),
		Limits: Limits{Timeout: 5 * time.Second},
		Log:    func(l abi.Level, text string, dropped int) { lines = append(lines, line{l, text, dropped}) },
	})
	_, err := v.Detect(context.Background(), nil, hostileText, 0)
	require.NoError(t, err)
	require.Len(t, lines, 2, "a line outside the memory is not logged")
	assert.Equal(t, abi.LevelWarn, lines[0].level)
	assert.Equal(t, "a [31m b", lines[0].text)
	assert.Equal(t, abi.LevelInfo, lines[1].level)
	assert.LessOrEqual(t, len(lines[1].text), maxLogLine)

	for range 100 {
		_, err = v.Detect(context.Background(), nil, hostileText, 0)
		require.NoError(t, err)
	}
	assert.Less(t, len(lines), 200)
	v.log.began -= 2 * time.Second
	n := len(lines)
	_, err = v.Detect(context.Background(), nil, hostileText, 0)
	require.NoError(t, err)
	require.Greater(t, len(lines), n)
	assert.Positive(t, lines[n].dropped, "dropped lines are counted")
}
