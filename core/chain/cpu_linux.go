package chain

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/headgate-dev/headgate/core"
)

// readCPU returns this moment, with the time that the thread at hand has run.
func readCPU() cpuTime {
	now := cpuTime{wall: core.MeasureUptime()}
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) == nil {
		now.thread, now.cpu = unix.Gettid(), time.Duration(t.Nano())
	}
	return now
}
