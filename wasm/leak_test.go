package wasm

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heap returns the bytes in use after a collection.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestThreeHundredInstancesLeaveNothingBehind(t *testing.T) {
	v := loadModule(t, LoadOptions{})
	open := func(n int) {
		for range n {
			i, err := v.newInstance(context.Background(), 10*time.Second)
			require.NoError(t, err)
			i.close()
		}
	}
	open(20)
	before, goroutines := heap(), runtime.NumGoroutine()
	open(300)
	assert.Less(t, heap()-before, int64(1<<20), "bytes of heap")
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	assert.Equal(t, 1, v.Stats().Instances)
}

func TestLoadingAndClosingLeavesNothingBehind(t *testing.T) {
	good, bad := employeeID(t), guest{detect: unreachable}.bytes()
	turn := func(n int) {
		for range n {
			v, err := Load(context.Background(), LoadOptions{Source: good, Name: "good.wasm"})
			require.NoError(t, err)
			_, err = v.Detect(context.Background(), nil, "EMP-123456", 0)
			require.NoError(t, err)
			v.Release(context.Background())
			<-v.CloseSignal()
			_, err = Load(context.Background(), LoadOptions{Source: bad, Name: "bad.wasm"})
			require.Error(t, err)
		}
	}
	turn(5)
	before, goroutines := heap(), runtime.NumGoroutine()
	turn(40)
	assert.Less(t, heap()-before, int64(2<<20), "bytes of heap")
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
}

func TestTheCollectorDoesNotWaitForABusyGuestAndOthersAreServed(t *testing.T) {
	good := loadModule(t, LoadOptions{Limits: Limits{Timeout: time.Minute}})
	v := loadModule(t, LoadOptions{Source: hostileGuests[0].guest.bytes(), Limits: Limits{Timeout: time.Hour}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var ended atomic.Bool
	var guests sync.WaitGroup
	guests.Go(func() {
		_, err := v.Detect(ctx, nil, hostileText, 0)
		ended.Store(true)
		assert.ErrorIs(t, err, context.Canceled)
	})
	require.Eventually(t, func() bool { return v.Stats().Calls > 0 }, time.Minute, time.Millisecond)
	for range 5 {
		runtime.GC()
		got, err := good.Detect(context.Background(), nil, "EMP-123456", 0)
		require.NoError(t, err)
		assert.Len(t, got, 1)
	}
	assert.False(t, ended.Load(), "the guest would run for an hour, and the collector ran in the meantime")
	cancel()
	guests.Wait()
}

func TestAVersionClosesWhenItsLastUserLetsGoAndNotWhileItRuns(t *testing.T) {
	v, err := Load(
		context.Background(),
		LoadOptions{Source: hostileGuests[0].guest.bytes(), Name: "loop.wasm", Limits: Limits{Timeout: time.Hour}},
	)
	require.NoError(t, err)
	require.True(t, v.Acquire())
	v.Release(context.Background())
	_, err = v.Detect(context.Background(), nil, "calm", 0)
	require.NoError(t, err, "one user is left")

	var guests sync.WaitGroup
	guests.Go(func() {
		_, err := v.Detect(context.Background(), nil, hostileText, 0)
		assert.ErrorContains(t, err, "being closed", "it is cut before its code is unmapped")
	})
	require.Eventually(t, func() bool { return v.Stats().Calls >= 2 }, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	v.Release(ctx)
	guests.Wait()
	<-v.CloseSignal()
	assert.False(t, v.Acquire())
	_, err = v.Detect(context.Background(), nil, "calm", 0)
	require.ErrorContains(t, err, "closed")
	assert.Zero(t, v.Stats().Memory)
}
