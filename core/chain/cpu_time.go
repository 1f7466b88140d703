package chain

import "time"

// cpuTime is a moment.
type cpuTime struct {
	wall   time.Duration
	thread int // 0: unknown
	cpu    time.Duration
}
