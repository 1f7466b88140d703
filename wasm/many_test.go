//go:build linux

package wasm

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxForAHundred is the most resident memory, in bytes, that a hundred loaded modules may take.
const maxForAHundred = 200 << 20

// residentMemory returns the resident memory of this process in bytes.
func residentMemory(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var all, resident int64
	_, err = fmt.Sscan(string(text), &all, &resident)
	require.NoError(t, err)
	return resident * int64(os.Getpagesize())
}

func TestAHundredModulesAreLoadedInUnder200MiB(t *testing.T) {
	if raceEnabled {
		t.Skip("tried without the race detector, whose shadow memory would be measured")
	}
	sources := [][]byte{employeeID(t), repetition(t), overlap(t), pem(t)}
	debug.FreeOSMemory()
	before := residentMemory(t)
	var all []*Version
	for n := range 100 {
		// Each is a different module, because it has another name for a custom section that no host reads.
		source := append([]byte{}, sources[n%len(sources)]...)
		source = append(source, section(0, str(fmt.Sprintf("module %d", n)))...)
		v, err := Load(t.Context(), LoadOptions{Source: source, Name: fmt.Sprintf("%d.wasm", n), Cache: sharedCache(t), Limits: Limits{Timeout: time.Minute}})
		require.NoError(t, err)
		all = append(all, v)
	}
	for _, v := range all {
		_, err := v.Detect(t.Context(), nil, "EMP-123456", 0)
		require.NoError(t, err)
		assert.Equal(t, 1, v.Stats().Instances, "an idle module keeps one instance")
	}
	debug.FreeOSMemory()
	grown := residentMemory(t) - before
	t.Logf("100 modules take %.1f MiB", float64(grown)/(1<<20))
	assert.Less(t, grown, int64(maxForAHundred))
	for _, v := range all {
		v.Release(context.Background())
		<-v.CloseSignal()
	}
}
