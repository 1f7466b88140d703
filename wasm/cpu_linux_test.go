package wasm

import (
	"time"

	"golang.org/x/sys/unix"
)

// readThreadCPU returns the CPU time of the current thread. What other programs do on a busy machine does not count.
func readThreadCPU() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
