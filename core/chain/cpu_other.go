//go:build !linux

package chain

import "github.com/headgate-dev/headgate/core"

// readCPU returns this moment. The time of threads is unknown here, so that the clock counts.
func readCPU() cpuTime { return cpuTime{wall: core.MeasureUptime()} }
