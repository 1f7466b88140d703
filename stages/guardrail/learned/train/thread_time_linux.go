package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// readThreadTime returns the CPU time that the calling thread has used.
func readThreadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
