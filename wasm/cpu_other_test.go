//go:build !linux

package wasm

import "time"

// readThreadCPU returns 0: the CPU time of a thread is not known.
func readThreadCPU() time.Duration { return 0 }
