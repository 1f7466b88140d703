package process

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// readCPUTime returns the CPU time of a process so far, from /proc: in ticks of 10 ms.
func readCPUTime(b *testing.B, pid int) time.Duration {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.Skip("there is no /proc to read the plugin's CPU time from")
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		require.NoError(b, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// BenchmarkCheck sends requests to a plugin. It reports the CPU time of both sides and the median duration of a call.
// The target is 100 µs per call.
func BenchmarkCheck(b *testing.B) {
	for _, size := range []int{100, 1 << 10, 8 << 10, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			st := plug(b, "words").stage(b)
			x := request(b, user(strings.Repeat("tell me about it ", size/17+1)[:size]))
			check := func() {
				if _, err := st.Check(context.Background(), x, core.Request, nil); err != nil {
					b.Fatal(err)
				}
			}
			for range 100 {
				check()
			}
			host, plugin := readCPUTime(b, os.Getpid()), readCPUTime(b, st.Stats().PID)
			b.ReportAllocs()
			times := make([]time.Duration, 0, 1<<16)
			for b.Loop() {
				began := time.Now()
				check()
				times = append(times, time.Since(began))
			}
			host, plugin = readCPUTime(b, os.Getpid())-host, readCPUTime(b, st.Stats().PID)-plugin
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1000, "µs-p50")
			b.ReportMetric(float64(host.Microseconds())/float64(b.N), "µs-host/op")
			b.ReportMetric(float64(plugin.Microseconds())/float64(b.N), "µs-plugin/op")
			b.ReportMetric(float64((host+plugin).Microseconds())/float64(b.N), "µs-cpu/op")
		})
	}
}
