package wasm

import (
	"fmt"
	"runtime"
	"time"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// Limits bounds what one plugin may take. A field that is zero takes its
// default.
type Limits struct {
	// Memory is the most memory of one instance, in bytes; 16 MiB by default,
	// at most MaxMemory.
	Memory int64
	// Instances is the most instances at one time; twice GOMAXPROCS by default.
	Instances int
	// Timeout is the time of one judgement: all texts of a phase, or one window
	// of a stream. Without it each text gets 5 ms and 1 ms for every 10 KB.
	Timeout time.Duration
}

const (
	// MaxMemory is the highest memory limit that can be set.
	MaxMemory     = 256 << 20
	defaultMemory = 16 << 20
	pageSize      = 64 << 10
	maxInstances  = 1024
)

// loadTime is what each step of a module's first run may take: instantiating
// it, configuring it, each text of the canary.
const loadTime = time.Second

// instanceTime is what making a further instance may take. A Go guest needs
// 5 ms on an idle machine.
const instanceTime = 250 * time.Millisecond

func (l Limits) filled() (Limits, error) {
	switch {
	case l.Memory < 0 || l.Memory > MaxMemory:
		return l, fmt.Errorf("the memory limit must be at most %d bytes", MaxMemory)
	case l.Instances < 0 || l.Instances > maxInstances:
		return l, fmt.Errorf("the number of instances must be at most %d", maxInstances)
	case l.Timeout < 0:
		return l, fmt.Errorf("the timeout must not be negative")
	}
	if l.Memory == 0 {
		l.Memory = defaultMemory
	}
	l.Memory = max(l.Memory/pageSize, 1) * pageSize
	if l.Instances == 0 {
		l.Instances = 2 * runtime.GOMAXPROCS(0)
	}
	return l, nil
}

// meter gives the limits of the check when the module is loaded.
func (l Limits) meter() meter.Limits {
	return meter.Limits{MemoryPages: uint32(l.Memory / pageSize), Slice: slice}
}
