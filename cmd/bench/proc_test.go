package main

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestProcessStatIsParsed(t *testing.T) {
	line := []byte("4242 (a (odd) name) R 1 4242 4242 0 -1 4194560 100 0 0 0 123 45 0 0 20 0 8 0 777 123456789 300 18446744073709551615 0 0\n")
	assert.Equal(t, processUse{cpu: 1.68, rss: 300 * 4096}, parseStat(line, 4096))
	assert.Zero(t, parseStat([]byte("4242 (gone) Z 1"), 4096))
	assert.Zero(t, parseStat(nil, 4096))
	assert.Zero(t, readProcess(0))
}

func TestAnonymousMemoryIsParsed(t *testing.T) {
	assert.EqualValues(t, 12345<<10, parseAnonymous([]byte("VmRSS:\t   60000 kB\nRssAnon:\t   12345 kB\nRssFile:\t   47655 kB\n")))
	assert.Zero(t, parseAnonymous([]byte("VmRSS:\t   60000 kB\n")), "an old kernel does not report it")
	assert.Zero(t, parseAnonymous([]byte("RssAnon:\tmany\n")))
}

func TestBusyTimeOfACoreIsParsed(t *testing.T) {
	stat := []byte("cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 9 9 9 9 9 9 9 9 0 0\ncpu1 100 20 30 5000 600 7 8 9 50 0\nintr 5\n")
	assert.InDelta(t, 1.74, parseCore(stat, 1), 1e-9, "idle, iowait and guest time are left out")
	assert.Zero(t, parseCore(stat, 7))
	assert.Zero(t, readCore(-1))
}

func TestOwnProcessIsRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	use := readProcess(os.Getpid())
	assert.Positive(t, use.anon)
	assert.Greater(t, use.rss, use.anon, "the program's own file is resident too")
	assert.Positive(t, readCore(0))
	assert.NotEmpty(t, readCPUModel())
}

func TestQuantiles(t *testing.T) {
	var d []time.Duration
	for i := 1; i <= 1000; i++ {
		d = append(d, time.Duration(1001-i)*time.Microsecond)
	}
	same := func(x time.Duration) time.Duration { return x }
	assert.Equal(t, &quantiles{Mean: 500.5, P50: 500, P90: 900, P99: 990, P999: 999, Max: 1000}, computeQuantiles(d, same))
	assert.Equal(t, &quantiles{Mean: 3, P50: 3, P90: 3, P99: 3, P999: 3, Max: 3}, computeQuantiles([]time.Duration{3 * time.Microsecond}, same))
	assert.Nil(t, computeQuantiles(nil, same))
	assert.Zero(t, (*quantiles)(nil).p50())
}

func TestMedian(t *testing.T) {
	v := []float64{9, 1, 5}
	assert.InDelta(t, 5, computeMedian(v), 0)
	assert.Equal(t, []float64{9, 1, 5}, v, "the argument is not modified")
	assert.InDelta(t, 3, computeMedian([]float64{4, 2}), 0)
	assert.Zero(t, computeMedian(nil))
}
