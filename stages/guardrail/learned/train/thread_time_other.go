//go:build !linux

package main

import "time"

// readThreadTime returns the time of the clock: what other programs use of the processor counts too.
func readThreadTime() time.Duration { return time.Since(started) }

var started = time.Now()
